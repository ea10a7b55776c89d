// Goodput: the requests that were answered within every limit a person sets (limits-missed.ts). Those that cannot be judged are counted apart.
import { type ServiceLimit, type ServiceLimits, verdictOf } from "./limits-missed.ts";
import type { Requests } from "./requests.ts";

export type Goodput = {
  good: number;
  failed: number;
  notJudged: number;
  missed: Record<ServiceLimit, number>; // requests over each limit; one request can miss several
  share: number; // good ÷ all that could be judged, failed ones included; NaN without any
  goodPerS: number | undefined; // undefined without a duration
};

export function goodputOf(requests: Requests, limits: ServiceLimits, durationS: number | undefined): Goodput {
  const missed = { ttftUs: 0, tpotUs: 0, latencyUs: 0 };
  let good = 0;
  let failed = 0;
  let notJudged = 0;
  for (let row = 0; row < requests.n; row++) {
    const verdict = verdictOf(requests, row, limits);
    if (verdict === "good") good++;
    else if (verdict === "failed") failed++;
    else if (verdict === "not judged") notJudged++;
    else for (const name of verdict) missed[name]++;
  }
  const judged = requests.n - notJudged;
  return { good, failed, notJudged, missed, share: judged === 0 ? Number.NaN : good / judged, goodPerS: durationS === undefined || durationS <= 0 ? undefined : good / durationS };
}
