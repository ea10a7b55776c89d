// Which profile types have live samples in a range. Short ranges ask the raw rows and are exact; long ones ask the hourly roll-up, whole hours.
import { z } from "zod";
import type { Query } from "./client.ts";

const typeRow = z.object({ profile_type: z.string() });
const exactSecondsMax = 6 * 3_600;

export function liveProfileTypes(fromS: number, toS: number): Query & { row: typeof typeRow } {
  const exact = toS - fromS <= exactSecondsMax;
  return {
    sql: `
SELECT DISTINCT profile_type FROM ${exact ? "samples" : "samples_1h_by_exe"}
WHERE tenant_id = {tenant:String} AND execution_id = '' AND bucket >= toStartOfHour(toDateTime({from:UInt32}, 'UTC')) AND bucket < toDateTime({to:UInt32}, 'UTC')
  ${exact ? "AND ts >= toDateTime({from:UInt32}, 'UTC') AND ts < toDateTime({to:UInt32}, 'UTC')" : ""}`,
    params: { from: fromS, to: toS },
    row: typeRow,
  };
}
