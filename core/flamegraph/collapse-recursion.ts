// Every frame at most once in a stack: where it occurs again it is left out, and what it calls hangs below what was above it. What ends in it there stays under
// its name. Invariant: of every frame the value of the stacks it is in, its self and its launches are as before, and so are those of kernels and of the root.
import { type DrawnTree, type ShownTree, otherRow, remergeTree } from "./shown-tree.ts";

export function collapseRecursion(tree: DrawnTree): ShownTree {
  const { parent, frame } = tree.nodes;
  const above = new Int32Array(tree.frames.name.length); // how often a frame is on the path
  const path: number[] = [];
  return remergeTree(tree, (node) => {
    while (path.length > 0 && path.at(-1) !== parent[node]) above[frame[path.pop() as number] as number]!--;
    const own = frame[node] as number;
    const again = (above[own] as number) > 0 && own !== otherRow;
    path.push(node);
    above[own]!++;
    return again ? "apart" : "stays";
  });
}
