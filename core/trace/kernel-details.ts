// What other tools know of an execution's kernels, joined by name: the operators Inductor fused into one, and what Nsight Compute measured. A whole name wins;
// Nsight Compute may leave out template arguments and parameters, then the bare name joins. A kernel measured more than once shows its longest launch.
import type { FusedKernel } from "./inductor/read-output-code.ts";
import type { KernelMetrics } from "./ncu/kernel-metrics.ts";

export type KernelDetails = { fused: readonly FusedKernel[]; metrics: readonly KernelMetrics[] };

export const noKernelDetails: KernelDetails = { fused: [], metrics: [] };

export class KernelJoin {
  private readonly fused: Map<string, string[]>;
  private readonly byName = new Map<string, KernelMetrics>();
  private readonly byBareName = new Map<string, KernelMetrics>();

  constructor({ fused, metrics }: KernelDetails) {
    this.fused = new Map(fused.map(({ kernel, operators }) => [kernel, operators]));
    for (const one of metrics) {
      keepLongest(this.byName, one.name, one);
      keepLongest(this.byBareName, bareName(one.name), one);
    }
  }

  // "" = Inductor's folder does not have it.
  operators(kernel: string): string {
    return (this.fused.get(kernel) ?? []).join(", ");
  }

  metrics(kernel: string): KernelMetrics | undefined {
    return this.byName.get(kernel) ?? this.byBareName.get(bareName(kernel));
  }
}

// "void at::native::reduce_kernel<512, 1, …>(…)" → "at::native::reduce_kernel".
export function bareName(kernel: string): string {
  const name = kernel.replace(/^(void|static|inline) /, "").replaceAll("(anonymous namespace)", "{anonymous}");
  const end = name.search(/[<(]/);
  return (end < 0 ? name : name.slice(0, end)).trim();
}

function keepLongest(map: Map<string, KernelMetrics>, name: string, one: KernelMetrics): void {
  const known = map.get(name);
  if (known === undefined || (one.durationNs ?? 0) > (known.durationNs ?? 0)) map.set(name, one);
}
