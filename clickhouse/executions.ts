// Executions: imported traces. One is complete when the ledger has all of its parts; until then it shows as incomplete and is never chosen as "latest".
import { z } from "zod";
import type { Query } from "./client.ts";

export const executionRow = z.object({
  execution_id: z.string(), name: z.string(), device: z.string(), profile_type: z.string(), path_source: z.enum(["none", "recorded", "aligned", "inferred"]),
  model_name: z.string(), model_key: z.string(), recorded_at_ns: z.string(), duration_ns: z.coerce.number(), imported_at_s: z.coerce.number(),
  parts: z.coerce.number(), total_value: z.coerce.number(), module_value: z.coerce.number(), kernels: z.coerce.number(), events: z.coerce.number(),
  gap_reasons: z.array(z.string()), gap_kernels: z.array(z.coerce.number()), gap_values: z.array(z.coerce.number()), notes: z.array(z.string()),
  parts_stored: z.coerce.number(),
});
export type ExecutionRow = z.infer<typeof executionRow>;

// The newest copy of each execution, latest first, with the number of its parts that are stored. `LIMIT 1 BY` instead of FINAL: copies differ only in stored_at.
export const newestExecutions = (conditions: readonly string[]) => `
SELECT execution_id, name, device, profile_type, path_source, model_name, model_key, recorded_at_ns, duration_ns, toUnixTimestamp(imported_at) AS imported_at_s,
       parts, total_value, module_value, kernels, events, gap_reasons, gap_kernels, gap_values, notes, parts_stored
FROM (
  SELECT * FROM executions WHERE ${["tenant_id = {tenant:String}", ...conditions].join(" AND ")} ORDER BY stored_at DESC LIMIT 1 BY execution_id
) AS one
ANY LEFT JOIN (
  SELECT execution_id, parts AS parts_sent, uniqExact(part) AS parts_stored FROM uploads
  WHERE tenant_id = {tenant:String} AND kind = 'samples' AND execution_id != '' GROUP BY execution_id, parts_sent
) AS stored ON stored.execution_id = one.execution_id::String AND stored.parts_sent = one.parts
ORDER BY imported_at DESC, execution_id`;

export function executionById(id: string): Query & { row: typeof executionRow } {
  return { sql: newestExecutions(["execution_id = {id:String}"]), params: { id }, row: executionRow };
}

// `after` is the last of the page before.
export type ExecutionsPage = { readonly fromS: number; readonly toS: number; readonly limit: number; readonly after?: { readonly importedAtS: number; readonly id: string } };

// The executions of a page, as conditions; what uses them takes `limit` of them.
export function pageConditions({ fromS, toS, limit, after }: ExecutionsPage): { conditions: string[]; params: Query["params"] } {
  const conditions = ["imported_at >= toDateTime({from:UInt32}) AND imported_at <= toDateTime({to:UInt32})"];
  if (after !== undefined) conditions.push("(imported_at < toDateTime({afterS:UInt32}) OR (imported_at = toDateTime({afterS:UInt32}) AND execution_id > {afterId:String}))");
  return { conditions, params: { from: fromS, to: toS, limit, ...(after === undefined ? {} : { afterS: after.importedAtS, afterId: after.id }) } };
}

export function executionsBetween({ prefix = "", ...page }: ExecutionsPage & { readonly prefix?: string }): Query & { row: typeof executionRow } {
  const { conditions, params } = pageConditions(page);
  return { sql: `${newestExecutions([...conditions, "startsWith(execution_id, {prefix:String})"])} LIMIT {limit:UInt32}`, params: { ...params, prefix }, row: executionRow };
}

export function latestExecution(): Query & { row: typeof executionRow } {
  return { sql: `SELECT * FROM (${newestExecutions([])}) WHERE parts_stored >= parts ORDER BY imported_at_s DESC, execution_id LIMIT 1`, params: {}, row: executionRow };
}
