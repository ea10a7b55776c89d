// Frames that only lead to one another as one: a frame with a single callee of its own kind that has at least 99 % of it. The deepest stands for all, since that is
// what the branches below are called from. Layers are never grouped: they are what one looks for.
// Invariant: a group has the total and the launches of its first frame and the selfs of all.
import type { NodeColumns } from "#schema/api/flamegraph.ts";
import { type DrawnTree, type ShownTree, otherRow } from "./shown-tree.ts";

const leastShare = 0.99;

export function groupChains({ nodes, frames }: DrawnTree): ShownTree {
  const size = nodes.parent.length;
  const callees = new Int32Array(size);
  for (let node = 1; node < size; node++) callees[nodes.parent[node] as number]!++;
  const kindOf = (node: number) => frames.kind[nodes.frame[node] as number] as string;
  const grouped: NodeColumns = { parent: [], frame: [], total: [], self: [], count: [], copies: [] };
  const [placeOf, baseOf, chain] = [new Int32Array(size), new Int32Array(size), new Int32Array(size)];
  for (let node = 0; node < size; node++) {
    const above = nodes.parent[node] as number;
    const kind = kindOf(node);
    const joins = above > 0 && callees[above] === 1 && kind === kindOf(above) && kind !== "layer" && nodes.frame[node] !== otherRow && (nodes.total[node] as number) >= leastShare * (nodes.total[above] as number);
    const at = joins ? (placeOf[above] as number) : grouped.parent.push(above < 0 ? -1 : (placeOf[above] as number)) - 1;
    placeOf[node] = at;
    baseOf[at] = node;
    chain[at]!++;
    grouped.frame[at] = nodes.frame[node] as number;
    grouped.total[at] ??= nodes.total[node] as number;
    grouped.count[at] ??= nodes.count[node] as number;
    grouped.self[at] = (grouped.self[at] ?? 0) + (nodes.self[node] as number);
    grouped.copies[at] = Math.max(grouped.copies[at] ?? 1, nodes.copies[node] as number);
  }
  const shown = grouped.parent.length;
  return { nodes: grouped, baseOf: baseOf.slice(0, shown), placeOf, chain: chain.slice(0, shown) };
}
