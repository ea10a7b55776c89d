// Which tokens stand against the values of a side: spans of intervals, each with the tokens processed in it. What lies outside every span says nothing of tokens.
import type { ExecutionRecord } from "#schema/api/execution-record.ts";

// A span is known by its last interval, and has tokens: `bySpan`.
export type TokenBasis = { readonly spanOf: ReadonlyMap<number, number>; readonly bySpan: ReadonlyMap<number, number> };

export const noTokens: TokenBasis = { spanOf: new Map(), bySpan: new Map() };

type Step = Pick<ExecutionRecord["steps"][number], "number" | "prefillRequests" | "prefillTokens" | "decodeRequests" | "decodeTokens">;

// Of an execution: each step whose mark says its tokens. A mark that has requests and not their tokens (SGLang's EXTEND without toks) would make few of many.
export function stepTokens(steps: readonly Step[]): TokenBasis {
  const told = steps.filter((step) => step.prefillTokens + step.decodeTokens > 0 && (step.prefillRequests === 0 || step.prefillTokens > 0) && (step.decodeRequests === 0 || step.decodeTokens > 0));
  return { spanOf: new Map(told.map(({ number }) => [number, number])), bySpan: new Map(told.map((step) => [step.number, step.prefillTokens + step.decodeTokens])) };
}

// What series of counters said in one interval: `series` of them had a point in it. `began`: one of them for the first time.
export type TokenReport = { readonly interval: number; readonly tokens: number; readonly series: number; readonly began: boolean };

// Of a live range. A point of a counter is what was counted since the point before it, however long ago: dumps half an hour apart put half an hour's tokens into one
// minute. So a span goes from an interval in which all `series` had a point to the next such; the first only begins, since nobody knows from when on its tokens are.
// Neither does anybody where a series begins: what it had by then is not counted, so no span ends there.
// Intervals in which nothing was counted belong to the next span: engines count a request when it is done.
export function reportedTokens(reports: readonly TokenReport[], series: number): TokenBasis {
  const [spanOf, bySpan] = [new Map<number, number>(), new Map<number, number>()];
  let begun: number | null = null; // the last interval of the span before
  let counted = 0;
  for (const report of [...reports].sort((a, b) => a.interval - b.interval)) {
    const all = report.series >= series;
    if (begun === null) {
      if (all) begun = report.interval;
      continue;
    }
    if (report.began) {
      [begun, counted] = [all ? report.interval : null, 0];
      continue;
    }
    counted += report.tokens;
    if (!all || counted === 0) continue;
    for (let interval = begun + 1; interval <= report.interval; interval++) spanOf.set(interval, report.interval);
    bySpan.set(report.interval, counted);
    [begun, counted] = [report.interval, 0];
  }
  return { spanOf, bySpan };
}

// The share of a whole, by interval, that lies in no span.
export function shareOutside({ spanOf }: TokenBasis, values: ReadonlyMap<number, number>): number {
  let [whole, outside] = [0, 0];
  for (const [interval, value] of values) {
    whole += value;
    if (!spanOf.has(interval)) outside += value;
  }
  return whole === 0 ? 0 : outside / whole;
}
