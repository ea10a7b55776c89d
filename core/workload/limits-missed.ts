// Which limits one request is over. A failed request is over none and not good either; an answer of one token has no TPOT and keeps that limit (the rule of vLLM's own
// goodput); one whose number the file does not give cannot be judged, unless another limit is missed anyway.
import type { Requests } from "./requests.ts";

export type ServiceLimits = { ttftUs?: number | undefined; tpotUs?: number | undefined; latencyUs?: number | undefined };
export type ServiceLimit = keyof ServiceLimits;
export const serviceLimits = ["ttftUs", "tpotUs", "latencyUs"] as const satisfies readonly ServiceLimit[];

export type Verdict = "good" | "failed" | "not judged" | readonly ServiceLimit[]; // the limits it is over

export function verdictOf(requests: Requests, row: number, limits: ServiceLimits): Verdict {
  if (requests.failed[row] === 1) return "failed";
  const over: ServiceLimit[] = [];
  let unknown = false;
  for (const name of serviceLimits) {
    const limit = limits[name];
    if (limit === undefined) continue;
    const value = name === "tpotUs" && requests.outputTokens[row]! <= 1 ? 0 : requests[name][row]!;
    if (value > limit) over.push(name);
    else if (Number.isNaN(value)) unknown = true;
  }
  return over.length > 0 ? over : unknown ? "not judged" : "good";
}
