// The budget of a tenant: the seconds that all its reads together may take in a minute. A server keeps it itself, as a QUOTA keyed by the client's key
// (docs/deploy.md); chDB has one user and no keys, so this is the same account in front of it: windows from 1970 on, a query refused once its key has gone over, in
// the server's words. Rows read are not counted: chDB tells the rows of an answer only.
// A query that runs when the budget ends runs on to its own bounds, so a tenant is over it by its slots (lane.ts) × queryMsMax at most.
import { limits } from "#schema/limits.ts";
import { exception } from "./exception.ts";

export interface Quota {
  check(key: string): void; // throws 201 once the budget is spent
  charge(key: string, seconds: number): void;
}

const windowMs = 60_000;

export function createQuota(secondsMax: number = limits.querySecondsPerTenantPerMinuteMax, now: () => number = Date.now): Quota {
  const used = new Map<string, number>(); // seconds by key, in the window that ends at:
  let endsAt = 0;

  const usedBy = (key: string): number => {
    if (now() >= endsAt) {
      used.clear();
      endsAt = (Math.floor(now() / windowMs) + 1) * windowMs;
    }
    return used.get(key) ?? 0;
  };

  return {
    check(key) {
      const seconds = usedBy(key);
      if (seconds <= secondsMax) return;
      const ends = new Date(endsAt).toISOString().slice(0, 19).replace("T", " ");
      throw exception(201, `Quota for user \`reader\` for ${windowMs / 1_000}s has been exceeded: execution_time = ${seconds}/${secondsMax}. Interval will end at ${ends}. Name of quota template: \`lamella_tenant\``);
    },
    charge: (key, seconds) => void used.set(key, usedBy(key) + seconds),
  };
}
