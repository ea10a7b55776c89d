// The gaps between the streamed pieces of an answer (inter-token latency, ITL): kept per request as quantiles, and as the few long ones (spikes) with their time, since
// 10,000 requests of 1,000 tokens would be ten million numbers. A gap is no token: with multi-step scheduling or burst streaming one piece carries many, so TPOT is
// never computed from here.
import { limits } from "#schema/limits.ts";
import { percentileOf, sortedValues, statisticsOf, type Statistics } from "./statistics.ts";

export type TokenGaps = {
  count: Uint32Array; // per request; 0 = the file has none
  p50Us: Float64Array; // NaN where count is 0
  p90Us: Float64Array;
  p99Us: Float64Array;
  maxUs: Float64Array;
  all: Statistics | undefined; // over the gaps of all requests that did not fail
  spikeThresholdUs: number; // NaN without gaps
  spikes: { request: Uint32Array; atUs: Float64Array; gapUs: Float64Array }; // by request, then by time; atUs: end of the gap, since the request was sent (NaN: unknown)
};

export type RequestGaps = { gapsUs?: readonly number[] | undefined; ttftUs: number; failed: boolean }; // ttftUs: NaN = absent

export function tokenGapsOf(rows: readonly RequestGaps[]): TokenGaps {
  const column = () => new Float64Array(rows.length).fill(Number.NaN);
  const gaps = { count: new Uint32Array(rows.length), p50Us: column(), p90Us: column(), p99Us: column(), maxUs: column() };
  rows.forEach(({ gapsUs = [] }, row) => {
    if (gapsUs.length === 0) return;
    const sorted = sortedValues(gapsUs);
    gaps.count[row] = sorted.length;
    if (sorted.length === 0) return;
    gaps.p50Us[row] = percentileOf(sorted, 50);
    gaps.p90Us[row] = percentileOf(sorted, 90);
    gaps.p99Us[row] = percentileOf(sorted, 99);
    gaps.maxUs[row] = sorted.at(-1)!;
  });
  const all = statisticsOf(gapsOfCompleted(rows));
  // The slowest hundredth of the run, and at least twice its median, so that an even run has none.
  const spikeThresholdUs = all === undefined ? Number.NaN : Math.max(all.percentiles["p99"]!, 2 * all.percentiles["p50"]!);
  return { ...gaps, all, spikeThresholdUs, spikes: spikesOf(rows, spikeThresholdUs) };
}

function gapsOfCompleted(rows: readonly RequestGaps[]): Float64Array {
  const completed = rows.filter((row) => !row.failed && row.gapsUs !== undefined);
  const joined = new Float64Array(completed.reduce((sum, row) => sum + row.gapsUs!.length, 0));
  let at = 0;
  for (const { gapsUs } of completed) {
    joined.set(gapsUs!, at);
    at += gapsUs!.length;
  }
  return joined;
}

// The longest gaps of each request over the threshold, at most itlSpikesPerRequestMax of them.
function spikesOf(rows: readonly RequestGaps[], thresholdUs: number): TokenGaps["spikes"] {
  const found: { request: number; atUs: number; gapUs: number }[] = [];
  rows.forEach(({ gapsUs = [], ttftUs }, request) => {
    const ofRequest: typeof found = [];
    let atUs = ttftUs;
    for (const gapUs of gapsUs) {
      atUs += gapUs;
      if (gapUs >= thresholdUs) ofRequest.push({ request, atUs, gapUs });
    }
    const longest = ofRequest.sort((a, b) => b.gapUs - a.gapUs).slice(0, limits.itlSpikesPerRequestMax);
    found.push(...longest.sort((a, b) => a.atUs - b.atUs));
  });
  return { request: Uint32Array.from(found, (spike) => spike.request), atUs: Float64Array.from(found, (spike) => spike.atUs), gapUs: Float64Array.from(found, (spike) => spike.gapUs) };
}
