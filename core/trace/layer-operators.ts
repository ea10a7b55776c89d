// The operators of a run's layers beside each other: every operator of every place inside a layer, with its GPU and host time in each layer.
import type { ExecutionRecord } from "#schema/api/execution-record.ts";
import type { LayerGrid } from "./layer-grid.ts";

export type LayerOperator = {
  column: number; // of the grid: the module it is called in
  op: number; // a text; of kernels without an operator the empty one
  value: number[]; // by layer: time of the kernels it launched; all 0 in a profile without a GPU
  kernels: number[];
  cpuNs: number[];
  calls: number[];
};

// Those that took longest first: on the GPU, and what launched nothing after it, on the host.
export function layerOperators({ operations, kernels }: ExecutionRecord, { layers, layerOf, columnOf }: LayerGrid): LayerOperator[] {
  const found = new Map<string, LayerOperator>();
  const place = (module: number, op: number): { layer: number; one: LayerOperator } | undefined => {
    if (module < 0 || layerOf[module]! < 0) return undefined;
    const key = `${columnOf[module]}.${op}`;
    const zeros = () => layers.map(() => 0);
    const one = found.get(key) ?? { column: columnOf[module]!, op, value: zeros(), kernels: zeros(), cpuNs: zeros(), calls: zeros() };
    found.set(key, one);
    return { layer: layerOf[module]!, one };
  };
  for (const [row, module] of operations.module.entries()) {
    const at = place(module, operations.op[row]!);
    if (at === undefined) continue;
    at.one.cpuNs[at.layer]! += operations.cpuNs[row]!;
    at.one.calls[at.layer]! += operations.calls[row]!;
  }
  for (const [row, module] of kernels.module.entries()) {
    const at = place(module, kernels.op[row]!);
    if (at === undefined) continue;
    at.one.value[at.layer]! += kernels.value[row]!;
    at.one.kernels[at.layer]! += kernels.count[row]!;
  }
  return [...found.values()].sort((a, b) => sum(b.value) - sum(a.value) || sum(b.cpuNs) - sum(a.cpuNs));
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
