// The columns of the profiler's tree where one execution is shown: time first, then its share, its calls, and what one call takes.
import { profileTypes } from "#schema/frame-kinds.ts";
import type { ExecutionRecord } from "#schema/api/execution-record.ts";
import type { ModuleStatistics } from "#core/trace/module-statistics.ts";
import { formatCount, formatShare, formatValue } from "../../parts/number-format.ts";
import { Quantity } from "../../parts/quantity.tsx";
import { ShareBar } from "./share-bar.tsx";
import type { TreeColumn } from "./tree-column.ts";

// `ofParent`: by node, its share of what holds it; of a root, of the whole.
export function moduleColumns({ profileType, totals }: ExecutionRecord, ofParent: readonly number[]): TreeColumn<ModuleStatistics>[] {
  const { unit, label } = profileTypes[profileType];
  const onGpu = profileType === "cuda";
  const where = onGpu ? "GPU time" : "time on the host";
  const ns = (name: string, heading: string, title: string, value: (node: ModuleStatistics) => number | null): TreeColumn<ModuleStatistics> => ({
    name, label: heading, title, width: 96, csvName: `${name}_ns`,
    value, show: (node) => { const one = value(node); return one === null ? "—" : <Quantity value={formatValue(one, "ns")} />; },
  });
  const perCall = (name: "min" | "median" | "max", title: string) => ns(`${name}_call`, name, title, (node) => (node.calls === 0 || node[name] === 0 ? null : node[name]));
  return [
    { name: "value", label, title: `${label} of all its calls and copies, with what it calls`, width: label.length > 12 ? 146 : 100, csvName: unit === "ns" ? "value_ns" : "value", value: ({ value }) => value, show: ({ value }) => <Quantity value={formatValue(value, unit)} /> },
    { name: "of-parent", label: "of its parent", title: "Share of the time of the module it is called in", width: 150, csvName: "share_of_parent", value: (_, at) => ofParent[at]!, show: (_, at) => <ShareBar share={ofParent[at]!} /> },
    { name: "share", label: "of all", title: `Share of all ${label} of the execution`, width: 72, csvName: "share_of_all", value: ({ value }) => (totals.value === 0 ? 0 : value / totals.value), show: ({ value }) => formatShare(totals.value === 0 ? 0 : value / totals.value) },
    { name: "calls", label: "calls", title: "Calls of all copies", width: 72, value: ({ calls }) => calls, show: ({ calls }) => <Quantity value={formatCount(calls)} /> },
    perCall("min", `The shortest call: ${where}`), perCall("median", `${where} of one call: the median of the copies' medians`), perCall("max", `The longest call: ${where}`),
    ...(onGpu ? [ns("cpu", "CPU time", "On the host, of all calls; — where no call on the host is known, as of a replayed graph", ({ cpuTotal }) => (cpuTotal === 0 ? null : cpuTotal))] : []),
    ...(onGpu ? [{ name: "kernels", label: "kernels", title: "Kernels launched in it and what it calls", width: 76, value: ({ kernels }: ModuleStatistics) => kernels, show: ({ kernels }: ModuleStatistics) => <Quantity value={formatCount(kernels)} /> }] : []),
  ];
}
