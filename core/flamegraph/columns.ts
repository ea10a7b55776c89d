// Tree → the columnar answer of schema/api/flamegraph.ts: nodes renumbered 0…n−1 depth-first, only the frames that are shown.
// Invariant: in the answer too, total = self + Σ children's totals, exactly, in whichever unit it states.
import type { Flamegraph, NodeColumns } from "#schema/api/flamegraph.ts";
import type { ProfileTypeName } from "#schema/frame-kinds.ts";
import { ShownFrames } from "./frame-columns.ts";
import { type Measure, measureOf } from "./measure.ts";
import type { FoldedRows } from "./rows.ts";
import type { TreeNode } from "./tree.ts";

export type FlamegraphColumns = Pick<Flamegraph, "unit" | "samples" | "total" | "whole" | "withoutLayer" | "truncated" | "nodes" | "frames">;

export function flamegraphColumns(folded: FoldedRows, profileType: ProfileTypeName): FlamegraphColumns {
  const { samples, withoutLayer, cutNodes, cutTotal } = folded;
  const measure = measureOf(folded.whole, profileType);
  const columns = columnsOf(folded, measure);
  const total = columns.nodes.total[0] as number;
  return {
    unit: measure.unit,
    samples: Number(samples),
    total,
    whole: Math.max(measure.total, total),
    withoutLayer: Math.min(measure.of(withoutLayer), total),
    truncated: { nodes: cutNodes, total: Math.min(measure.of(cutTotal), total) },
    ...columns,
  };
}

function columnsOf({ tree, frames, ids }: FoldedRows, { unit, of }: Measure): Pick<Flamegraph, "nodes" | "frames"> {
  const nodes: NodeColumns = { parent: [], frame: [], total: [], self: [], count: [], copies: [] };
  const shown = new ShownFrames(frames, ids);
  const open: { node: TreeNode; parent: number }[] = [{ node: tree, parent: -1 }];
  for (let next = open.pop(); next; next = open.pop()) {
    const { node, parent } = next;
    const number = nodes.parent.push(parent) - 1;
    nodes.frame.push(shown.rowOf(node.frame));
    nodes.self.push(of(node.self));
    nodes.total.push(unit === "us" ? 0 : Number(node.total));
    nodes.count.push(Number(node.count));
    nodes.copies.push(node.copies ?? 1);
    for (let at = node.children.length - 1; at >= 0; at--) open.push({ node: node.children[at] as TreeNode, parent: number });
  }
  // Rounding every total by itself would break the sums by a microsecond here and there; rounding the selfs and adding them up keeps them.
  if (unit === "us") {
    for (let node = nodes.parent.length - 1; node >= 0; node--) {
      nodes.total[node] = (nodes.total[node] as number) + (nodes.self[node] as number);
      const parent = nodes.parent[node] as number;
      if (parent >= 0) nodes.total[parent] = (nodes.total[parent] as number) + (nodes.total[node] as number);
    }
  }
  return { nodes, frames: shown.columns };
}
