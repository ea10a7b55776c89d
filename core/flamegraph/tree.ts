// Stacks → tree: the fold for files, and the oracle the SQL of clickhouse/flamegraph.ts is tested against.
// Invariant: for every node total = self + Σ children's totals, likewise for counts; hiding kinds and pruning move value, they never lose any.
// Iterative throughout: stacks from files may be deeper than the call stack allows.
import type { FrameKindName } from "#schema/frame-kinds.ts";
import { type Frame, type StackProfile, compareFrames } from "./stacks.ts";

// Frame numbers that are not frames: the root, and what was cut below one parent.
export const rootFrame = -1;
export const otherFrame = -2;

export type TreeNode = {
  readonly frame: number; // number in the profile's frames, `rootFrame` or `otherFrame`
  total: bigint;
  self: bigint;
  count: bigint; // behind `total`
  selfCount: bigint; // behind `self`
  children: TreeNode[]; // heaviest first, ties by name; "(other)" last
  copies?: number; // frames that were folded into this one
};

export function emptyNode(frame: number): TreeNode {
  return { frame, total: 0n, self: 0n, count: 0n, selfCount: 0n, children: [] };
}

// A hidden kind is taken out of every stack before folding, so what it kept apart merges and is summed again: exact, never an overlay.
export function foldStacks(profile: StackProfile, hide: ReadonlySet<FrameKindName> = new Set()): TreeNode {
  const root = emptyNode(rootFrame);
  const childOf = new Map<TreeNode, Map<number, TreeNode>>();
  const originalsOf = new Map<TreeNode, Set<number>>(); // of layers, where they were folded
  for (const { frames, value, count, originals } of profile.stacks) {
    let node = root;
    node.total += value;
    node.count += count;
    for (const [place, frame] of frames.entries()) {
      const { kind } = profile.frames[frame] as Frame;
      if (hide.has(kind)) continue;
      let byFrame = childOf.get(node);
      if (!byFrame) childOf.set(node, (byFrame = new Map()));
      let child = byFrame.get(frame);
      if (!child) {
        byFrame.set(frame, (child = emptyNode(frame)));
        node.children.push(child);
      }
      node = child;
      node.total += value;
      node.count += count;
      if (originals === undefined || kind !== "layer") continue;
      const copies = originalsOf.get(node);
      if (copies === undefined) originalsOf.set(node, new Set([originals[place] as number]));
      else copies.add(originals[place] as number);
    }
    node.self += value;
    node.selfCount += count;
  }
  for (const [node, originals] of originalsOf) node.copies = originals.size;
  sortChildren(root, profile.frames);
  return root;
}

// Keeps the `nodesMax` heaviest nodes (root and "(other)" not counted; ties: nearer to the root, then in drawing order). A parent is never lighter than
// its child, so the kept nodes are closed under parents. What is cut becomes one "(other)" child per parent.
export function pruneTree(root: TreeNode, nodesMax: number): { tree: TreeNode; cutNodes: number; cutTotal: bigint } {
  const ranked: { node: TreeNode; depth: number; order: number }[] = [];
  walkTree(root, (node, depth) => void (depth > 0 && ranked.push({ node, depth, order: ranked.length })));
  ranked.sort((a, b) => descending(a.node.total, b.node.total) || a.depth - b.depth || a.order - b.order);
  const kept = new Set<TreeNode>([root, ...ranked.slice(0, nodesMax).map(({ node }) => node)]);
  const copyOf = new Map<TreeNode, TreeNode>();
  walkTree(root, (node) => void (kept.has(node) && copyOf.set(node, { ...node, children: [] })));
  let cutTotal = 0n;
  for (const [node, copy] of copyOf) {
    copy.children = node.children.filter((child) => kept.has(child)).map((child) => copyOf.get(child) as TreeNode);
    cutTotal += addOther(copy);
  }
  return { tree: copyOf.get(root) as TreeNode, cutNodes: ranked.length - (kept.size - 1), cutTotal };
}

// Gives the node an "(other)" child for whatever its self and its children do not explain; returns that value.
export function addOther(node: TreeNode): bigint {
  const total = node.children.reduce((left, child) => left - child.total, node.total - node.self);
  const count = node.children.reduce((left, child) => left - child.count, node.count - node.selfCount);
  if (total < 0n || count < 0n) throw new Error(`children of frame ${node.frame} outweigh it by ${-total} (count ${-count})`);
  if (total > 0n || count > 0n) node.children.push({ frame: otherFrame, total, self: total, count, selfCount: count, children: [] });
  return total;
}

// Depth-first, children in their order.
export function walkTree(root: TreeNode, visit: (node: TreeNode, depth: number) => void): void {
  const open = [{ node: root, depth: 0 }];
  for (let next = open.pop(); next; next = open.pop()) {
    visit(next.node, next.depth);
    for (let at = next.node.children.length - 1; at >= 0; at--) open.push({ node: next.node.children[at] as TreeNode, depth: next.depth + 1 });
  }
}

export function sortChildren(root: TreeNode, frames: readonly Frame[]): void {
  walkTree(root, ({ children }) => {
    children.sort((a, b) => descending(a.total, b.total) || compareFrames(frames[a.frame] as Frame, frames[b.frame] as Frame));
  });
}

export function descending(a: bigint, b: bigint): number {
  return a > b ? -1 : a < b ? 1 : 0;
}
