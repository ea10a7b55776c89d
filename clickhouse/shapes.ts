// Shapes and the parts they are merged from.
import { z } from "zod";
import type { Query } from "./client.ts";

const shapeRow = z.object({
  shape_id: z.string(), body: z.string(), modules: z.coerce.number(), parameters: z.coerce.number(), weight_bytes: z.coerce.number(), stored_at_s: z.coerce.number(),
});

export function shapeById(id: string): Query & { row: typeof shapeRow } {
  return {
    sql: `
SELECT shape_id, body, modules, parameters, weight_bytes, toUnixTimestamp(stored_at) AS stored_at_s FROM shapes
WHERE tenant_id = {tenant:String} AND shape_id = {id:String} LIMIT 1`,
    params: { id },
    row: shapeRow,
  };
}

const partRow = z.object({ pp_rank: z.coerce.number(), pp_size: z.coerce.number(), body: z.string(), layout: z.string() });

// The newest stored piece of each pipeline stage of a model.
export function shapeParts(modelKey: string): Query & { row: typeof partRow } {
  return {
    sql: `
SELECT pp_rank, pp_size, body, layout FROM shape_parts WHERE tenant_id = {tenant:String} AND model_key = {key:String}
ORDER BY stored_at DESC, part_hash LIMIT 1 BY pp_rank`,
    params: { key: modelKey },
    row: partRow,
  };
}
