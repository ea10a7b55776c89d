// The flat result of `vllm bench serve` and what grew out of it: SGLang bench_serving and InferenceX. One object a run; keys drift from version to version and forks add
// their own, so figures are found by the pattern of their names. Times are in ms where the name ends in _ms, else in seconds. With details (--save-detailed,
// --output-details) the requests stand in lists beside one another.
import type { WorkloadMetric } from "#schema/workload-metrics.ts";
import { ok, type Result } from "#core/result.ts";
import { benchmarkFormats, type BenchmarkFormat } from "../benchmark-format.ts";
import { engineOf } from "../engine.ts";
import type { Figures } from "../figures.ts";
import { listAt, numberAt, numberOf, textAt, type JsonRecord } from "../json-record.ts";
import { requestColumns, type RequestRow, type Requests } from "../requests.ts";
import type { Statistics } from "../statistics.ts";
import { workloadOf, type Workload } from "../workload.ts";

const metrics: Record<string, WorkloadMetric> = { ttft: "ttftUs", tpot: "tpotUs", itl: "itlUs", e2el: "latencyUs", e2e_latency: "latencyUs", client_queue_time: "clientQueueUs" };
const figureKey = /^(mean|median|std|min|max|p\d+(?:\.\d+)?)_(ttft|tpot|itl|e2el|e2e_latency|client_queue_time)(_ms)?$/;

export function readServingResult(format: BenchmarkFormat, result: JsonRecord): Result<Workload[], string> {
  const asked = numberAt(result, "num_prompts");
  const completed = numberAt(result, "completed");
  const statedFailed = numberAt(result, "failed");
  const failed = statedFailed ?? (asked === undefined || completed === undefined || asked < completed ? undefined : asked - completed);
  const notes: string[] = [];
  if (statedFailed === undefined && failed !== undefined && failed > 0) notes.push("The file does not count failures: requests asked for but not completed are taken as failed");
  const dateText = dateOf(textAt(result, "date"));
  if (dateText !== "") notes.push(`The file's date (${dateText}) is the end of the run by a clock without a time zone, so it is not taken for the start`);
  const details = requestsOf(result);
  const rate = result["request_rate"];
  notes.push(...(details?.notes ?? []));
  return ok([workloadOf({
    format, tool: benchmarkFormats[format], toolVersion: "", label: textAt(result, "label", "tag"), startedAtS: undefined, dateText,
    engine: engineOf(textAt(result, "framework", "backend", "endpoint_type")), modelName: textAt(result, "model_id", "model", "model_name"),
    load: {
      requestsPerS: rate === "inf" || rate === Number.POSITIVE_INFINITY ? Number.POSITIVE_INFINITY : numberOf(rate, "request_rate"), maxConcurrency: numberAt(result, "max_concurrency", "conc"),
      requests: asked, inputTokens: numberAt(result, "random_input_len", "isl"), outputTokens: numberAt(result, "random_output_len", "osl"),
    },
    stated: { ...totalsOf(result, completed, failed), ...metricsOf(result) }, requests: details?.requests, notes, definitions: { tpot: true, percentiles: true, deviation: true },
  })]);
}

function totalsOf(result: JsonRecord, completed: number | undefined, failed: number | undefined): Figures {
  return {
    durationS: numberAt(result, "duration"), completed, failed, inputTokens: numberAt(result, "total_input_tokens"), outputTokens: numberAt(result, "total_output_tokens"),
    requestsPerS: numberAt(result, "request_throughput"), goodRequestsPerS: numberAt(result, "request_goodput", "request_goodput:"), // the colon is in real files
    inputTokensPerS: numberAt(result, "input_throughput"), outputTokensPerS: numberAt(result, "output_throughput"),
    totalTokensPerS: numberAt(result, "total_token_throughput", "total_throughput"), peakOutputTokensPerS: numberAt(result, "max_output_tokens_per_s"),
    meanConcurrency: numberAt(result, "concurrency"), peakConcurrency: numberAt(result, "max_concurrent_requests"),
  };
}

