// Shapes and the parts they are merged from.
import { z } from "zod";
import type { ShapeLayout } from "#core/shape/part.ts";
import type { Stage } from "#core/shape/whole.ts";
import type { ShapeBody } from "#schema/api/models.ts";
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

const partRow = z.object({ pp_rank: z.coerce.number(), pp_size: z.coerce.number(), part_hash: z.string(), body: z.string(), layout: z.string(), stored_at_s: z.coerce.number() });

// The newest stored piece of each pipeline stage of a model, in one deployment (core/shape/whole.ts: a run, or parallel sizes "tp.pp.ep.dp"); without one, in that of
// those that name no run which was seen last. `stored_at` is when the piece was received, so the queue may bring pieces in any order.
export function shapeParts(modelKey: string, deployment?: string): Query & { row: typeof partRow } {
  const latest = "(SELECT argMax(sizes, stored_at) FROM shape_parts WHERE tenant_id = {tenant:String} AND model_key = {key:String} AND run_id = '')";
  return {
    sql: `
SELECT pp_rank, pp_size, part_hash::String AS part_hash, body, layout, toUnixTimestamp(stored_at) AS stored_at_s FROM shape_parts
WHERE tenant_id = {tenant:String} AND model_key = {key:String} AND if(run_id = '', sizes, run_id) = ${deployment === undefined ? latest : "{deployment:String}"}
ORDER BY stored_at DESC, part_hash LIMIT 1 BY pp_rank`,
    params: { key: modelKey, ...(deployment === undefined ? {} : { deployment }) },
    row: partRow,
  };
}

export function asStage(row: z.infer<typeof partRow>): Stage {
  return { ppRank: row.pp_rank, ppSize: row.pp_size, partHash: row.part_hash, body: JSON.parse(row.body) as ShapeBody, layout: JSON.parse(row.layout) as ShapeLayout };
}

const layoutRow = z.object({ layout_id: z.string(), layout: z.string(), model_keys: z.array(z.string()), stored_at_s: z.coerce.number(), total: z.coerce.number() });

export type LayoutChoice = { readonly id: string } | { readonly newest: number };

// Layouts stored of a shape, the one stored last first; `total` is how many there are. A shape may have any number of them, so which to read is settled by their ids.
export function shapeLayouts(shapeId: string, choice: LayoutChoice): Query & { row: typeof layoutRow } {
  const ofShape = "FROM model_shapes WHERE tenant_id = {tenant:String} AND shape_id = {id:String}";
  const newest = `(SELECT layout_id ${ofShape} GROUP BY layout_id ORDER BY toUnixTimestamp(max(stored_at)) DESC, layout_id LIMIT {newest:UInt32})`;
  return {
    sql: `
SELECT layout_id::String AS layout_id, any(layout) AS layout, arraySort(groupUniqArray(model_key::String)) AS model_keys, toUnixTimestamp(max(stored_at)) AS stored_at_s,
       (SELECT uniqExact(layout_id) ${ofShape}) AS total
${ofShape} AND layout_id ${"id" in choice ? "= {layoutId:String}" : `IN ${newest}`}
GROUP BY layout_id ORDER BY stored_at_s DESC, layout_id`,
    params: { id: shapeId, ...("id" in choice ? { layoutId: choice.id } : { newest: choice.newest }) },
    row: layoutRow,
  };
}

const seenRow = z.object({ model_key: z.string(), tp_size: z.coerce.number(), pp_size: z.coerce.number(), last_s: z.coerce.number() });

// The processes of a shape: those that say one of its parts, in the run that made it of them, or that say no part.
const ranShape = "(s.part_hash = '' OR (s.run_id, s.part_hash) IN (SELECT run_id, arrayJoin(parts) FROM model_shapes WHERE tenant_id = {tenant:String} AND shape_id = {id:String}))";

// When each model key of a shape was last seen in the range, by its parallel sizes.
export function layoutsSeen(shapeId: string, fromS: number, toS: number): Query & { row: typeof seenRow } {
  return {
    sql: `
SELECT model_key::String AS model_key, s.tp_size AS tp_size, s.pp_size AS pp_size, toUnixTimestamp(max(s.last_seen)) AS last_s
FROM sightings AS s WHERE tenant_id = {tenant:String} AND day >= toDate(toDateTime({from:UInt32}, 'UTC'))
  AND s.last_seen >= toDateTime({from:UInt32}, 'UTC') AND s.first_seen < toDateTime({to:UInt32}, 'UTC')
  AND s.model_key IN (SELECT model_key FROM model_shapes WHERE tenant_id = {tenant:String} AND shape_id = {id:String}) AND ${ranShape}
GROUP BY model_key, tp_size, pp_size`,
    params: { id: shapeId, from: fromS, to: toS },
    row: seenRow,
  };
}

const nameRow = z.object({ served_name: z.string(), name_or_path: z.string(), architecture: z.string(), root_class: z.string() });

// What the models of a shape were last seen as; no row when none of them was.
export function namesOfShape(shapeId: string): Query & { row: typeof nameRow } {
  return {
    sql: `
SELECT argMax(s.served_name, s.last_seen) AS served_name, argMax(s.name_or_path, s.last_seen) AS name_or_path,
       argMax(s.architecture, s.last_seen) AS architecture, argMax(s.root_class, s.last_seen) AS root_class
FROM sightings AS s WHERE tenant_id = {tenant:String}
  AND model_key IN (SELECT model_key FROM model_shapes WHERE tenant_id = {tenant:String} AND shape_id = {id:String}) AND ${ranShape}
HAVING count() > 0`,
    params: { id: shapeId },
    row: nameRow,
  };
}
