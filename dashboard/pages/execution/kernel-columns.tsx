// The columns of the kernels' table.
import { printable } from "#core/printable.ts";
import { dtypeNames, type KernelSum } from "#core/trace/kernel-sums.ts";
import type { ExecutionRecord } from "#schema/api/execution-record.ts";
import { profileTypes } from "#schema/frame-kinds.ts";
import { formatCount, formatShare, formatValue } from "../../parts/number-format.ts";
import { Quantity } from "../../parts/quantity.tsx";
import type { TableColumn } from "../../parts/table-column.ts";

export function kernelColumns({ kernels, texts, totals, profileType, kernelMetrics }: ExecutionRecord, sums: readonly KernelSum[]): TableColumn[] {
  const { unit } = profileTypes[profileType];
  const text = (name: string, label: string, width: number, of: (row: number) => string, title?: string): TableColumn => ({
    name, label, width, ...(title === undefined ? {} : { title }), numeric: false, firstDescending: false, value: (at) => of(sums[at]!.row) || null,
    show: (at) => { const shown = printable(of(sums[at]!.row)); return shown === "" ? "—" : <span title={shown}>{shown}</span>; },
  });
  const column = (name: "op" | "category" | "grid" | "block" | "dims" | "fused") => (row: number) => texts[kernels[name][row]!]!.replaceAll(/\s+/g, name === "op" || name === "fused" || name === "category" ? " " : "");
  const metric = (name: string, label: string, of: "memoryPercent" | "computePercent"): TableColumn => {
    const value = (at: number) => kernelMetrics[kernels.metrics[sums[at]!.row]!]?.[of] ?? null;
    return { name, label, unit: "%", title: "Of the peak, measured by Nsight Compute", width: 88, numeric: true, firstDescending: true, value, show: (at) => value(at)?.toFixed(1) ?? "—" };
  };
  const fused = kernels.fused.some((id) => texts[id] !== "");
  return [
    text("kernel", "Kernel", 330, (row) => texts[kernels.kernel[row]!]!.replace(/^void /, "")),
    text("category", "Kind", 92, column("category"), "By its name; docs/kernel-categories.md"),
    { name: "time", label: "Time", title: "Of all its launches", width: 90, numeric: true, firstDescending: true, csvName: unit === "ns" ? "time_ns" : "value", value: (at) => sums[at]!.value, show: (at) => <Quantity value={formatValue(sums[at]!.value, unit)} />, bar: { colour: "var(--border-strong)", share: (at) => (totals.value === 0 ? 0 : sums[at]!.value / totals.value) } },
    { name: "share", label: "of all", width: 68, numeric: true, firstDescending: true, csvName: "share", value: (at) => (totals.value === 0 ? 0 : sums[at]!.value / totals.value), show: (at) => formatShare(totals.value === 0 ? 0 : sums[at]!.value / totals.value) },
    { name: "launches", label: "Launches", width: 82, numeric: true, firstDescending: true, value: (at) => sums[at]!.count, show: (at) => <Quantity value={formatCount(sums[at]!.count)} /> },
    { name: "each", label: "each", title: "Mean time of a launch", width: 84, numeric: true, firstDescending: true, csvName: "each_ns", value: (at) => sums[at]!.value / sums[at]!.count, show: (at) => formatValue(Math.round(sums[at]!.value / sums[at]!.count), "ns").text },
    text("op", "Operator", 190, column("op"), "The outermost operator below the module"),
    ...(fused ? [text("fused", "Fuses", 200, column("fused"), "Operators that Inductor fused into it")] : []),
    text("grid", "Grid", 100, column("grid")), text("block", "Block", 90, column("block")),
    text("inputs", "Inputs", 190, column("dims"), "Sizes of the operator's inputs"), text("types", "Types", 90, (row) => dtypeNames(texts[kernels.dtypes[row]!]!).join(", ")),
    { name: "modules", label: "Modules", title: "In how many modules it ran", width: 78, numeric: true, firstDescending: true, value: (at) => inModules(sums[at]!), show: (at) => formatCount(inModules(sums[at]!)).text },
    ...(kernelMetrics.length > 0 ? [metric("memory", "Memory", "memoryPercent"), metric("compute", "Compute", "computePercent"), text("bound", "Bound by", 110, (row) => kernelMetrics[kernels.metrics[row]!]?.bottleneck?.kind ?? "")] : []),
  ];
}

function inModules({ byModule }: KernelSum): number {
  return [...byModule.keys()].filter((module) => module >= 0).length;
}
