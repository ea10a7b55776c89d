// The copies of a folded run beside each other, layer by module: what every place inside a layer took in each of them. A place that stands in a layer several
// times (128 experts) is one column with their sum.
import type { ExecutionRecord } from "#schema/api/execution-record.ts";
import { copyLabel, type ModuleStatistics } from "./module-statistics.ts";

export type LayerRun = { at: number; label: string; rows: number[] }; // at: index into the nodes; rows: one per layer, in order

// Runs that lie in no other, those that took most first.
export function layerRuns(nodes: readonly ModuleStatistics[]): LayerRun[] {
  return nodes
    .flatMap((node, at) => (node.ownCopies > 1 && node.rows.length === node.ownCopies ? [{ at, label: node.label, rows: node.rows, value: node.value }] : []))
    .sort((a, b) => b.value - a.value)
    .map(({ at, label, rows }) => ({ at, label, rows }));
}

export type LayerColumn = { at: number; label: string; depth: number; copies: number; values: number[] }; // depth: 0 = the layer itself; copies: in one layer; values: by layer, as the record has them

export type LayerGrid = { layers: string[]; columns: LayerColumn[]; layerOf: Int32Array; columnOf: Int32Array }; // by row of the record's modules; -1 = in no layer

export function layerGrid({ modules, texts }: ExecutionRecord, nodes: readonly ModuleStatistics[], { at, rows }: LayerRun): LayerGrid {
  const [layerOf, columnOf] = [new Int32Array(modules.parent.length).fill(-1), new Int32Array(modules.parent.length).fill(-1)];
  for (const [layer, row] of rows.entries()) layerOf[row] = layer;
  for (let row = 0; row < modules.parent.length; row++) if (layerOf[row]! < 0 && modules.parent[row]! >= 0) layerOf[row] = layerOf[modules.parent[row]!]!;
  const top = nodes[at]!;
  const after = nodes.findIndex((other, i) => i > at && other.depth <= top.depth);
  const columns = nodes.slice(at, after < 0 ? undefined : after).map((node, i): LayerColumn => {
    const values = rows.map(() => 0);
    for (const row of node.rows) {
      columnOf[row] = i;
      values[layerOf[row]!]! += modules.value[row]!;
    }
    return { at: at + i, label: i === 0 ? "the whole layer" : node.label, depth: node.depth - top.depth, copies: node.rows.length / rows.length, values };
  });
  const label = copyLabel(rows.map((row) => texts[modules.path[row]!]!));
  return { layers: rows.map((_, copy) => label(copy)), columns, layerOf, columnOf };
}
