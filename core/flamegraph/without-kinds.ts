// The tree without frames of some kinds: what the store does with hide=, over an answer at hand. Exact where nothing was cut from the answer; where something was,
// what it shows is right and the store's own answer has more of it.
import type { FrameKindName } from "#schema/frame-kinds.ts";
import { type DrawnTree, type ShownTree, remergeTree } from "./shown-tree.ts";

export function withoutKinds(tree: DrawnTree, kinds: ReadonlySet<FrameKindName>): ShownTree {
  const { nodes, frames } = tree;
  const goes = frames.kind.map((kind) => kinds.has(kind as FrameKindName));
  return remergeTree(tree, (node) => (goes[nodes.frame[node] as number] ? "merges" : "stays"));
}
