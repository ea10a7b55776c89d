// A record → one row per module, as the store keeps them beside it: what follows a module over executions without reading whole records.
import type { ExecutionRecord } from "#schema/api/execution-record.ts";

export type ExecutionNodes = {
  modulePath: string[];
  moduleClass: string[];
  step: number[]; // 0 = all steps together, which is what a record has
  calls: number[];
  kernels: number[];
  value: number[]; // in the profile type's unit, inclusive
  gpuMin: number[]; // ns of one call, as below; 0 = no call has a GPU time
  gpuMedian: number[];
  gpuMax: number[];
  cpuTotal: number[]; // ns on the host; 0 = no call has a time there, as below
  cpuMin: number[];
  cpuMedian: number[];
  cpuMax: number[];
};

export function executionNodes({ modules, texts }: ExecutionRecord): ExecutionNodes {
  const { gpu, cpu, path, calls, kernels, value } = modules;
  return {
    modulePath: path.map((id) => texts[id]!), moduleClass: modules.class.map((id) => texts[id]!), step: path.map(() => 0), calls, kernels, value,
    gpuMin: gpu.min, gpuMedian: gpu.median, gpuMax: gpu.max, cpuTotal: cpu.total, cpuMin: cpu.min, cpuMedian: cpu.median, cpuMax: cpu.max,
  };
}
