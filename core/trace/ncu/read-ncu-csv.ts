// Nsight Compute's CSV (`ncu --csv`) → metrics of each profiled launch. Two layouts: `--page raw` has a row a launch and a column a metric, units in the second
// row; `--page details` has a row a metric. Lines before the table (==PROF== …, the program's own output) are passed over.
import { err, ok, type Result } from "#core/result.ts";
import type { Refusal } from "../refusal.ts";
import { csvRows } from "./csv-rows.ts";
import { bottleneckOf, type KernelMetrics } from "./kernel-metrics.ts";

type Figure = "memoryPercent" | "computePercent" | "dramPercent" | "durationNs";

// Names in `details` (over the years) and in `raw`.
const figureOf: Record<string, Figure> = {
  "Memory Throughput": "memoryPercent", "Memory [%]": "memoryPercent", "SOL Memory": "memoryPercent", "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed": "memoryPercent",
  "Compute (SM) Throughput": "computePercent", "SM [%]": "computePercent", "SOL SM": "computePercent", "sm__throughput.avg.pct_of_peak_sustained_elapsed": "computePercent",
  "DRAM Throughput": "dramPercent", "SOL DRAM": "dramPercent", "dram__throughput.avg.pct_of_peak_sustained_elapsed": "dramPercent", "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed": "dramPercent",
  Duration: "durationNs", "gpu__time_duration.sum": "durationNs", "gpu__time_duration.avg": "durationNs",
};
const nsOfUnit: Record<string, number> = { ns: 1, nsecond: 1, nanosecond: 1, us: 1e3, usecond: 1e3, microsecond: 1e3, ms: 1e6, msecond: 1e6, millisecond: 1e6, s: 1e9, second: 1e9 };

export function readNcuCsv(text: string): Result<KernelMetrics[], Refusal> {
  const table = text.search(/^"?(ID|Process ID|Kernel Name)"?,/m);
  if (table < 0) return err({ reason: "no table of kernels in it; make one with ncu --import FILE --csv --page raw", at: 0 });
  const rows = [...csvRows(text.slice(table))].filter((row) => row.length > 1);
  const head = rows[0]!;
  const metrics = head.includes("Metric Name") ? detailRows(head, rows.slice(1)) : rawRows(head, rows.slice(1));
  if (metrics.length === 0) return err({ reason: "a table of ncu without kernels: nothing was profiled", at: 0 });
  if (metrics.every(({ memoryPercent, computePercent, durationNs }) => memoryPercent === null && computePercent === null && durationNs === null)) {
    return err({ reason: "a table of ncu without the section Speed Of Light: no memory or compute throughput; record with ncu --section SpeedOfLight or --set basic", at: 0 });
  }
  return ok(metrics);
}

const empty = (name: string, launches = 1): KernelMetrics => ({ name, launches, durationNs: null, memoryPercent: null, computePercent: null, dramPercent: null, bottleneck: null });

function detailRows(head: string[], rows: string[][]): KernelMetrics[] {
  const column = (...names: string[]) => names.map((name) => head.indexOf(name)).find((at) => at >= 0) ?? -1;
  const at = {
    id: column("ID"), kernel: column("Kernel Name"), block: column("Block Size"), grid: column("Grid Size"), name: column("Metric Name"), unit: column("Metric Unit"),
    value: column("Metric Value", "Average"), launches: column("Invocations"),
  };
  const byLaunch = new Map<string, KernelMetrics>();
  for (const row of rows) {
    const name = row[at.kernel];
    if (name === undefined || name === "") continue;
    // A summary by kernel has no ID: then kernel and launch sizes tell rows apart.
    const key = at.id >= 0 ? row[at.id]! : [name, row[at.block], row[at.grid]].join("\0");
    let kernel = byLaunch.get(key);
    if (kernel === undefined) byLaunch.set(key, (kernel = empty(name, Math.max(1, numberOf(row[at.launches]) ?? 1))));
    setFigure(kernel, row[at.name] ?? "", row[at.unit] ?? "", row[at.value]);
  }
  return [...byLaunch.values()].map(judged);
}

function rawRows(head: string[], rows: string[][]): KernelMetrics[] {
  const kernelAt = head.indexOf("Kernel Name");
  const units = rows[0]?.[kernelAt] === "" ? rows[0] : [];
  return rows.slice(units.length > 0 ? 1 : 0).flatMap((row) => {
    const name = row[kernelAt];
    if (name === undefined || name === "") return [];
    const kernel = empty(name);
    for (const [i, metric] of head.entries()) setFigure(kernel, metric, units[i] ?? "", row[i]);
    return [judged(kernel)];
  });
}

// "Memory Throughput" stands twice in the details: in percent, and in bytes per second, which is another figure.
function setFigure(kernel: KernelMetrics, metric: string, unit: string, value: string | undefined): void {
  const figure = Object.hasOwn(figureOf, metric) ? figureOf[metric] : undefined;
  const number = numberOf(value);
  if (figure === undefined || number === null) return;
  if (figure === "durationNs") kernel.durationNs = number * (nsOfUnit[unit.trim()] ?? 1);
  else if (unit === "" || unit.trim() === "%") kernel[figure] = number;
}

function judged(kernel: KernelMetrics): KernelMetrics {
  const { memoryPercent, computePercent } = kernel;
  return memoryPercent === null || computePercent === null ? kernel : { ...kernel, bottleneck: bottleneckOf(memoryPercent, computePercent) };
}

// Thousands are set off by commas ("853,984"); "n/a" and "no data" are none.
function numberOf(text: string | undefined): number | null {
  const plain = (text ?? "").replaceAll(",", "").trim();
  const number = Number(plain);
  return plain === "" || !Number.isFinite(number) ? null : number;
}
