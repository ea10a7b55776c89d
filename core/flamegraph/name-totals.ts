// How much every name takes, wherever it occurs: a stack counts once, so recursion adds nothing. Names are told apart by kind.
import type { DrawnTree } from "./shown-tree.ts";

export type NameTotals = {
  readonly nameOf: Int32Array; // by row of frames
  readonly total: Float64Array; // by name
  readonly nodes: Int32Array; // by name: how many nodes have it
};

export function nameTotals({ nodes, frames }: DrawnTree): NameTotals {
  const numbers = new Map<string, number>();
  const nameOf = Int32Array.from(frames.name, (name, frame) => {
    const key = `${frames.kind[frame]} ${name}`;
    const known = numbers.get(key);
    if (known !== undefined) return known;
    numbers.set(key, numbers.size);
    return numbers.size - 1;
  });
  const [total, count, above] = [new Float64Array(numbers.size), new Int32Array(numbers.size), new Int32Array(numbers.size)];
  const path: number[] = [];
  for (let node = 0; node < nodes.parent.length; node++) {
    while (path.length > 0 && path.at(-1) !== nodes.parent[node]) above[nameOf[nodes.frame[path.pop() as number] as number] as number]!--;
    const name = nameOf[nodes.frame[node] as number] as number;
    count[name]!++;
    if (above[name] === 0) total[name] = (total[name] as number) + (nodes.total[node] as number);
    above[name]!++;
    path.push(node);
  }
  return { nameOf, total, nodes: count };
}
