// Figures a file states against the same figures computed from its requests. They should agree to rounding; where they do not, a person must know which one they see.
import { workloadMetricNames, workloadMetrics } from "#schema/workload-metrics.ts";
import { figuresAgree, figureTolerance, rateTolerance } from "./figures-agree.ts";
import type { Figures } from "./figures.ts";

// How the tool defines what it states. Only what is defined as here is compared.
export type Definitions = {
  tpot: boolean;
  percentiles: boolean; // interpolated linearly
  deviation: boolean; // of the population
};


const counts = [["completed", "completed requests"], ["failed", "failed requests"], ["inputTokens", "input tokens"], ["outputTokens", "output tokens"]] as const;
const rates = [
  ["requestsPerS", "requests/s"], ["inputTokensPerS", "input tokens/s"], ["outputTokensPerS", "output tokens/s"], ["totalTokensPerS", "tokens/s"], ["peakConcurrency", "requests at once"],
] as const;

// One sentence for each disagreement.
export function compareFigures(stated: Figures, computed: Figures, definitions: Definitions, latencyEstimated: boolean): string[] {
  const notes: string[] = [];
  const compare = (what: string, said: number | undefined, found: number | undefined, within: number, write: (value: number) => string) => {
    if (said === undefined || found === undefined || figuresAgree(said, found, within)) return;
    notes.push(`The file states ${what} ${write(said)}, its requests give ${write(found)}`);
  };
  for (const [name, what] of counts) compare(`${what}:`, stated[name], computed[name], 0, count);
  for (const [name, what] of rates) compare(`${what}:`, stated[name], computed[name], rateTolerance, count);
  for (const name of workloadMetricNames) {
    const [said, found] = [stated[name], computed[name]];
    if (said === undefined || found === undefined || (name === "tpotUs" && !definitions.tpot)) continue;
    const title = workloadMetrics[name];
    // TPOT and latency rest on the estimate then; the mean is compared, so that its error is known.
    const estimated = latencyEstimated && (name === "latencyUs" || name === "tpotUs");
    compare(`a mean ${title} of`, said.mean, found.mean, figureTolerance, milliseconds);
    if (estimated) continue;
    compare(`a longest ${title} of`, said.max, found.max, figureTolerance, milliseconds);
    if (definitions.deviation) compare(`a standard deviation of ${title} of`, said.std, found.std, figureTolerance, milliseconds);
    if (!definitions.percentiles) continue;
    for (const [percentile, value] of Object.entries(said.percentiles)) compare(`a ${percentile} ${title} of`, value, found.percentiles[percentile], figureTolerance, milliseconds);
  }
  return notes;
}

function count(value: number): string {
  return value.toLocaleString("en-US", { maximumFractionDigits: 2 });
}

function milliseconds(us: number): string {
  return `${(us / 1000).toLocaleString("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 2 })} ms`;
}
