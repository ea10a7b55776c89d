// A benchmark result file → its workloads: one a run. A run that cannot be read loses nothing else; a file without any is refused with the reason.
import { limits } from "#schema/limits.ts";
import { isNestedTooDeep, nestingProblem } from "#core/json-nesting.ts";
import { err, ok, type Result } from "#core/result.ts";
import { decodeUtf8 } from "#core/utf8.ts";
import { formatOfKeys, keysOf } from "./benchmark-format.ts";
import { readAiperf } from "./formats/aiperf.ts";
import { readAiperfRequests } from "./formats/aiperf-requests.ts";
import { readGuidellm } from "./formats/guidellm.ts";
import { readLlmperf } from "./formats/llmperf.ts";
import { readRequestList } from "./formats/request-list.ts";
import { readServingResult } from "./formats/serving-result.ts";
import { jsonDocuments } from "./json-documents.ts";
import { isRecord, NotANumber } from "./json-record.ts";
import { whyNoBenchmark } from "./why-no-benchmark.ts";
import type { Workload } from "./workload.ts";

export type NotABenchmark = { reason: string };

// `bytes`: the whole file, gzip already undone.
export function readBenchmark(bytes: Uint8Array): Result<Workload[], NotABenchmark> {
  if (bytes.length > limits.benchmarkBytesMax) {
    const sizes = `${bytes.length.toLocaleString("en-US")} bytes, over the bound of ${limits.benchmarkBytesMax.toLocaleString("en-US")} (benchmarkBytesMax)`;
    return err({ reason: `the file has ${sizes}; save it without the generated texts, or in shorter runs` });
  }
  if (isNestedTooDeep(bytes)) return err({ reason: nestingProblem });
  const documents = jsonDocuments(decodeUtf8(bytes).replace(/^\uFEFF/, ""));
  if (!documents.ok) return err({ reason: bytes.length === 0 ? "the file is empty" : `not JSON: ${documents.error}` });
  const { notes } = documents.value;
  const values = documents.value.values.flatMap(runsOf);
  if (formatOfKeys(keysOf(values[0])) === "aiperf-requests") return withNotes(guarded(() => readAiperfRequests(values.filter(isRecord))), notes);
  const workloads: Workload[] = [];
  const refusals: string[] = [];
  for (const value of values) {
    const read = guarded(() => readRun(value));
    if (read.ok) workloads.push(...read.value);
    else refusals.push(read.error);
    if (workloads.length > limits.workloadsPerFileMax) return err({ reason: `the file holds more than ${limits.workloadsPerFileMax} runs (workloadsPerFileMax); split it` });
  }
  if (workloads.length === 0) return err({ reason: refusals[0] ?? whyNoBenchmark([]) });
  if (refusals.length > 0) notes.push(`Documents that are no run, left out: ${refusals.length.toLocaleString("en-US")}; the first: ${refusals[0]}`);
  return withNotes(ok(workloads), notes);
}

// A list of results is the runs of a sweep, a list of requests one run.
function runsOf(document: unknown): readonly unknown[] {
  const format = Array.isArray(document) ? formatOfKeys(keysOf(document)) : undefined;
  return format === undefined || format === "request-list" ? [document] : (document as unknown[]);
}

function readRun(value: unknown): Result<Workload[], string> {
  const format = formatOfKeys(keysOf(value));
  if (format === "request-list") return readRequestList(value);
  if (format === undefined || !isRecord(value)) return err(whyNoBenchmark(value));
  switch (format) {
    case "guidellm": return readGuidellm(value);
    case "aiperf": return readAiperf(value);
    case "aiperf-requests": return readAiperfRequests([value]);
    case "llmperf": return readLlmperf(value);
    default: return readServingResult(format, value);
  }
}

function guarded(read: () => Result<Workload[], string>): Result<Workload[], string> {
  try {
    return read();
  } catch (error) {
    if (error instanceof NotANumber) return err(error.message);
    throw error;
  }
}

function withNotes(read: Result<Workload[], string>, notes: readonly string[]): Result<Workload[], NotABenchmark> {
  return read.ok ? ok(read.value.map((workload) => ({ ...workload, notes: [...workload.notes, ...notes] }))) : err({ reason: read.error });
}
