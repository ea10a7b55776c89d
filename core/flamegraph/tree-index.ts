// What drawing, searching and printing need beside the columnar answer, built once per answer and shared by the dashboard and the command line.
// Invariant: nodes come depth-first (parent[i] < i), so the subtree of i is the half-open range [i, end[i]): its first child is i + 1, and the
// child after c is end[c]. Siblings lie left to right, heaviest first, "(other)" last; a parent's self time is the gap at its right end.
// Everything is iterative: a stack may be schema/limits.ts `stackDepthMax` deep and deeper trees come from files.
import type { NodeColumns } from "#schema/api/flamegraph.ts";

export type TreeIndex = {
  readonly size: number;
  readonly depth: Int32Array; // root 0
  readonly deepest: number; // the largest depth; rows of a drawing = deepest + 1
  readonly end: Int32Array; // one past the last node of the subtree
  readonly offset: Float64Array; // left edge, in the answer's unit, from the left edge of the root; the width is total[i]
};

// Throws on nodes that are not in depth-first order: such an answer cannot be drawn, whoever made it.
export function indexTree(nodes: Pick<NodeColumns, "parent" | "total">): TreeIndex {
  const { parent, total } = nodes;
  const size = parent.length;
  const depth = new Int32Array(size);
  const end = new Int32Array(size);
  const offset = new Float64Array(size);
  const nextLeft = new Float64Array(size); // where the next child of each node starts
  let deepest = 0;
  for (let node = 0; node < size; node++) {
    const above = parent[node] as number;
    if (node === 0 ? above !== -1 : !(above >= 0 && above < node)) throw new Error(`flamegraph node ${node} has parent ${above}: not depth-first`);
    end[node] = node + 1;
    if (node === 0) continue;
    depth[node] = (depth[above] as number) + 1;
    deepest = Math.max(deepest, depth[node] as number);
    offset[node] = nextLeft[above] as number;
    nextLeft[node] = offset[node] as number;
    nextLeft[above] = (nextLeft[above] as number) + (total[node] as number);
  }
  for (let node = size - 1; node > 0; node--) {
    const above = parent[node] as number;
    end[above] = Math.max(end[above] as number, end[node] as number);
  }
  for (let node = 1; node < size; node++) {
    // A subtree that is one range has each node's predecessor either as its parent or inside a finished sibling.
    const above = parent[node] as number;
    if (above !== node - 1 && (end[node - 1] as number) !== node) throw new Error(`flamegraph node ${node} is outside its parent's range: not depth-first`);
  }
  return { size, depth, deepest, end, offset };
}

// Direct children, left to right.
export function childrenOf(index: TreeIndex, node: number): number[] {
  const children: number[] = [];
  const end = index.end[node] as number;
  for (let child = node + 1; child < end; child = index.end[child] as number) children.push(child);
  return children;
}

// The nodes from the root down to `node`, both included: its stack.
export function pathTo(parent: readonly number[], node: number): number[] {
  const path: number[] = [];
  for (let at = node; at >= 0; at = parent[at] as number) path.push(at);
  return path.reverse();
}

// The child of `node` that covers position x (same origin and unit as `offset`); undefined over the node's self time or outside it.
export function childAt(index: TreeIndex, total: readonly number[], node: number, x: number): number | undefined {
  const end = index.end[node] as number;
  for (let child = node + 1; child < end; child = index.end[child] as number) {
    const left = index.offset[child] as number;
    if (x < left) return undefined;
    if (x < left + (total[child] as number)) return child;
  }
  return undefined;
}
