// What executions did module by module: the stored record of one, and one module over the executions of a model.
import { z } from "zod";
import type { Query } from "./client.ts";
import { executionRow, type ExecutionsPage, newestExecutions, pageConditions } from "./executions.ts";

const recordRow = z.object({ record: z.string(), upload_id: z.string() });

export function executionRecord(id: string): Query & { row: typeof recordRow } {
  return {
    sql: "SELECT record, upload_id::String AS upload_id FROM execution_records WHERE tenant_id = {tenant:String} AND execution_id = {id:String} ORDER BY stored_at DESC LIMIT 1",
    params: { id },
    row: recordRow,
  };
}

const nodeRow = executionRow.extend({
  module_class: z.string(), node_calls: z.coerce.number(), node_kernels: z.coerce.number(), node_value: z.coerce.number(), gpu_min: z.coerce.number(),
  gpu_median: z.coerce.number(), gpu_max: z.coerce.number(), cpu_total: z.coerce.number(), cpu_min: z.coerce.number(), cpu_median: z.coerce.number(), cpu_max: z.coerce.number(),
});

// The complete executions of a model that have this module, latest first, with what it took in each: a row for every class that the path had in one.
export function moduleHistory({ path, modelName, ...page }: ExecutionsPage & { readonly path: string; readonly modelName: string }): Query & { row: typeof nodeRow } {
  const { conditions, params } = pageConditions(page);
  const nodes = "FROM execution_nodes WHERE tenant_id = {tenant:String} AND module_path = {path:String} AND step = 0";
  const executions = newestExecutions([...conditions, "model_name = {model:String}", `execution_id IN (SELECT execution_id ${nodes})`]);
  return {
    sql: `
SELECT one.*, module_class, node_calls, node_kernels, node_value, gpu_min, gpu_median, gpu_max, cpu_total, cpu_min, cpu_median, cpu_max
FROM (SELECT * FROM (${executions}) WHERE parts_stored >= parts LIMIT {limit:UInt32}) AS one
INNER JOIN (
  SELECT execution_id, module_class, calls AS node_calls, kernels AS node_kernels, value AS node_value, gpu_min, gpu_median, gpu_max, cpu_total, cpu_min, cpu_median, cpu_max
  ${nodes} ORDER BY stored_at DESC LIMIT 1 BY execution_id, module_class
) AS node USING (execution_id)
ORDER BY imported_at_s DESC, execution_id, node_value DESC, module_class`,
    params: { ...params, path, model: modelName },
    row: nodeRow,
  };
}
