// The nodes of two selections under one cut → one tree with the figures of both, in columns. Invariant, on each side: total = self + Σ children's totals; what
// was cut is the "(other)" child of its parent.
import type { FlamegraphComparison } from "#schema/api/flamegraph-comparison.ts";
import { ShownFrames } from "../frame-columns.ts";
import { type FrameRow, linkedNodes, rootId } from "../rows.ts";
import { type Frame, compareFrames } from "../stacks.ts";
import { descending, otherFrame, rootFrame } from "../tree.ts";

export type ComparedRow = FrameRow & { readonly totals_value_a: readonly string[]; readonly selfs_value_a: readonly string[]; readonly totals_count_a: readonly string[]; readonly selfs_count_a: readonly string[] };

export type Figures = { total: bigint; self: bigint; count: bigint; selfCount: bigint };
export type ComparedNode = { readonly frame: number; readonly a: Figures; readonly b: Figures; readonly children: ComparedNode[] };
export type ComparedTree = { readonly tree: ComparedNode; readonly frames: readonly Frame[]; readonly ids: readonly string[]; readonly cutNodes: number; readonly cutTotal: bigint };

const nothing = (): Figures => ({ total: 0n, self: 0n, count: 0n, selfCount: 0n });

export function comparedTree(rows: readonly ComparedRow[]): ComparedTree {
  const { root, frames, ids } = linkedNodes(rows, (frame, row, at): ComparedNode => {
    const number = (column: readonly string[]) => BigInt(column[at] as string);
    const a = { total: number(row.totals_value_a), self: number(row.selfs_value_a), count: number(row.totals_count_a), selfCount: number(row.selfs_count_a) };
    const b = { total: number(row.totals) - a.total, self: number(row.selfs) - a.self, count: number(row.counts) - a.count, selfCount: number(row.self_counts) - a.selfCount };
    return { frame, a, b, children: [] };
  });
  const tree = root ?? { frame: rootFrame, a: nothing(), b: nothing(), children: [] };
  let [reached, cutTotal] = [0, 0n];
  const open = [tree];
  for (let node = open.pop(); node; node = open.pop()) {
    reached++;
    open.push(...node.children);
    node.children.sort((one, other) => descending(one.a.total + one.b.total, other.a.total + other.b.total) || compareFrames(frames[one.frame] as Frame, frames[other.frame] as Frame));
    const rest = { frame: otherFrame, a: left(node, "a"), b: left(node, "b"), children: [] };
    if (rest.a.total + rest.b.total + rest.a.count + rest.b.count === 0n) continue;
    cutTotal += rest.a.total + rest.b.total;
    node.children.push(rest);
  }
  return { tree, frames, ids, cutNodes: Number(rows.find((row) => row.frame === rootId)?.all_nodes ?? 1) - reached, cutTotal };
}

function left(node: ComparedNode, side: "a" | "b"): Figures {
  const total = node.children.reduce((rest, child) => rest - child[side].total, node[side].total - node[side].self);
  const count = node.children.reduce((rest, child) => rest - child[side].count, node[side].count - node[side].selfCount);
  return { total, self: total, count, selfCount: count };
}

// `scale` turns a value into the answer's unit.
export function comparedColumns({ tree, frames, ids }: ComparedTree, scale: (value: bigint) => number): Pick<FlamegraphComparison, "nodes" | "frames"> {
  const nodes: FlamegraphComparison["nodes"] = { parent: [], frame: [], a: [], b: [], selfA: [], selfB: [], countA: [], countB: [] };
  const shown = new ShownFrames(frames, ids);
  const open = [{ node: tree, parent: -1 }];
  for (let next = open.pop(); next; next = open.pop()) {
    const { node: { frame, a, b, children }, parent } = next;
    const number = nodes.parent.push(parent) - 1;
    nodes.frame.push(shown.rowOf(frame));
    nodes.a.push(scale(a.total));
    nodes.b.push(scale(b.total));
    nodes.selfA.push(scale(a.self));
    nodes.selfB.push(scale(b.self));
    nodes.countA.push(Number(a.count));
    nodes.countB.push(Number(b.count));
    for (let at = children.length - 1; at >= 0; at--) open.push({ node: children[at] as ComparedNode, parent: number });
  }
  return { nodes, frames: shown.columns };
}
