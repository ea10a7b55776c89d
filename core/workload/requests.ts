// The requests of a run as columns, one row a request in the order of the file. NaN = the file does not give it; nothing absent is ever 0.
// TPOT is (latency − TTFT) / (output tokens − 1): what a reader of the answer waits per token, whatever the pieces it arrived in.
import { limits } from "#schema/limits.ts";
import { tokenGapsOf, type TokenGaps } from "./token-gaps.ts";

export type Requests = {
  n: number;
  startUs: Float64Array; // since the first request of the run was sent
  clientQueueUs: Float64Array; // waited at the client before it was sent; not part of the latency
  queueUs: Float64Array; // waited in the engine; part of TTFT
  prefillUs: Float64Array; // part of TTFT
  ttftUs: Float64Array; // time to first token
  tpotUs: Float64Array; // requests of one output token have none
  decodeUs: Float64Array; // first token to last
  latencyUs: Float64Array; // sent to complete
  inputTokens: Float64Array;
  outputTokens: Float64Array;
  failed: Uint8Array; // 1 = failed
  errors: string[]; // "" = none given
  gaps: TokenGaps;
  latencyEstimated: boolean; // the file has no latency: TTFT plus the gaps, which leaves out what came after the last token
  impossible: number; // numbers that cannot be, read as absent
};

const microsecondsMax = limits.requestMicrosecondsMax;
const tokensMax = 2 ** 32 - 1;

// One request as a file gives it; startUs from any origin.
export type RequestRow = {
  startUs?: number | undefined; clientQueueUs?: number | undefined; queueUs?: number | undefined; prefillUs?: number | undefined; ttftUs?: number | undefined;
  latencyUs?: number | undefined; inputTokens?: number | undefined; outputTokens?: number | undefined; failed: boolean; error?: string | undefined; gapsUs?: readonly number[] | undefined;
};

export function requestColumns(rows: readonly RequestRow[], latencyEstimated = false): Requests {
  let impossible = 0;
  const possible = (value: number | undefined, max: number) => {
    if (value === undefined || Number.isNaN(value)) return Number.NaN;
    if (value >= 0 && value <= max) return value;
    impossible++;
    return Number.NaN;
  };
  const counts = (of: (row: RequestRow) => number | undefined, max: number) => Float64Array.from(rows, (row) => possible(of(row), max));
  // Nothing takes no time at all: tools write 0 for what they did not measure.
  const durations = (of: (row: RequestRow) => number | undefined) => counts(of, microsecondsMax).map((us) => (us === 0 ? Number.NaN : us));
  const ttftUs = durations((row) => row.ttftUs);
  const latencyUs = durations((row) => row.latencyUs);
  const outputTokens = counts((row) => row.outputTokens, tokensMax);
  const decodeUs = latencyUs.map((latency, row) => possible(latency - ttftUs[row]!, microsecondsMax));
  const gaps = rows.map(({ gapsUs, failed }, row) => {
    const clean = gapsUs?.every((gap) => gap >= 0 && gap <= microsecondsMax) === false ? gapsUs.map((gap) => possible(gap, microsecondsMax)) : gapsUs;
    return { gapsUs: clean, failed, ttftUs: ttftUs[row]! };
  });
  const columns = {
    startUs: sinceFirst(rows).map((us) => possible(us, microsecondsMax)), clientQueueUs: counts((row) => row.clientQueueUs, microsecondsMax),
    queueUs: counts((row) => row.queueUs, microsecondsMax), prefillUs: durations((row) => row.prefillUs), ttftUs, latencyUs, decodeUs, outputTokens,
    inputTokens: counts((row) => row.inputTokens, tokensMax), tpotUs: decodeUs.map((decode, row) => (outputTokens[row]! > 1 ? decode / (outputTokens[row]! - 1) : Number.NaN)),
  };
  return {
    n: rows.length, ...columns, failed: Uint8Array.from(rows, (row) => (row.failed ? 1 : 0)), errors: rows.map((row) => row.error ?? ""), gaps: tokenGapsOf(gaps), latencyEstimated, impossible,
  };
}

// A column of the requests that did not fail.
export function ofCompleted(requests: Requests, column: Float64Array): Float64Array {
  return column.filter((_, row) => requests.failed[row] === 0);
}

// Clocks with an unknown origin never stand at 0: there it means that the request was not sent.
function sinceFirst(rows: readonly RequestRow[]): Float64Array {
  let first = Number.POSITIVE_INFINITY;
  for (const { startUs = 0 } of rows) if (startUs > 0 && startUs < first) first = startUs;
  return Float64Array.from(rows, ({ startUs = 0 }) => (startUs > 0 ? startUs - first : Number.NaN));
}