function metricsOf(result: JsonRecord): Partial<Record<WorkloadMetric, Statistics>> {
  const found: Partial<Record<WorkloadMetric, Statistics & { percentiles: Record<string, number> }>> = {};
  for (const [key, written] of Object.entries(result)) {
    const parts = figureKey.exec(key);
    const number = parts === null ? undefined : numberOf(written, key);
    if (parts === null || number === undefined) continue;
    const [, figure, metric, milliseconds] = parts;
    const value = number * (milliseconds === undefined ? 1e6 : 1e3);
    const statistics = (found[metrics[metric!]!] ??= { percentiles: {} });
    if (figure === "mean" || figure === "std" || figure === "min" || figure === "max") statistics[figure] = value;
    else statistics.percentiles[figure === "median" ? "p50" : figure!] = value;
  }
  return found;
}

// Undefined when the file has no lists of requests.
function requestsOf(result: JsonRecord): { requests: Requests; notes: string[] } | undefined {
  const lists = {
    input: listAt(result, "input_lens"), output: listAt(result, "output_lens"), ttft: listAt(result, "ttfts"), itl: listAt(result, "itls"), latency: listAt(result, "latencies"),
    start: listAt(result, "start_times"), queue: listAt(result, "queue_times"), error: listAt(result, "errors"),
  };
  const lengths = Object.values(lists).flatMap((list) => (list === undefined ? [] : [list.length]));
  const n = Math.max(0, ...lengths);
  if (n === 0) return undefined;
  const shortest = Math.min(...lengths).toLocaleString("en-US");
  const notes = lengths.every((length) => length === n) ? [] : [`The lists of requests have different lengths (${shortest} to ${n.toLocaleString("en-US")}); what is missing at their ends is absent`];
  const number = (list: "input_lens" | "output_lens" | "ttfts" | "latencies" | "start_times" | "queue_times", of: readonly unknown[] | undefined, row: number) => numberOf(of?.[row], list, row);
  const latencyEstimated = lists.latency === undefined && lists.itl !== undefined;
  const rows = Array.from({ length: n }, (_, row): RequestRow => {
    const ttftUs = toUs(number("ttfts", lists.ttft, row));
    const gaps = lists.itl?.[row];
    const gapsUs = Array.isArray(gaps) ? gaps.map((gap, i) => toUs(numberOf(gap, "itls", row, i)) ?? Number.NaN) : undefined;
    const outputTokens = number("output_lens", lists.output, row);
    const error = typeof lists.error?.[row] === "string" ? (lists.error[row] as string) : "";
    // An answer with an error status but no reason phrase leaves the error empty; then nothing came back.
    const nothingCame = lists.ttft !== undefined && lists.output !== undefined && !ttftUs && !outputTokens;
    return {
      ttftUs, gapsUs, outputTokens, inputTokens: number("input_lens", lists.input, row), startUs: toUs(number("start_times", lists.start, row)), clientQueueUs: toUs(number("queue_times", lists.queue, row)),
      error, failed: error !== "" || nothingCame,
      latencyUs: latencyEstimated ? estimatedLatencyUs(ttftUs, gapsUs) : toUs(number("latencies", lists.latency, row)),
    };
  });
  return { requests: requestColumns(rows, latencyEstimated), notes };
}

function toUs(seconds: number | undefined): number | undefined {
  return seconds === undefined ? undefined : seconds * 1e6;
}

function estimatedLatencyUs(ttftUs: number | undefined, gapsUs: readonly number[] | undefined): number | undefined {
  return ttftUs === undefined || gapsUs === undefined ? undefined : gapsUs.reduce((sum, gap) => sum + gap, ttftUs);
}

// "20250531-123017" → "2025-05-31 12:30:17"; "" when it is written in another way.
function dateOf(text: string): string {
  const parts = /^(\d{4})(\d{2})(\d{2})-(\d{2})(\d{2})(\d{2})$/.exec(text);
  return parts === null ? "" : `${parts.slice(1, 4).join("-")} ${parts.slice(4).join(":")}`;
}
