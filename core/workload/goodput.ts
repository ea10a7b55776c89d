// Goodput: the requests that were answered within every limit a person sets. A failed request is not good; an answer of one token has no TPOT and keeps that limit
// (the rule of vLLM's own goodput); one whose number the file does not give cannot be judged and is counted apart.
import type { Requests } from "./requests.ts";

export type ServiceLimits = { ttftUs?: number | undefined; tpotUs?: number | undefined; latencyUs?: number | undefined };
export type ServiceLimit = keyof ServiceLimits;

export type Goodput = {
  good: number;
  failed: number;
  notJudged: number;
  missed: Record<ServiceLimit, number>; // requests over each limit; one request can miss several
  share: number; // good ÷ all that could be judged, failed ones included; NaN without any
  goodPerS: number | undefined; // undefined without a duration
};

export function goodputOf(requests: Requests, limits: ServiceLimits, durationS: number | undefined): Goodput {
  const asked = (["ttftUs", "tpotUs", "latencyUs"] as const).filter((name) => limits[name] !== undefined);
  const missed = { ttftUs: 0, tpotUs: 0, latencyUs: 0 };
  let good = 0;
  let failed = 0;
  let notJudged = 0;
  for (let row = 0; row < requests.n; row++) {
    if (requests.failed[row] === 1) {
      failed++;
      continue;
    }
    const values = asked.map((name) => (name === "tpotUs" && requests.outputTokens[row]! <= 1 ? 0 : requests[name][row]!));
    const over = asked.filter((name, i) => values[i]! > limits[name]!);
    for (const name of over) missed[name]++;
    if (over.length > 0) continue;
    if (values.some(Number.isNaN)) notJudged++;
    else good++;
  }
  const judged = requests.n - notJudged;
  return { good, failed, notJudged, missed, share: judged === 0 ? Number.NaN : good / judged, goodPerS: durationS === undefined || durationS <= 0 ? undefined : good / durationS };
}
