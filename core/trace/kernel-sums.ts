// The kernels of a record that were launched alike, in all modules asked for, as one: same operator, kernel, grid, block and inputs. The longest first.
import type { ExecutionRecord } from "#schema/api/execution-record.ts";

export type KernelSum = { row: number; count: number; value: number; byModule: Map<number, number> }; // row: the first of record.kernels with these texts

const alike = ["op", "kernel", "fused", "metrics", "grid", "block", "dims", "dtypes"] as const;

// `within`: rows of modules to take kernels of; all and those outside any where it is not given. `op`: of this operator only.
export function kernelSums({ kernels }: ExecutionRecord, within?: ReadonlySet<number>, op?: number): KernelSum[] {
  const sums = new Map<string, KernelSum>();
  for (const [row, module] of kernels.module.entries()) {
    if ((within !== undefined && !within.has(module)) || (op !== undefined && kernels.op[row] !== op)) continue;
    const key = alike.map((column) => kernels[column][row]).join();
    const sum = sums.get(key) ?? { row, count: 0, value: 0, byModule: new Map<number, number>() };
    sum.count += kernels.count[row]!;
    sum.value += kernels.value[row]!;
    sum.byModule.set(module, (sum.byModule.get(module) ?? 0) + kernels.value[row]!);
    sums.set(key, sum);
  }
  return [...sums.values()].sort((a, b) => b.value - a.value);
}

// "[["float", "c10::BFloat16", "Scalar"]]" → "float", "BFloat16": the distinct types of tensors, as people name them.
export function dtypeNames(dtypes: string): string[] {
  return [...new Set(dtypes.match(/[A-Za-z_][\w:]*/g) ?? [])].map((type) => type.replace("c10::", "")).filter((type) => !/^Scalar|List$/.test(type));
}
