// The figures of a run computed from its requests. Rates need a time span: the file's own duration, else first start to last end; without either there are none.
import { concurrencyOf } from "./concurrency.ts";
import type { Figures } from "./figures.ts";
import { ofCompleted, type Requests } from "./requests.ts";
import { statisticsOf } from "./statistics.ts";

export function computeFigures(requests: Requests, statedDurationS: number | undefined): Figures {
  const failed = requests.failed.reduce((sum, flag) => sum + flag, 0);
  const completed = requests.n - failed;
  const concurrency = concurrencyOf(requests);
  const durationS = statedDurationS ?? (concurrency === undefined ? undefined : concurrency.atUs.at(-1)! / 1e6);
  const rate = (amount: number | undefined) => (amount === undefined || durationS === undefined || durationS <= 0 ? undefined : amount / durationS);
  const inputTokens = sumOf(ofCompleted(requests, requests.inputTokens));
  const outputTokens = sumOf(ofCompleted(requests, requests.outputTokens));
  const metric = (column: Float64Array) => statisticsOf(ofCompleted(requests, column));
  return {
    durationS, completed, failed, inputTokens, outputTokens, requestsPerS: rate(completed), inputTokensPerS: rate(inputTokens), outputTokensPerS: rate(outputTokens),
    totalTokensPerS: inputTokens === undefined || outputTokens === undefined ? undefined : rate(inputTokens + outputTokens),
    meanConcurrency: concurrency?.mean, peakConcurrency: concurrency?.peak,
    clientQueueUs: metric(requests.clientQueueUs), queueUs: metric(requests.queueUs), prefillUs: metric(requests.prefillUs), ttftUs: metric(requests.ttftUs), decodeUs: metric(requests.decodeUs),
    tpotUs: metric(requests.tpotUs), itlUs: requests.gaps.all, latencyUs: metric(requests.latencyUs),
  };
}

// Undefined unless every request has the number: a sum over some of them would pass for the whole.
function sumOf(column: Float64Array): number | undefined {
  if (column.length === 0) return undefined;
  const sum = column.reduce((total, value) => total + value, 0);
  return Number.isNaN(sum) ? undefined : sum;
}
