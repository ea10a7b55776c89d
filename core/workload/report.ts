// A workload → what is told of it, in the words of the API: a file that is only read gets the same report as a stored one.
import type { EngineAggregate, WorkloadGoodput, WorkloadReport } from "#schema/api/workloads.ts";
import { limits } from "#schema/limits.ts";
import { goodputOf } from "./goodput.ts";
import { representativesOf } from "./representatives.ts";
import type { Requests } from "./requests.ts";
import type { Workload } from "./workload.ts";

export type GoodputLimits = WorkloadGoodput["limits"];

export type ReportOptions = { name: string; goodput: GoodputLimits; layers?: number | undefined; aggregates?: readonly EngineAggregate[] | undefined };

export function reportOf(workload: Workload, { name, goodput, layers, aggregates = [] }: ReportOptions): WorkloadReport {
  const { tool, toolVersion, label, engine, modelName, startedAtS, dateText, load, requests, stated, computed, notes } = workload;
  const failures = failuresOf(requests);
  const known = (value: number) => (Number.isNaN(value) ? null : value);
  return {
    name, tool, toolVersion, label, engine, modelName, layers: layers ?? null, startedAt: startedAtS === undefined ? null : new Date(Math.floor(startedAtS) * 1000).toISOString(), dateText,
    load: { ...load, requestsPerS: load.requestsPerS === Infinity ? "inf" : load.requestsPerS }, requests: requests.n, failed: requests.failed.reduce((sum, flag) => sum + flag, 0),
    latencyEstimated: requests.latencyEstimated, stated, computed: computed ?? null, failures: failures.slice(0, limits.workloadErrorsMax), errors: failures.length,
    goodput: requests.n === 0 ? null : goodputIn(requests, goodput, stated.durationS ?? computed?.durationS),
    representatives: representativesOf(requests).map((one) => ({ ...one, ttftUs: known(one.ttftUs), inputTokens: known(one.inputTokens), outputTokens: known(one.outputTokens) })),
    aggregates: [...aggregates], notes,
  };
}

function failuresOf({ n, failed, errors }: Requests): WorkloadReport["failures"] {
  const counts = new Map<string, number>();
  for (let row = 0; row < n; row++) if (failed[row] === 1) counts.set(errors[row]!, (counts.get(errors[row]!) ?? 0) + 1);
  return [...counts].map(([error, requests]) => ({ error, requests })).sort((a, b) => b.requests - a.requests || (a.error < b.error ? -1 : 1));
}

function goodputIn(requests: Requests, asked: GoodputLimits, durationS: number | undefined): WorkloadGoodput {
  const us = (ms: number | null) => (ms === null ? undefined : ms * 1000);
  const { good, failed, notJudged, missed } = goodputOf(requests, { ttftUs: us(asked.ttftMs), tpotUs: us(asked.tpotMs), latencyUs: us(asked.e2eMs) }, durationS);
  return goodputAnswer({ limits: asked, good, failed, notJudged, missed: { ttft: missed.ttftUs, tpot: missed.tpotUs, e2e: missed.latencyUs } }, requests.n, durationS);
}

// `requests`: all of them, failed ones included.
export function goodputAnswer(counts: Omit<WorkloadGoodput, "share" | "goodPerS">, requests: number, durationS: number | undefined): WorkloadGoodput {
  const judged = requests - counts.notJudged;
  return { ...counts, share: judged === 0 ? null : counts.good / judged, goodPerS: durationS === undefined || durationS <= 0 ? null : counts.good / durationS };
}
