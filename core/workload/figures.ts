// The figures of one run: as its file states them, or computed from its requests. Both have the same form, so that they can be compared and shown side by side.
import { limits } from "#schema/limits.ts";
import { type WorkloadMetric, workloadMetricNames } from "#schema/workload-metrics.ts";
import type { Statistics } from "./statistics.ts";

export type Figures = {
  durationS?: number | undefined; // first request sent to last answer complete
  completed?: number | undefined; // requests answered without an error
  failed?: number | undefined;
  inputTokens?: number | undefined; // of completed requests
  outputTokens?: number | undefined;
  requestsPerS?: number | undefined;
  goodRequestsPerS?: number | undefined; // within the limits the tool was given
  inputTokensPerS?: number | undefined;
  outputTokensPerS?: number | undefined;
  totalTokensPerS?: number | undefined;
  peakOutputTokensPerS?: number | undefined;
  meanConcurrency?: number | undefined;
  peakConcurrency?: number | undefined;
} & { [Name in WorkloadMetric]?: Statistics | undefined }; // of requests that did not fail

export const totalNames = [
  "durationS", "completed", "failed", "inputTokens", "outputTokens", "requestsPerS", "goodRequestsPerS", "inputTokensPerS", "outputTokensPerS", "totalTokensPerS", "peakOutputTokensPerS",
  "meanConcurrency", "peakConcurrency",
] as const satisfies readonly (keyof Figures)[];

// Every figure that is there with its name: "completed", "ttftUs.mean", "ttftUs.p99".
export function figureEntries(figures: Figures): [name: string, value: number][] {
  const entries: [string, number][] = [];
  for (const [name, figure] of Object.entries(figures)) {
    if (typeof figure === "number") entries.push([name, figure]);
    else if (figure !== undefined) {
      const { percentiles, ...moments } = figure;
      for (const [part, value] of [...Object.entries(moments), ...Object.entries(percentiles)]) if (value !== undefined) entries.push([`${name}.${part}`, value]);
    }
  }
  return entries;
}

// The same back again. Names that this version does not know are left out.
export function figuresOf(entries: readonly (readonly [name: string, value: number])[]): Figures {
  const figures: Figures = {};
  const known = (name: string): name is WorkloadMetric => (workloadMetricNames as readonly string[]).includes(name);
  for (const [name, value] of entries) {
    const [, metric = "", part = ""] = /^(\w+)\.(.+)$/.exec(name) ?? [];
    if ((totalNames as readonly string[]).includes(name)) figures[name as (typeof totalNames)[number]] = value;
    if (!known(metric)) continue;
    const statistics = (figures[metric] ??= { percentiles: {} });
    if (/^p\d+(\.\d+)?$/.test(part)) Object.assign(statistics.percentiles, { [part]: value });
    else if (/^(n|mean|std|min|max)$/.test(part)) Object.assign(statistics, { [part]: value });
  }
  return figures;
}

// Tools write zeros where nothing was measured (no request completed, no streaming, answers of one token), which would look like the best run of all: such metrics are
// taken out and named. A queue can be 0.
export function measuredFigures(figures: Figures): { figures: Figures; unmeasured: WorkloadMetric[] } {
  const measured = { ...figures };
  const unmeasured: WorkloadMetric[] = [];
  for (const name of workloadMetricNames) {
    const statistics = figures[name];
    if (statistics === undefined || name === "clientQueueUs" || name === "queueUs") continue;
    const { n: _n, percentiles, ...moments } = statistics;
    if (figures.completed !== 0 && [...Object.values(moments), ...Object.values(percentiles)].some((value) => value !== undefined && value !== 0)) continue;
    measured[name] = undefined;
    unmeasured.push(name);
  }
  return { figures: measured, unmeasured };
}

const isPossible = (name: string, value: number) => Math.abs(value) <= limits.measuredValueMax && (!name.endsWith(".n") || Number.isSafeInteger(value));

// Without what no run can have: figures over measuredValueMax (a rate over a duration of nearly nothing), and counts of values that are not whole.
export function possibleFigures(figures: Figures): { figures: Figures; impossible: number } {
  const entries = figureEntries(figures);
  const possible = entries.filter(([name, value]) => isPossible(name, value));
  return possible.length === entries.length ? { figures, impossible: 0 } : { figures: figuresOf(possible), impossible: entries.length - possible.length };
}
