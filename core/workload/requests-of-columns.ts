// Requests as the API answers them → the columns that everything here computes with. What the answer does not hold is absent: of all gaps together there is nothing, since
// the gaps themselves are not stored.
import type { WorkloadRequests } from "#schema/api/workloads.ts";
import type { Requests } from "./requests.ts";

// `pages` of one workload in the order of the file.
export function requestsOfColumns(pages: readonly Pick<WorkloadRequests, "columns" | "errors" | "spikes">[], latencyEstimated: boolean): Requests {
  const n = pages.reduce((sum, { columns }) => sum + columns.request.length, 0);
  type Numbers = Exclude<keyof (typeof pages)[number]["columns"], "failed" | "error">;
  const joined = (name: Numbers) => {
    const column = new Float64Array(n);
    let at = 0;
    for (const { columns } of pages) for (const value of columns[name]) column[at++] = value ?? Number.NaN;
    return column;
  };
  const spikes = { request: [] as number[], atUs: [] as number[], gapUs: [] as number[] };
  const errors: string[] = [];
  const failed = new Uint8Array(n);
  let first = 0;
  for (const page of pages) {
    page.columns.failed.forEach((flag, row) => (failed[first + row] = flag ? 1 : 0));
    for (const error of page.columns.error) errors.push(page.errors[error] ?? "");
    page.spikes.row.forEach((row, spike) => {
      spikes.request.push(first + row);
      spikes.atUs.push(page.spikes.atUs[spike]!);
      spikes.gapUs.push(page.spikes.gapUs[spike]!);
    });
    first += page.columns.request.length;
  }
  return {
    n, failed, errors, latencyEstimated, impossible: 0,
    startUs: joined("startUs"), clientQueueUs: joined("clientQueueUs"), queueUs: joined("queueUs"), prefillUs: joined("prefillUs"), ttftUs: joined("ttftUs"), tpotUs: joined("tpotUs"),
    decodeUs: joined("decodeUs"), latencyUs: joined("latencyUs"), inputTokens: joined("inputTokens"), outputTokens: joined("outputTokens"),
    gaps: {
      count: Uint32Array.from(joined("itlCount")), p50Us: joined("itlP50Us"), p90Us: joined("itlP90Us"), p99Us: joined("itlP99Us"), maxUs: joined("itlMaxUs"), all: undefined, spikeThresholdUs: Number.NaN,
      spikes: { request: Uint32Array.from(spikes.request), atUs: Float64Array.from(spikes.atUs), gapUs: Float64Array.from(spikes.gapUs) },
    },
  };
}
