// Values of a filter field with their sample counts, for completion: from the side table, 2 ms where the samples themselves would take seconds.
import { z } from "zod";
import type { Query } from "./client.ts";

const valueRow = z.object({ value: z.string(), samples: z.coerce.number() });

export function fieldValues(field: string, prefix: string, fromS: number, toS: number, limit: number): Query & { row: typeof valueRow } {
  return {
    sql: `
SELECT value, sum(samples) AS samples FROM field_values
WHERE tenant_id = {tenant:String} AND field = {field:String} AND day >= toDate(toDateTime({from:UInt32}, 'UTC')) AND day <= toDate(toDateTime({to:UInt32}, 'UTC'))
  AND startsWith(value, {prefix:String})
GROUP BY value ORDER BY samples DESC, value LIMIT {limit:UInt32}`,
    params: { field, prefix, from: fromS, to: toS, limit },
    row: valueRow,
  };
}
