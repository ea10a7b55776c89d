// Some of the requests of a run, as a run of their own: whatever is computed of all of them can be computed of these. Of their gaps together nothing is known then.
import type { Requests } from "./requests.ts";

// `rows` ascending.
export function selectRequests(requests: Requests, rows: ArrayLike<number>): Requests {
  const n = rows.length;
  const pick = (column: Float64Array) => {
    const picked = new Float64Array(n);
    for (let at = 0; at < n; at++) picked[at] = column[rows[at]!]!;
    return picked;
  };
  const { gaps } = requests;
  const place = new Map(Array.from(rows, (row, at) => [row, at]));
  const spikes = Array.from(gaps.spikes.request, (_, spike) => spike).filter((spike) => place.has(gaps.spikes.request[spike]!));
  return {
    n, latencyEstimated: requests.latencyEstimated, impossible: 0, failed: Uint8Array.from(rows, (row) => requests.failed[row]!), errors: Array.from(rows, (row) => requests.errors[row]!),
    startUs: pick(requests.startUs), clientQueueUs: pick(requests.clientQueueUs), queueUs: pick(requests.queueUs), prefillUs: pick(requests.prefillUs), ttftUs: pick(requests.ttftUs), tpotUs: pick(requests.tpotUs),
    decodeUs: pick(requests.decodeUs), latencyUs: pick(requests.latencyUs), inputTokens: pick(requests.inputTokens), outputTokens: pick(requests.outputTokens),
    gaps: {
      count: Uint32Array.from(rows, (row) => gaps.count[row]!), p50Us: pick(gaps.p50Us), p90Us: pick(gaps.p90Us), p99Us: pick(gaps.p99Us), maxUs: pick(gaps.maxUs), all: undefined, spikeThresholdUs: gaps.spikeThresholdUs,
      spikes: {
        request: Uint32Array.from(spikes, (spike) => place.get(gaps.spikes.request[spike]!)!), atUs: Float64Array.from(spikes, (spike) => gaps.spikes.atUs[spike]!), gapUs: Float64Array.from(spikes, (spike) => gaps.spikes.gapUs[spike]!),
      },
    },
  };
}
