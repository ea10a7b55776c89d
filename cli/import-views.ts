// What `lamella import` says of a file it has read: the import report for people, its figures with --json. Names come from the file, so nothing is printed raw.
import { basename } from "node:path";
import { printable } from "#core/printable.ts";
import { quantityText } from "#core/quantity.ts";
import type { Execution } from "#core/trace/execution.ts";
import { missingParts } from "#core/trace/missing-parts.ts";
import type { KernelMetrics } from "#core/trace/ncu/kernel-metrics.ts";
import { headline, milliseconds, reportLines } from "#core/trace/report.ts";
import type { ExecutionSummary } from "#schema/api/executions.ts";
import { profileTypes } from "#schema/frame-kinds.ts";
import type { Imported } from "./import.ts";
import { table } from "./output.ts";

export function importText(file: string, imported: Imported): string {
  const id = imported.executionId.slice(0, 12);
  const shown = printable(basename(file));
  if (imported.known) return `${shown}: already imported as ${id} on ${imported.known.importedAt} (${printable(imported.known.name)}). Use --again to store it once more.\n${summaryText(imported.known)}`;
  return [`${shown}: imported as ${id}`, ...executionLines(imported.execution), `  See it: lamella flamegraph --execution ${id}`].join("\n");
}

// Of a file that was only read (--no-upload).
export function reportText(file: string, execution: Execution): string {
  return [`${printable(basename(file))}: read, not uploaded`, ...executionLines(execution)].join("\n");
}

export function kernelsText(file: string, kernels: readonly KernelMetrics[]): string {
  const percent = (value: number | null) => (value === null ? "" : `${value.toFixed(1)} %`);
  const rows = kernels.map(({ name, launches, durationNs, memoryPercent, computePercent, bottleneck }) => [
    printable(name), String(launches), durationNs === null ? "" : milliseconds(durationNs), percent(memoryPercent), percent(computePercent), bottleneck === null ? "unknown: a figure is missing" : `${bottleneck.kind} (${bottleneck.reason})`,
  ]);
  return `${printable(basename(file))}: Nsight Compute, read, not uploaded\n${table(["kernel", "launches", "time", "memory", "compute", "bottleneck"], rows, [1, 2, 3, 4])}`;
}

export function importJson(imported: Imported): object {
  if (imported.known) return { executionId: imported.executionId, alreadyImported: true, ...imported.known };
  return { executionId: imported.executionId, alreadyImported: false, ...reportJson(imported.execution), parts: imported.parts };
}

export function reportJson(execution: Execution): object {
  const { profileType, device, pathSource, totals, gaps, notes, events } = execution;
  return { profileType, unit: profileTypes[profileType].unit, device, pathSource, totals, gaps, missing: missingParts(execution), notes, events };
}

function executionLines(execution: Execution): string[] {
  const [where, , ...rest] = reportLines(execution);
  return [`  ${printable(headline(execution))}`, ...[where!, ...rest].map((line) => `  ${line}`)];
}

function summaryText(one: ExecutionSummary): string {
  const { unit, label } = profileTypes[one.profileType];
  if (unit === "count") return `  ${quantityText(one.totalValue, unit)} ${label.toLowerCase()}`;
  if (one.profileType !== "cuda" && one.profileType !== "cpu_op") return `  ${milliseconds(one.totalValue)} ${label}`;
  const share = one.totalValue === 0 ? 0 : (100 * one.moduleValue) / one.totalValue;
  const gaps = one.gaps.map((gap) => ` · ${gap.kernels.toLocaleString("en-US")} (${milliseconds(gap.value)}) ${printable(gap.reason)}`).join("");
  return `  ${one.kernels.toLocaleString("en-US")} ${one.profileType === "cuda" ? "kernels" : "operator calls"} · ${milliseconds(one.totalValue)} ${label} · ${milliseconds(one.moduleValue)} (${share.toFixed(1)} %) inside modules${gaps}`;
}
