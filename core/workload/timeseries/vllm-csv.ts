// vLLM's metrics scraped into a CSV: column names are the metric names without their prefix, the first column is the time.
import { oursOf } from "../prometheus/engine-names.ts";
import { LineNotes } from "../prometheus/line-notes.ts";
import type { EngineSample, MetricsFile, Reading } from "../prometheus/reading.ts";
import { storedName } from "../prometheus/stored-name.ts";
import { csvRows, timeOf, timesOf } from "./csv-rows.ts";

export function vllmCsv(text: string): MetricsFile {
  const notes = new LineNotes();
  const { head, rows } = csvRows(text, notes);
  const columns = head.slice(1).map((column) => metricOf(column.replace(/^vllm:/, "")));
  const readings: Reading[] = [];
  for (const { line, cells } of rows) {
    const atS = timeOf(cells[0]!);
    if (atS === null) {
      notes.add("Rows without a time, skipped", line);
      continue;
    }
    const samples: EngineSample[] = [];
    for (const [i, { metric, cumulative, unit }] of columns.entries()) {
      const value = cells[i + 1] === "" ? Number.NaN : Number(cells[i + 1]);
      if (!Number.isFinite(value)) notes.add("Cells that are no finite number, skipped", line);
      else if (unit === "ratio" && value === -1) notes.add("Shares of -1 (the engine's word for: not measured), not stored", line);
      else samples.push({ metric, cumulative, engine: "vllm", modelName: "", labels: "", value });
    }
    readings.push({ atS, samples });
  }
  const ownNames = columns.map(({ metric }) => metric).filter((metric) => !storedName(metric).isKnown);
  return { readings: readings.sort((a, b) => a.atS! - b.atS!), times: timesOf(rows[0]?.cells[0]), ownNames, notes: notes.texts() };
}

function metricOf(column: string): { metric: string; cumulative: boolean; unit: string } {
  const name = oursOf("vllm", `vllm:${column}`, [])?.metric ?? `vllm:${column}`;
  const { meaning } = storedName(name);
  return { metric: name, cumulative: meaning.kind === "counter", unit: meaning.unit };
}
