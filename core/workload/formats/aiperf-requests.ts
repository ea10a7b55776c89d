// AIPerf's requests (profile_export.jsonl): one a line, with its metrics and their units. Requests of the warm-up are counted and left out, as AIPerf's own figures do.
import { err, ok, type Result } from "#core/result.ts";
import { benchmarkFormats } from "../benchmark-format.ts";
import { isRecord, numberAt, numberOf, recordAt, textAt, type JsonRecord } from "../json-record.ts";
import { requestColumns, type RequestRow } from "../requests.ts";
import { workloadOf, type Workload } from "../workload.ts";
import { microsecondsOfUnit } from "./aiperf.ts";

export function readAiperfRequests(lines: readonly JsonRecord[]): Result<Workload[], string> {
  const isWarmUp = (line: JsonRecord) => textAt(recordAt(line, "metadata"), "benchmark_phase", "credit_phase") === "warmup";
  const measured = lines.filter((line) => !isWarmUp(line) && recordAt(line, "metrics") !== undefined);
  if (measured.length === 0) return err("AIPerf requests, but none that were measured: only warm-up");
  const warmUp = lines.filter(isWarmUp).length;
  const other = lines.length - measured.length - warmUp;
  const notes = warmUp === 0 ? [] : [`Requests of the warm-up, left out: ${warmUp.toLocaleString("en-US")}`];
  if (other > 0) notes.push(`Lines without metrics, left out: ${other.toLocaleString("en-US")}`);
  const rows = measured.map(rowOf);
  const starts = rows.flatMap(({ startUs }) => (startUs === undefined || startUs <= 0 ? [] : [startUs]));
  return ok([workloadOf({
    format: "aiperf-requests", tool: benchmarkFormats["aiperf-requests"], toolVersion: "", label: "", engine: "", modelName: "",
    startedAtS: starts.length === 0 ? undefined : starts.reduce((first, start) => Math.min(first, start)) / 1e6, dateText: "",
    load: {}, stated: {}, requests: requestColumns(rows), notes, definitions: { tpot: true, percentiles: true, deviation: true },
  })]);
}

function rowOf(line: JsonRecord): RequestRow {
  const metadata = recordAt(line, "metadata");
  const metrics = recordAt(line, "metrics");
  const error = line["error"];
  const startNs = numberAt(metadata, "request_start_ns", "timestamp_ns");
  const us = (...names: string[]) => {
    const metric = names.map((name) => recordAt(metrics, name)).find((found) => found !== undefined);
    const factor = microsecondsOfUnit[textAt(metric, "unit").toLowerCase()];
    return { metric, factor };
  };
  const duration = (...names: string[]) => {
    const { metric, factor } = us(...names);
    const value = numberAt(metric, "value");
    return value === undefined || factor === undefined ? undefined : value * factor;
  };
  const chunks = us("inter_chunk_latency");
  const gaps = chunks.metric?.["value"];
  return {
    // Unix nanoseconds exceed 2^53: read to about 0.2 µs, which is below what a client can measure.
    startUs: startNs === undefined ? undefined : startNs / 1e3,
    ttftUs: duration("time_to_first_token", "ttft"), latencyUs: duration("request_latency"),
    inputTokens: numberAt(recordAt(metrics, "input_sequence_length"), "value"), outputTokens: numberAt(recordAt(metrics, "output_sequence_length"), "value"),
    gapsUs: Array.isArray(gaps) && chunks.factor !== undefined ? gaps.map((gap, i) => (numberOf(gap, "inter_chunk_latency.value", i) ?? Number.NaN) * chunks.factor!) : undefined,
    failed: isRecord(error) || (typeof error === "string" && error !== "") || metadata?.["was_cancelled"] === true,
    error: isRecord(error) ? textAt(error, "message", "type") : typeof error === "string" ? error : metadata?.["was_cancelled"] === true ? "cancelled" : "",
  };
}
