// The figures of one run: as its file states them, or computed from its requests. Both have the same form, so that they can be compared and shown side by side.
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
  clientQueueUs?: Statistics | undefined;
  ttftUs?: Statistics | undefined;
  tpotUs?: Statistics | undefined; // per request: (latency − TTFT) / (output tokens − 1)
  itlUs?: Statistics | undefined; // over the gaps of all requests
  latencyUs?: Statistics | undefined;
};

export const metricNames = ["clientQueueUs", "ttftUs", "tpotUs", "itlUs", "latencyUs"] as const;
export type MetricName = (typeof metricNames)[number];

// Shown, and used in notes.
export const metricTitles: Record<MetricName, string> = { clientQueueUs: "client queue time", ttftUs: "TTFT", tpotUs: "TPOT", itlUs: "ITL", latencyUs: "latency" };

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

// Tools write zeros where nothing was measured (no request completed, no streaming, answers of one token), which would look like the best run of all: such metrics are
// taken out and named. A queue can be 0.
export function measuredFigures(figures: Figures): { figures: Figures; unmeasured: MetricName[] } {
  const measured = { ...figures };
  const unmeasured: MetricName[] = [];
  for (const name of metricNames) {
    const statistics = figures[name];
    if (statistics === undefined || name === "clientQueueUs") continue;
    const { n: _n, percentiles, ...moments } = statistics;
    if (figures.completed !== 0 && [...Object.values(moments), ...Object.values(percentiles)].some((value) => value !== undefined && value !== 0)) continue;
    measured[name] = undefined;
    unmeasured.push(name);
  }
  return { figures: measured, unmeasured };
}
