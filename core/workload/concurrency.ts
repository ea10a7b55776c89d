// Requests in flight over time, from their real start times: a request runs from start to start + latency, the end excluded, so one that ends as another starts
// is not beside it.
import type { Requests } from "./requests.ts";

export type Concurrency = {
  atUs: Float64Array; // ascending; since the first request was sent
  running: Uint32Array; // from atUs[i] to atUs[i + 1]; the last is 0
  peak: number;
  mean: number; // over time, first start to last end
  leftOut: number; // requests without a start time or a latency
};

// Undefined when no request has both.
export function concurrencyOf({ n, startUs, latencyUs }: Requests): Concurrency | undefined {
  const starts = new Float64Array(n);
  const ends = new Float64Array(n);
  let known = 0;
  let busyUs = 0;
  for (let row = 0; row < n; row++) {
    const end = startUs[row]! + latencyUs[row]!;
    if (Number.isNaN(end)) continue;
    starts[known] = startUs[row]!;
    ends[known++] = end;
    busyUs += latencyUs[row]!;
  }
  if (known === 0) return undefined;
  const sortedStarts = starts.subarray(0, known).sort();
  const sortedEnds = ends.subarray(0, known).sort();
  const atUs: number[] = [];
  const running: number[] = [];
  let peak = 0;
  for (let started = 0, ended = 0; ended < known; ) {
    const at = started < known ? Math.min(sortedStarts[started]!, sortedEnds[ended]!) : sortedEnds[ended]!;
    while (ended < known && sortedEnds[ended]! <= at) ended++;
    while (started < known && sortedStarts[started]! <= at) started++;
    atUs.push(at);
    running.push(started - ended);
    peak = Math.max(peak, started - ended);
  }
  const spanUs = sortedEnds[known - 1]! - sortedStarts[0]!;
  return { atUs: Float64Array.from(atUs), running: Uint32Array.from(running), peak, mean: busyUs / spanUs, leftOut: n - known };
}
