// Tree → the columnar answer of schema/api/flamegraph.ts: nodes renumbered 0…n−1 depth-first, only the frames that are shown.
// Invariant: in the answer too, total = self + Σ children's totals, exactly, in whichever unit it states.
import type { Flamegraph, FrameColumns, NodeColumns } from "#schema/api/flamegraph.ts";
import { type ProfileTypeName, profileTypes } from "#schema/frame-kinds.ts";
import type { FoldedRows } from "./rows.ts";
import type { Frame } from "./stacks.ts";
import { type TreeNode, otherFrame, rootFrame } from "./tree.ts";

export type FlamegraphColumns = Pick<Flamegraph, "unit" | "samples" | "total" | "whole" | "withoutLayer" | "truncated" | "nodes" | "frames">;

export function flamegraphColumns(folded: FoldedRows, profileType: ProfileTypeName): FlamegraphColumns {
  const { tree, frames, ids, whole, samples, withoutLayer, cutNodes, cutTotal } = folded;
  const unit = unitOf(whole, profileType);
  const scale: Scale = (value) => (unit === "us" ? Number((value + 500n) / 1000n) : Number(value));
  const columns = columnsOf(tree, frames, ids, unit, scale);
  const total = columns.nodes.total[0] as number;
  return {
    unit,
    samples: Number(samples),
    total,
    whole: Math.max(scale(whole), total),
    withoutLayer: Math.min(scale(withoutLayer), total),
    truncated: { nodes: cutNodes, total: Math.min(scale(cutTotal), total) },
    ...columns,
  };
}

type Scale = (value: bigint) => number;

function columnsOf(tree: TreeNode, frames: readonly Frame[], ids: readonly string[], unit: Flamegraph["unit"], scale: Scale): Pick<Flamegraph, "nodes" | "frames"> {
  const nodes: NodeColumns = { parent: [], frame: [], total: [], self: [], count: [], copies: [] };
  const columns: FrameColumns = { id: [], kind: [], name: [], file: [], line: [], mapping: [], modulePath: [], moduleClass: [], modelKey: [] };
  const noFrame = { file: "", line: 0, mapping: "", modulePath: "", moduleClass: "", modelKey: "" };
  pushFrame(columns, "", { ...noFrame, kind: "root", name: "" });
  pushFrame(columns, "", { ...noFrame, kind: "other", name: "(other)" });
  const frameNumber = new Map<number, number>([[rootFrame, 0], [otherFrame, 1]]);

  const open: { node: TreeNode; parent: number }[] = [{ node: tree, parent: -1 }];
  for (let next = open.pop(); next; next = open.pop()) {
    const { node, parent } = next;
    let frame = frameNumber.get(node.frame);
    if (frame === undefined) {
      frameNumber.set(node.frame, (frame = columns.name.length));
      pushFrame(columns, BigInt(ids[node.frame] as string).toString(16), frames[node.frame] as Frame);
    }
    const number = nodes.parent.push(parent) - 1;
    nodes.frame.push(frame);
    nodes.self.push(scale(node.self));
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
  return { nodes, frames: columns };
}

// A JSON number is exact below 2^53: 104 days of one GPU in ns. A thousand GPUs pass that in three hours.
function unitOf(total: bigint, profileType: ProfileTypeName): Flamegraph["unit"] {
  if (profileTypes[profileType].unit === "count") return "count";
  return total < 2n ** 53n ? "ns" : "us";
}

function pushFrame(columns: FrameColumns, id: string, frame: Omit<Frame, "kind"> & { kind: FrameColumns["kind"][number] }): void {
  columns.id.push(id);
  columns.kind.push(frame.kind);
  columns.name.push(frame.name);
  columns.file.push(frame.file);
  columns.line.push(frame.line);
  columns.mapping.push(frame.mapping);
  columns.modulePath.push(frame.modulePath);
  columns.moduleClass.push(frame.moduleClass);
  columns.modelKey.push(frame.modelKey);
}
