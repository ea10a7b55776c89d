// What Nsight Compute measured of a kernel, in percent of the peak; nothing where it was not measured.
import { printable } from "#core/printable.ts";
import type { ExecutionRecord } from "#schema/api/execution-record.ts";
import style from "./kernel-chain.module.css";

export function KernelMetrics({ metrics }: { readonly metrics: ExecutionRecord["kernelMetrics"][number] | undefined }) {
  if (metrics === undefined) return null;
  const parts = ([["memory", metrics.memoryPercent], ["compute", metrics.computePercent], ["DRAM", metrics.dramPercent]] as const).flatMap(([what, percent]) => (percent === null ? [] : [`${what} ${percent.toFixed(1)} %`]));
  return (
    <span className={style.detail} data-testid="kernel-metrics">
      <i>Nsight Compute</i>{" "}
      <span title={metrics.bottleneck === null ? undefined : printable(metrics.bottleneck.reason)}>
        {parts.join(", ") || "measured"}
        {metrics.bottleneck !== null && <b> · {metrics.bottleneck.kind}</b>}
      </span>
    </span>
  );
}
