// Requests one object each: LLMPerf's individual responses, and any tool's list under common names ("requests": […]). A name that ends in _s, _ms, _us or _ns says its
// unit; a bare one is seconds, as in every tool that writes bare names.
import { err, ok, type Result } from "#core/result.ts";
import { benchmarkFormats } from "../benchmark-format.ts";
import { engineOf } from "../engine.ts";
import { isRecord, listAt, NotANumber, numberAt, numberOf, textAt, type JsonRecord } from "../json-record.ts";
import { requestColumns, type RequestRow } from "../requests.ts";
import { workloadOf, type Workload } from "../workload.ts";

const names = {
  start: ["request_start_time", "start_time", "start"], clientQueue: ["client_queue_time"], queue: ["queue_time", "queue"], prefill: ["prefill_time", "prefill"],
  ttft: ["ttft", "time_to_first_token"], decode: ["decode_time", "decode"], latency: ["end_to_end_latency", "e2e_latency", "request_latency", "e2el", "latency"],
  gaps: ["itls", "itl", "inter_token_latencies"],
  inputTokens: ["number_input_tokens", "input_tokens", "prompt_tokens", "input_len", "input_length", "prompt_len"],
  outputTokens: ["number_output_tokens", "output_tokens", "completion_tokens", "output_len", "output_length"],
} as const;

const units = [["_s", 1e6], ["_ms", 1e3], ["_us", 1], ["_ns", 1e-3], ["", 1e6]] as const;

export function readRequestList(value: unknown): Result<Workload[], string> {
  const head = isRecord(value) ? value : undefined;
  const entries = Array.isArray(value) ? (value as unknown[]) : (listAt(head, "requests") ?? [value]);
  const records = entries.filter(isRecord);
  if (records.length === 0) return err("a list of requests with no request in it");
  const notes = records.length === entries.length ? [] : [`Entries that are no request, left out: ${(entries.length - records.length).toLocaleString("en-US")}`];
  const rows = records.map(rowOf);
  const isLlmperf = "end_to_end_latency_s" in records[0]! && "number_output_tokens" in records[0]!;
  if (isLlmperf) notes.push("LLMPerf's inter-token latency includes the first token, so it is no TPOT: TPOT is computed from latency, TTFT and tokens");
  const estimated = rows.filter((row) => row.latencyFromDecode).length;
  if (estimated > 0) notes.push(`Requests whose latency is TTFT plus decode time, since the file gives no latency: ${estimated.toLocaleString("en-US")}`);
  return ok([workloadOf({
    format: "request-list", tool: isLlmperf ? benchmarkFormats.llmperf : "", toolVersion: "", label: "",
    engine: engineOf(textAt(head, "engine", "backend")), modelName: textAt(head, "model", "model_name", "model_id"),
    startedAtS: undefined, dateText: "", load: {}, stated: {}, requests: requestColumns(rows), notes, definitions: { tpot: true, percentiles: true, deviation: true },
  })]);
}

function rowOf(record: JsonRecord): RequestRow & { latencyFromDecode: boolean } {
  const us = (of: keyof typeof names) => {
    const found = valueWithUnit(record, names[of]);
    const value = numberOf(found?.value, found?.name ?? "");
    return value === undefined ? undefined : value * found!.factor;
  };
  const gaps = valueWithUnit(record, names.gaps);
  const [ttftUs, decodeUs, statedUs] = [us("ttft"), us("decode"), us("latency")];
  const latencyFromDecode = statedUs === undefined && ttftUs !== undefined && decodeUs !== undefined;
  const error = errorOf(record);
  return {
    startUs: us("start"), clientQueueUs: us("clientQueue"), queueUs: us("queue"), prefillUs: us("prefill"), ttftUs, latencyFromDecode,
    latencyUs: latencyFromDecode ? ttftUs + decodeUs : statedUs,
    inputTokens: numberAt(record, ...names.inputTokens), outputTokens: numberAt(record, ...names.outputTokens),
    gapsUs: Array.isArray(gaps?.value) ? gaps.value.map((gap, i) => (numberOf(gap, gaps.name, i) ?? Number.NaN) * gaps.factor) : undefined, failed: error !== undefined, error,
  };
}

function valueWithUnit(record: JsonRecord, bases: readonly string[]): { name: string; value: unknown; factor: number } | undefined {
  for (const base of bases) {
    for (const [suffix, factor] of units) {
      const value = record[base + suffix];
      if (value !== undefined && value !== null) return { name: base + suffix, value, factor };
    }
  }
  return undefined;
}

// Undefined = the request succeeded; "" = it failed without a word.
function errorOf(record: JsonRecord): string | undefined {
  const text = textAt(record, "error_msg", "error", "error_message");
  const code = record["error_code"];
  if (typeof code === "object" && code !== null) throw new NotANumber("error_code", code);
  if (code !== undefined && code !== null && code !== 0) return text === "" ? `error ${String(code).slice(0, 100)}` : text;
  return text !== "" || record["failed"] === true || record["success"] === false ? text : undefined;
}
