// Workloads: runs of serving benchmarks. One is complete when all of its parts are here; until then it shows as incomplete in the list and nothing else is asked of it.
import { z } from "zod";
import type { Query } from "./client.ts";

const names = z.array(z.string());
const values = z.array(z.number().nullable()); // null: infinite, the only number that JSON lacks and the door takes

export const workloadRow = z.object({
  workload_id: z.string(), name: z.string(), label: z.string(), tool: z.string(), tool_version: z.string(), engine: z.string(), model_name: z.string(), layers: z.number(),
  started_s: z.number().nullable(), date_text: z.string(), latency_estimated: z.boolean(), load_strategy: z.string(), load_names: names, load_values: values, stated_names: names, stated_values: values,
  computed_names: names, computed_values: values, aggregate_engines: names, aggregate_metrics: names, aggregate_values: values, aggregate_observations: values, notes: names,
  received_ms: z.coerce.number(), parts: z.number(), parts_stored: z.coerce.number(), requests: z.coerce.number(), failed: z.coerce.number(),
});
export type WorkloadRow = z.infer<typeof workloadRow>;

// The newest copy of each workload, latest received first, with what is stored of it. `LIMIT 1 BY` instead of FINAL: copies differ in their name at most.
const newestWorkloads = (conditions: readonly string[]) => `
SELECT workload_id, name, label, tool, tool_version, engine, model_name, layers, toUInt32(started_at) AS started_s, date_text, latency_estimated, load_strategy, load_names, load_values,
       stated_names, stated_values, computed_names, computed_values, aggregate_engines, aggregate_metrics, aggregate_values, aggregate_observations, notes,
       toUnixTimestamp64Milli(received_at) AS received_ms, parts, parts_stored, all_requests AS requests, all_failed AS failed
FROM (
  SELECT * FROM workloads WHERE ${["tenant_id = {tenant:String}", "part = 1", ...conditions].join(" AND ")} ORDER BY stored_at DESC LIMIT 1 BY workload_id
) AS one
INNER JOIN (
  SELECT workload_id, parts, count() AS parts_stored, sum(requests) AS all_requests, sum(failed) AS all_failed
  FROM (SELECT workload_id, part, parts, requests, failed FROM workloads WHERE tenant_id = {tenant:String} ORDER BY stored_at DESC LIMIT 1 BY workload_id, part)
  GROUP BY workload_id, parts
) AS stored USING (workload_id, parts)
ORDER BY received_ms DESC, workload_id`;

export function workloadById(id: string): Query & { row: typeof workloadRow } {
  return { sql: newestWorkloads(["workload_id = {id:String}"]), params: { id }, row: workloadRow };
}

// The last second counts whole: what was received a moment ago has milliseconds. `after` is the last of the page before.
export type WorkloadsPage = { readonly fromS: number; readonly toS: number; readonly prefix?: string; readonly limit: number; readonly after?: { readonly receivedAtMs: number; readonly id: string } };

export function workloadsBetween({ fromS, toS, prefix = "", limit, after }: WorkloadsPage): Query & { row: typeof workloadRow } {
  const conditions = ["received_at >= toDateTime({from:UInt32})", "received_at < toDateTime({to:UInt32} + 1)", "startsWith(workload_id, {prefix:String})"];
  if (after !== undefined) conditions.push("(toUnixTimestamp64Milli(received_at) < {afterMs:Int64} OR (toUnixTimestamp64Milli(received_at) = {afterMs:Int64} AND workload_id > {afterId:String}))");
  return {
    sql: `${newestWorkloads(conditions)} LIMIT {limit:UInt32}`,
    params: { from: fromS, to: toS, prefix, limit, ...(after === undefined ? {} : { afterMs: after.receivedAtMs, afterId: after.id }) },
    row: workloadRow,
  };
}
