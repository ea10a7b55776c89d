// What arrived for a tenant, for the status page.
import { z } from "zod";
import type { Query } from "./client.ts";

const countsRow = z.object({ uploads: z.coerce.number(), samples: z.coerce.number(), executions: z.coerce.number(), models: z.coerce.number(), last_stored_ms: z.coerce.number() });

export function statusCounts(): Query & { row: typeof countsRow } {
  return {
    sql: `
SELECT (SELECT uniqExact(upload_id) FROM uploads WHERE tenant_id = {tenant:String}) AS uploads,
       (SELECT sum(samples) FROM (SELECT any(samples) AS samples FROM uploads WHERE tenant_id = {tenant:String} GROUP BY upload_id)) AS samples,
       (SELECT uniqExact(execution_id) FROM executions WHERE tenant_id = {tenant:String}) AS executions,
       (SELECT uniqExact(model_key) FROM sightings WHERE tenant_id = {tenant:String}) AS models,
       (SELECT toUnixTimestamp64Milli(max(stored_at)) FROM uploads WHERE tenant_id = {tenant:String}) AS last_stored_ms`,
    params: {},
    row: countsRow,
  };
}

const hostRow = z.object({ host: z.string(), at_s: z.coerce.number() });

export function lastSampleByHost(limit: number): Query & { row: typeof hostRow } {
  return {
    sql: `
SELECT value AS host, toUnixTimestamp(max(last_seen)) AS at_s FROM field_values
WHERE tenant_id = {tenant:String} AND field = 'host.name' GROUP BY value ORDER BY at_s DESC LIMIT {limit:UInt32}`,
    params: { limit },
    row: hostRow,
  };
}
