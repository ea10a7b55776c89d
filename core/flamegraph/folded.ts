// Folded stacks, one line per node that has a value of its own: `frame;frame;frame value`, readable by every flamegraph tool.
// Invariant: the values of all lines add up to the root's total, "(other)" included. Cut as the answer is; export/folded.ts writes whole stacks.
import type { Flamegraph } from "#schema/api/flamegraph.ts";
import { foldedLine, foldedName } from "./export/folded.ts";

// The root is not written: every line starts at its first frame. Value that ends at the root itself is the line "(no frames)".
export function foldedText({ nodes, frames }: Pick<Flamegraph, "nodes" | "frames">): string {
  const names = frames.name.map(foldedName);
  const lines: string[] = [];
  const path: number[] = []; // nodes from the root to the current one
  for (let node = 0; node < nodes.parent.length; node++) {
    while (path.length > 0 && path.at(-1) !== nodes.parent[node]) path.pop();
    path.push(node);
    const self = nodes.self[node] as number;
    if (self === 0) continue;
    lines.push(foldedLine(path.slice(1).map((one) => names[nodes.frame[one] as number] as string), self));
  }
  return lines.join("");
}
