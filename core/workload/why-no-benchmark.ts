// Why JSON holds no benchmark run, in the words of a person who knows the file.
import { benchmarkFormats } from "./benchmark-format.ts";
import { isRecord, type JsonRecord } from "./json-record.ts";

const known = [...new Set(Object.values(benchmarkFormats))].join(", ");

const kinds: { is: (record: JsonRecord) => boolean; reason: string }[] = [
  { is: (record) => "traceEvents" in record, reason: "a profiler trace (traceEvents), not a benchmark result" },
  { is: (record) => "num_hidden_layers" in record || "architectures" in record, reason: "a model configuration, which holds no benchmark run" },
  {
    is: (record) => "metric" in record && "benchmark" in record,
    reason: "PyTorch benchmark records (.pytorch.json), single figures without their run: take the result file they were made of",
  },
  { is: (record) => "elapsed_time" in record && "tokens_per_second" in record, reason: "an offline throughput benchmark: it served no requests, so there are no latencies" },
  { is: (record) => "avg_latency" in record && "percentiles" in record, reason: "an offline latency benchmark of one fixed batch: it served no requests" },
  { is: isTable, reason: "a comparison table, which holds no benchmark run: take the result files it was made of" },
];

export function whyNoBenchmark(value: unknown): string {
  const first = Array.isArray(value) ? value.find(isRecord) : value;
  if (Array.isArray(value) && value.length === 0) return "an empty list: no run in it";
  if (!isRecord(first)) return `JSON, but no benchmark result: it holds no object with figures. Known are the files of ${known}`;
  const kind = kinds.find(({ is }) => is(first));
  if (kind !== undefined) return kind.reason;
  const keys = Object.keys(first);
  const shown = `${keys.slice(0, 6).map((key) => `"${key.slice(0, 40)}"`).join(", ")}${keys.length > 6 ? " …" : ""}`;
  return `JSON, but no benchmark result that is known here (${keys.length === 0 ? "it has no keys" : `its keys are ${shown}`}). Known are the files of ${known}`;
}

// Columns by row number ("0", "1", …), as pandas writes tables; alone or several under their names.
function isTable(record: JsonRecord): boolean {
  const isColumn = (column: unknown) => isRecord(column) && Object.keys(column).length > 0 && Object.keys(column).every((key, i) => key === String(i));
  const isAll = (value: unknown) => isRecord(value) && Object.keys(value).length > 1 && Object.values(value).every(isColumn);
  return isAll(record) || (Object.keys(record).length > 0 && Object.values(record).every(isAll));
}
