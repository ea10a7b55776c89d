// AIPerf's summary (profile_export_aiperf.json): a metric a key with its unit, under "records" or, in later versions, at the top. Its inter-token latency is an average
// per request, that is our TPOT; the gaps between pieces are its inter-chunk latency.
import { ok, type Result } from "#core/result.ts";
import { benchmarkFormats } from "../benchmark-format.ts";
import { engineOf } from "../engine.ts";
import { isRecord, listAt, numberAt, recordAt, textAt, type JsonRecord } from "../json-record.ts";
import type { Statistics } from "../statistics.ts";
import { workloadOf, type Workload } from "../workload.ts";

export const microsecondsOfUnit: { readonly [unit: string]: number } = { ns: 1e-3, us: 1, "µs": 1, ms: 1e3, s: 1e6, sec: 1e6, seconds: 1e6 };

export function readAiperf(result: JsonRecord): Result<Workload[], string> {
  const records = recordAt(result, "records") ?? result;
  const one = (...names: string[]) => numberAt(firstOf(records, names), "avg");
  const us = (...names: string[]) => statisticsUs(firstOf(records, names));
  const config = recordAt(result, "input_config");
  const endpoint = recordAt(config, "endpoint");
  const generator = recordAt(config, "loadgen");
  const models = listAt(endpoint, "model_names") ?? [];
  const started = firstOf(records, ["min_request_timestamp"]);
  const startedUs = toUs(numberAt(started, "avg"), textAt(started, "unit"));
  const dateText = startedUs === undefined ? textAt(result, "start_time").replace("T", " ").slice(0, 19) : "";
  const notes = (listAt(result, "error_summary") ?? []).filter(isRecord).map(errorNote);
  if (dateText !== "") notes.push(`The file's start (${dateText}) has no time zone, so the absolute start is not known`);
  if (result["was_cancelled"] === true) notes.push("The run was cancelled before its end");
  return ok([workloadOf({
    format: "aiperf", tool: benchmarkFormats.aiperf, toolVersion: textAt(result, "aiperf_version"), label: "", engine: engineOf(textAt(endpoint, "server_type", "backend")),
    modelName: models.filter((name) => typeof name === "string").join(", "), startedAtS: startedUs === undefined ? undefined : startedUs / 1e6, dateText,
    load: {
      requestsPerS: numberAt(generator, "request_rate"), maxConcurrency: numberAt(generator, "concurrency"), requests: numberAt(generator, "request_count"),
      inputTokens: numberAt(recordAt(config, "input", "prompt", "input_tokens"), "mean"), outputTokens: numberAt(recordAt(config, "input", "prompt", "output_tokens"), "mean"),
      strategy: textAt(generator, "request_rate_mode"),
    },
    stated: {
      durationS: durationSOf(records), completed: one("request_count"), failed: one("error_request_count"),
      inputTokens: one("total_isl", "total_input_sequence_length"), outputTokens: one("total_osl", "total_output_sequence_length"),
      requestsPerS: one("request_throughput"), goodRequestsPerS: one("goodput"), outputTokensPerS: one("output_token_throughput"), totalTokensPerS: one("total_token_throughput"),
      ttftUs: us("ttft", "time_to_first_token"), tpotUs: us("inter_token_latency"), itlUs: us("inter_chunk_latency"), latencyUs: us("request_latency"),
    },
    notes, definitions: { tpot: true, percentiles: true, deviation: true },
  })]);
}

function firstOf(records: JsonRecord, names: readonly string[]): JsonRecord | undefined {
  return names.map((name) => recordAt(records, name)).find((record) => record !== undefined);
}

function durationSOf(records: JsonRecord): number | undefined {
  const record = firstOf(records, ["benchmark_duration"]);
  const us = toUs(numberAt(record, "avg"), textAt(record, "unit"));
  return us === undefined ? undefined : us / 1e6;
}

// Undefined for a unit that is no time: a number without its unit says nothing.
function toUs(value: number | undefined, unit: string): number | undefined {
  const factor = microsecondsOfUnit[unit.toLowerCase()];
  return value === undefined || factor === undefined ? undefined : value * factor;
}

function statisticsUs(record: JsonRecord | undefined): Statistics | undefined {
  if (record === undefined) return undefined;
  const us = (key: string) => toUs(numberAt(record, key), textAt(record, "unit"));
  const percentiles = Object.keys(record).filter((key) => /^p\d+(\.\d+)?$/.test(key)).flatMap((key): [string, number][] => (us(key) === undefined ? [] : [[key, us(key)!]]));
  const mean = us("avg");
  return mean === undefined ? undefined : { n: numberAt(record, "count"), mean, std: us("std"), min: us("min"), max: us("max"), percentiles: Object.fromEntries(percentiles) };
}

function errorNote(error: JsonRecord): string {
  const details = recordAt(error, "error_details");
  const code = numberAt(details, "code");
  return `Requests that failed with "${textAt(details, "message", "type")}"${code === undefined ? "" : ` (${code})`}: ${(numberAt(error, "count") ?? 0).toLocaleString("en-US")}`;
}
