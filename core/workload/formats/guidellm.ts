// GuideLLM reports (versions 1 and 2): several benchmarks in one file, each a run at one rate, with distributions per status of the request. Its "inter-token latency" is
// an average per request, the nearest to our TPOT (it ends with the last token, and its distribution counts each request once a token); its "time per output token"
// includes the first token and is not shown. Its percentiles are values that occurred, not interpolated. Distributions of nothing are written as zeros.
import { err, ok, type Result } from "#core/result.ts";
import { benchmarkFormats } from "../benchmark-format.ts";
import { engineOf } from "../engine.ts";
import { isRecord, listAt, numberAt, recordAt, textAt, type JsonRecord } from "../json-record.ts";
import { requestColumns, type RequestRow } from "../requests.ts";
import type { Statistics } from "../statistics.ts";
import { workloadOf, type Workload } from "../workload.ts";

const percentileNames: [key: string, name: string][] = [["p50", "p50"], ["p75", "p75"], ["p90", "p90"], ["p95", "p95"], ["p99", "p99"], ["p999", "p99.9"]];

export function readGuidellm(report: JsonRecord): Result<Workload[], string> {
  const benchmarks = (listAt(report, "benchmarks") ?? []).filter(isRecord);
  if (benchmarks.length === 0) return err("a GuideLLM report without a benchmark in it: the run ended before its first one");
  return ok(benchmarks.map((benchmark) => readRun(report, benchmark)));
}

function readRun(report: JsonRecord, benchmark: JsonRecord): Workload {
  const metrics = recordAt(benchmark, "metrics");
  const totals = recordAt(metrics, "request_totals") ?? recordAt(benchmark, "request_totals") ?? recordAt(benchmark, "run_stats", "requests_made");
  const config = recordAt(benchmark, "config") ?? recordAt(benchmark, "scheduler") ?? recordAt(benchmark, "args");
  const strategy = recordAt(config, "strategy");
  const backend = recordAt(config, "backend") ?? recordAt(report, "config", "spec", "backend") ?? recordAt(benchmark, "benchmarker", "backend") ?? recordAt(benchmark, "worker");
  const successful = (name: string) => recordAt(metrics, name, "successful");
  const incomplete = numberAt(totals, "incomplete") ?? 0;
  const notes = incomplete > 0 ? [`Requests that had not ended when the run did, in no figure: ${incomplete.toLocaleString("en-US")}`] : [];
  if (distribution(successful("time_per_output_token_ms"), 1e3) !== undefined) notes.push("GuideLLM's time per output token includes the first token; shown as TPOT is its inter-token latency, which does not");
  return workloadOf({
    format: "guidellm", tool: benchmarkFormats.guidellm, toolVersion: textAt(recordAt(report, "metadata"), "guidellm_version"), label: "",
    engine: engineOf(textAt(backend, "kind", "type_", "type", "backend_type")), modelName: textAt(backend, "model", "backend_model") || textAt(recordAt(report, "args"), "model"),
    startedAtS: numberAt(benchmark, "start_time"), dateText: "",
    load: { strategy: textAt(strategy, "type_"), requestsPerS: numberAt(strategy, "rate"), maxConcurrency: numberAt(strategy, "streams"), requests: numberAt(totals, "total") },
    stated: {
      durationS: numberAt(benchmark, "duration"), completed: numberAt(totals, "successful"), failed: numberAt(totals, "errored"),
      inputTokens: sumOf(successful("prompt_token_count")), outputTokens: sumOf(successful("output_token_count")), requestsPerS: meanOf(successful("requests_per_second")),
      inputTokensPerS: meanOf(successful("prompt_tokens_per_second")), outputTokensPerS: meanOf(successful("output_tokens_per_second")), totalTokensPerS: meanOf(successful("tokens_per_second")),
      meanConcurrency: meanOf(successful("request_concurrency")),
      ttftUs: distribution(successful("time_to_first_token_ms"), 1e3), tpotUs: distribution(successful("inter_token_latency_ms"), 1e3), latencyUs: distribution(successful("request_latency"), 1e6),
    },
    requests: requestsOf(recordAt(benchmark, "requests")), notes, definitions: { tpot: false, percentiles: false, deviation: true },
  });
}

const isEmpty = (distribution: JsonRecord | undefined) => distribution === undefined || numberAt(distribution, "count") === 0;

const meanOf = (distribution: JsonRecord | undefined) => (isEmpty(distribution) ? undefined : numberAt(distribution, "mean"));

const sumOf = (distribution: JsonRecord | undefined) => (isEmpty(distribution) ? undefined : numberAt(distribution, "total_sum"));

function distribution(written: JsonRecord | undefined, toUs: number): Statistics | undefined {
  if (isEmpty(written)) return undefined;
  const us = (record: JsonRecord | undefined, key: string) => {
    const value = numberAt(record, key);
    return value === undefined ? undefined : value * toUs;
  };
  const stated = recordAt(written, "percentiles");
  const percentiles = percentileNames.flatMap(([key, name]): [string, number][] => (us(stated, key) === undefined ? [] : [[name, us(stated, key)!]]));
  const [mean, std, min, max] = ["mean", "std_dev", "min", "max"].map((key) => us(written, key));
  return { n: numberAt(written, "count"), mean, std, min, max, percentiles: Object.fromEntries(percentiles) };
}

// Undefined when the report was saved without requests. Incomplete ones have no outcome and stay out, as in GuideLLM's figures.
function requestsOf(requests: JsonRecord | undefined) {
  const rowsOf = (status: "successful" | "errored") => (listAt(requests, status) ?? []).filter(isRecord).map((request) => rowOf(request, status === "errored"));
  const rows = [...rowsOf("successful"), ...rowsOf("errored")];
  return rows.length === 0 ? undefined : requestColumns(rows);
}

function rowOf(request: JsonRecord, failed: boolean): RequestRow {
  const info = recordAt(request, "info") ?? recordAt(request, "scheduler_info");
  const timings = recordAt(info, "timings") ?? recordAt(info, "request_timings");
  const [start, first, end] = [
    numberAt(request, "request_start_time", "start_time") ?? numberAt(timings, "request_start"),
    numberAt(timings, "first_token_iteration", "first_iteration") ?? numberAt(request, "first_token_time"),
    numberAt(request, "request_end_time", "end_time") ?? numberAt(timings, "request_end"),
  ];
  const [latencyS, ttftMs] = [numberAt(request, "request_latency"), numberAt(request, "time_to_first_token_ms")];
  const between = (from: number | undefined, to: number | undefined) => (from === undefined || to === undefined ? undefined : (to - from) * 1e6);
  return {
    startUs: start === undefined ? undefined : start * 1e6,
    ttftUs: ttftMs === undefined ? between(start, first) : ttftMs * 1e3, latencyUs: latencyS === undefined ? between(start, end) : latencyS * 1e6,
    inputTokens: numberAt(request, "prompt_tokens") ?? numberAt(recordAt(request, "input_metrics"), "text_tokens"),
    outputTokens: numberAt(request, "output_tokens") ?? numberAt(recordAt(request, "output_metrics"), "text_tokens"),
    failed, error: failed ? textAt(info, "error") || textAt(request, "error") : "",
  };
}
