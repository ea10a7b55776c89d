// The store's answer → tree. The store sends one row per distinct frame with the nodes that show it, so a long kernel name travels once.
// Numbers are decimal strings: ids are 64-bit hashes and sums may pass 2^53.
// Invariant: the tree's root total is the true total of the selection; nodes the store cut, and nodes whose parent it cut, are in "(other)".
import { frameKindOf, frameNameOf } from "./frame-id.ts";
import type { Frame } from "./stacks.ts";
import { type TreeNode, addOther, emptyNode, rootFrame, sortChildren, walkTree } from "./tree.ts";

// The node of the whole selection, the only node of frame "0"; all other ids are hashes of a prefix of frames.
export const rootId = "0";

export type FrameRow = {
  readonly frame: string; // 60 hash bits << 4 | kind
  readonly name: string; // "" when the dictionary has no row for it
  readonly file: string;
  readonly line: number;
  readonly mapping: string;
  readonly module_path: string;
  readonly module_class: string;
  readonly model_key: string;
  // Parallel arrays, one entry per node that shows the frame.
  readonly nodes: readonly string[];
  readonly parents: readonly string[];
  readonly totals: readonly string[];
  readonly selfs: readonly string[];
  readonly counts: readonly string[];
  readonly self_counts: readonly string[];
  readonly copies: readonly string[]; // distinct frames that were folded into the node; none without folding
  // Of the selection, in the row of the root; in others they say nothing.
  readonly samples: string; // sample rows
  readonly without_layer: string; // value in stacks that have no Model Layer frame, hidden or not
  readonly whole: string; // value of the selection, with what the view leaves out
  readonly all_nodes: string; // nodes before the cut, root included
};

export type NamedFrameRow = Pick<FrameRow, "frame" | "name" | "file" | "line" | "mapping" | "module_path" | "module_class" | "model_key">;

export type FoldedRows = {
  readonly tree: TreeNode;
  readonly frames: readonly Frame[];
  readonly ids: readonly string[]; // of these frames in the store
  readonly whole: bigint; // value of the selection; more than the tree's where a focus or a frame leaves something out
  readonly samples: bigint;
  readonly withoutLayer: bigint;
  readonly cutNodes: number;
  readonly cutTotal: bigint;
};

export function treeOfRows(rows: readonly FrameRow[]): FoldedRows {
  const linked = linkedNodes(rows, (frame, row, at): TreeNode => ({
    frame,
    total: BigInt(row.totals[at] as string),
    self: BigInt(row.selfs[at] as string),
    count: BigInt(row.counts[at] as string),
    selfCount: BigInt(row.self_counts[at] as string),
    children: [],
    copies: Number(row.copies[at] ?? 1),
  }));
  const { frames, ids } = linked;
  const tree = linked.root ?? emptyNode(rootFrame);
  sortChildren(tree, frames);
  const reached: TreeNode[] = [];
  walkTree(tree, (node) => void reached.push(node));
  let cutTotal = 0n;
  for (const node of reached) cutTotal += addOther(node);
  const root = rows.find((row) => row.frame === rootId);
  return {
    tree,
    frames,
    ids,
    whole: BigInt(root?.whole ?? 0),
    samples: BigInt(root?.samples ?? 0),
    withoutLayer: BigInt(root?.without_layer ?? 0),
    cutNodes: Number(root?.all_nodes ?? 1) - reached.length,
    cutTotal,
  };
}

// A node for each that the rows hold, below its parent; one whose parent was cut is below none. `node` makes it of what its row says at a place.
export function linkedNodes<Row extends FrameRow, Node extends { readonly children: Node[] }>(
  rows: readonly Row[], node: (frame: number, row: Row, at: number) => Node,
): { readonly root: Node | undefined; readonly frames: Frame[]; readonly ids: string[] } {
  const frames: Frame[] = [];
  const ids: string[] = [];
  const nodes = new Map<string, Node>();
  for (const row of rows) {
    const frame = row.frame === rootId ? rootFrame : frames.push(frameOfRow(row)) - 1;
    if (row.frame !== rootId) ids.push(row.frame);
    row.nodes.forEach((id, at) => void nodes.set(id, node(frame, row, at)));
  }
  for (const row of rows) row.nodes.forEach((id, at) => void (id !== rootId && nodes.get(row.parents[at] as string)?.children.push(nodes.get(id) as Node)));
  return { root: nodes.get(rootId), frames, ids };
}

export function frameOfRow(row: NamedFrameRow): Frame {
  const { file, line, mapping } = row;
  return { kind: frameKindOf(row.frame), name: frameNameOf(row), file, line, mapping, modulePath: row.module_path, moduleClass: row.module_class, modelKey: row.model_key };
}
