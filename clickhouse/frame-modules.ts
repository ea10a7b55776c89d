// In which modules a frame lies: of each stack that has it, the innermost layer frame at or above its deepest occurrence. A layer frame lies in itself.
import { z } from "zod";
import { moduleRows } from "#core/flamegraph/tables/modules.ts";
import { frameKindNames, frameKinds } from "#schema/frame-kinds.ts";
import type { Query } from "./client.ts";
import { type SampleSelection, noLayerFrame, stackSums } from "./samples.ts";

const moduleRow = z.object({
  frame: z.string(), name: z.string(), module_path: z.string(), module_class: z.string(), model_key: z.string(),
  total: z.string(), count: z.string(), all_rows: z.coerce.number(), whole: z.string(), whole_count: z.string(), whole_samples: z.string(), without_layer: z.string(),
});
const frameRow = z.object({ kind: z.enum(frameKindNames), name: z.string(), file: z.string(), line: z.int(), mapping: z.string(), module_path: z.string(), module_class: z.string(), model_key: z.string() });

// `frame`: its decimal id. At most `limit` modules, heaviest first; the two rows that are none come besides.
export function frameModules(selection: SampleSelection, frame: string, limit: number): Query & { row: typeof moduleRow } {
  const sums = stackSums(selection);
  const sql = `
SELECT frame, name, module_path, module_class, model_key, total, count, all_rows, whole, whole_count, whole_samples, without_layer
FROM (SELECT frame_id, name, module_path, module_class, model_key FROM frames WHERE tenant_id = {tenant:String}) AS names
ANY RIGHT JOIN (
  SELECT module AS frame, sum(value) AS total, sum(one.count) AS count, count() OVER () AS all_rows,
         sum(sum(value)) OVER () AS whole, sum(sum(one.count)) OVER () AS whole_count, sum(sum(one.samples)) OVER () AS whole_samples,
         sum(sumIf(value, no_layer)) OVER () AS without_layer
  FROM (
    SELECT value, count, samples, ${noLayerFrame} AS no_layer, arrayLastIndex(f -> f = {frame:UInt64}, frames) AS at,
           if(at = 0, toUInt64(${moduleRows.elsewhere}), arrayLast(f -> bitAnd(f, 15) = ${frameKinds.layer.number}, arraySlice(frames, 1, at))) AS module
    FROM (SELECT stack_id, frames FROM stacks WHERE tenant_id = {tenant:String}) AS stack
    ANY RIGHT JOIN (${sums.sql}) AS sums USING (stack_id)
  ) AS one
  GROUP BY module ORDER BY frame IN (${moduleRows.none}, ${moduleRows.elsewhere}) DESC, total DESC, frame LIMIT {limit:UInt32}
) AS modules ON names.frame_id = modules.frame`;
  return { sql, params: { ...sums.params, frame, limit: limit + 2 }, row: moduleRow };
}

export function frameById(frame: string): Query & { row: typeof frameRow } {
  return {
    sql: "SELECT kind, name, file, line, mapping, module_path, module_class, model_key FROM frames WHERE tenant_id = {tenant:String} AND frame_id = {frame:UInt64} LIMIT 1",
    params: { frame }, row: frameRow,
  };
}
