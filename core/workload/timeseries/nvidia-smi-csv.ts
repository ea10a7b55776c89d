// nvidia-smi --format=csv over time → gauges of each GPU, in base units. The unit stands in the cell ("59648 MiB") or, with nounits, in the head ("memory.used [MiB]").
import type { EngineMetric } from "#schema/engine-metrics.ts";
import { type Label, labelText } from "../prometheus/label-text.ts";
import { LineNotes } from "../prometheus/line-notes.ts";
import type { EngineSample, MetricsFile, Reading } from "../prometheus/reading.ts";
import { storedName } from "../prometheus/stored-name.ts";
import { csvRows, timeOf, timesOf } from "./csv-rows.ts";

const ours: Readonly<Record<string, EngineMetric>> = {
  "utilization.gpu": "gpu_utilization_ratio", "utilization.memory": "gpu_memory_activity_ratio", "memory.total": "gpu_memory_total_bytes", "memory.reserved": "gpu_memory_reserved_bytes",
  "memory.used": "gpu_memory_used_bytes", "memory.free": "gpu_memory_free_bytes", "power.draw": "gpu_power_watts", "temperature.gpu": "gpu_temperature_celsius", "clocks.sm": "gpu_sm_clock_hertz",
  "clocks.current.sm": "gpu_sm_clock_hertz",
};

const identities: Readonly<Record<string, string>> = { uuid: "gpu_uuid", gpu_uuid: "gpu_uuid", index: "gpu", name: "gpu_name", gpu_name: "gpu_name" };
const perUnit: Readonly<Record<string, number>> = { "": 1, MiB: 2 ** -20, "%": 100, W: 1, MHz: 1e-6, C: 1 }; // divided by: 41 / 100 is 0.41, 41 × 0.01 is not

export function nvidiaSmiCsv(text: string): MetricsFile {
  const notes = new LineNotes();
  const { head, rows } = csvRows(text, notes);
  const columns = head.map((column) => ({ name: column.replace(/\s*\[.*\]$/, ""), unit: /\[(.*)\]$/.exec(column)?.[1] ?? "" }));
  const byTime = new Map<number, EngineSample[]>();
  for (const { line, cells } of rows) {
    const atS = timeOf(cells[0]!);
    if (atS === null) {
      notes.add("Rows without a time, skipped", line);
      continue;
    }
    const labels = labelText(columns.flatMap(({ name }, i): Label[] => (identities[name] === undefined ? [] : [[identities[name], cells[i]!]])));
    const samples = byTime.get(atS) ?? [];
    byTime.set(atS, samples);
    for (const [i, { name, unit }] of columns.entries()) {
      if (i === 0 || identities[name] !== undefined) continue;
      const value = valueOf(cells[i]!, unit);
      if (value === null) notes.add("Cells that are no number with a known unit (such as [N/A]), skipped", line);
      else samples.push({ metric: ours[name] ?? `nvidia-smi:${name}`, cumulative: false, engine: "nvidia-smi", modelName: "", labels, value });
    }
  }
  const readings: Reading[] = [...byTime].map(([atS, samples]) => ({ atS, samples })).sort((a, b) => a.atS! - b.atS!);
  const ownNames = [...new Set(readings.flatMap(({ samples }) => samples.map(({ metric }) => metric)))].filter((metric) => !storedName(metric).isKnown);
  return { readings, times: timesOf(rows[0]?.cells[0]), ownNames, notes: notes.texts() };
}

// "Active" and "Not Active" are 1 and 0.
function valueOf(cell: string, headUnit: string): number | null {
  if (cell === "Active" || cell === "Not Active") return cell === "Active" ? 1 : 0;
  const [, digits, unit] = /^(-?\d+(?:\.\d+)?)(?: (\S+))?$/.exec(cell) ?? [];
  const per = perUnit[unit ?? headUnit];
  return digits === undefined || per === undefined ? null : Number(digits) / per;
}
