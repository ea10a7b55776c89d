// The Models page: sightings in the time range, grouped to one row per shape (per model key until its shape is stored), with counts of where it ran.
import type { ModelColumn } from "#schema/api/models.ts";
import { z } from "zod";
import type { Query } from "./client.ts";

const modelRow = z.object({
  id: z.string(), shape_id: z.string(), model_keys: z.array(z.string()), served_name: z.string(), name_or_path: z.string(), architecture: z.string(), root_class: z.string(),
  parameters: z.coerce.number(), modules: z.coerce.number(), weight_bytes: z.coerce.number(), hosts: z.coerce.number(), machines: z.coerce.number(),
  processes: z.coerce.number(), layouts: z.array(z.tuple([z.coerce.number(), z.coerce.number()])), pp_size: z.coerce.number(), run_id: z.string(), stages: z.array(z.coerce.number()),
  first_s: z.coerce.number(), last_s: z.coerce.number(), sources: z.array(z.enum(["live", "import", "walk"])), sort_key: z.string(),
});
export type ModelsRow = z.infer<typeof modelRow>;

export type ModelsSort = { readonly column: ModelColumn; readonly descending: boolean };

// What a column is ordered by: a text, or a number. Models without a stored shape have no sizes: they come last either way.
const sortKeys: Record<ModelColumn, { readonly type: "String" | "UInt64"; readonly sql: (descending: boolean) => string }> = {
  name: { type: "String", sql: () => "substringUTF8(lowerUTF8(multiIf(served_name != '', served_name, name_or_path != '', name_or_path, architecture != '', architecture, root_class != '', root_class, 'unnamed')), 1, 100)" },
  parameters: { type: "UInt64", sql: ofShape("parameters") },
  modules: { type: "UInt64", sql: ofShape("modules") },
  weightBytes: { type: "UInt64", sql: ofShape("weight_bytes") },
  hosts: { type: "UInt64", sql: () => "hosts" },
  machines: { type: "UInt64", sql: () => "machines" },
  processes: { type: "UInt64", sql: () => "processes" },
  parallelism: { type: "UInt64", sql: () => "arrayMax(arrayMap(layout -> toUInt64(layout.1) * layout.2, arrayPushBack(layouts, (1, 1))))" }, // ranks of the largest layout
  firstSeen: { type: "UInt64", sql: () => "first_s" },
  lastSeen: { type: "UInt64", sql: () => "last_s" },
};

function ofShape(column: string): (descending: boolean) => string {
  return (descending) => `if(shape_id = '', ${descending ? "0" : "18446744073709551615"}, ${column})`;
}

export type ModelsSelection = {
  readonly fromS: number;
  readonly toS: number;
  readonly where: { readonly sql: string; readonly params: Readonly<Record<string, string | readonly string[]>> };
  readonly id?: string; // a shape id or a model key
  readonly sort: ModelsSort;
  readonly after?: { readonly key: string; readonly id: string }; // cursor: sort_key and id of the last row of the page before
  readonly limit: number;
};

// A sighting overlaps the range when it was last seen at or after its start and first seen before its end; `day` is that of last_seen, so only the days before the
// range can be skipped by it. One process reports many times a day: the inner GROUP BY merges copies that the engine has not merged yet, so nothing is counted twice.
// A process says which structure it ran, or which part of one (part_hash), so two under one model key are two rows. For one that says nothing the key's latest is taken.
// A part may be in several: in those that its run has made of it. While stages of a run change one after the other, what has been merged of new and old ones lies between
// two that last, so the one is taken that lasted longest. The stages stored of a row are those of its run that was seen last.
export function modelsBetween(selection: ModelsSelection): Query & { row: typeof modelRow } {
  const { column, descending } = selection.sort;
  const { type, sql } = sortKeys[column];
  const key = `to${type}(${sql(descending)})`;
  const having = [
    selection.id === undefined ? "1 = 1" : "(id = {id:String} OR has(model_keys, {id:String}))",
    selection.after === undefined ? "1 = 1" : `(${key} ${descending ? "<" : ">"} {afterKey:${type}} OR (${key} = {afterKey:${type}} AND id > {afterId:String}))`,
  ];
  return {
    sql: `
SELECT one_id AS id, any(known_shape_id) AS shape_id, groupUniqArray(model_key) AS model_keys,
       argMax(seen.served_name, seen.last_seen) AS served_name, argMax(seen.name_or_path, seen.last_seen) AS name_or_path,
       argMax(seen.architecture, seen.last_seen) AS architecture, argMax(seen.root_class, seen.last_seen) AS root_class,
       any(shape.parameters) AS parameters, any(shape.modules) AS modules, any(shape.weight_bytes) AS weight_bytes,
       uniqExactIf(host_name, host_name != '') AS hosts, uniqExactIf(machine_id, machine_id != '') AS machines, uniqExact(process_key) AS processes,
       arrayReverseSort(groupUniqArrayIf((seen.tp_size, seen.pp_size), seen.tp_size > 1 OR seen.pp_size > 1)) AS layouts, max(seen.pp_size) AS pp_size,
       argMax(seen.run_id, (seen.last_seen, seen.run_id)) AS run_id, arraySort(argMax(parts.stages, (seen.last_seen, seen.run_id))) AS stages,
       toUnixTimestamp(min(seen.first_seen)) AS first_s, toUnixTimestamp(max(seen.last_seen)) AS last_s, arraySort(groupUniqArray(source)) AS sources,
       toString(${key}) AS sort_key
FROM (
  SELECT model_key::String AS model_key, s.part_hash::String AS part_hash, source::String AS source, host_name, machine_id, process_key, tp_rank, pp_rank,
         max(s.tp_size) AS tp_size, max(s.pp_size) AS pp_size, max(s.run_id) AS run_id,
         argMax(s.served_name, s.last_seen) AS served_name, argMax(s.name_or_path, s.last_seen) AS name_or_path,
         argMax(s.architecture, s.last_seen) AS architecture, argMax(s.root_class, s.last_seen) AS root_class,
         min(s.first_seen) AS first_seen, max(s.last_seen) AS last_seen
  FROM sightings AS s
  WHERE tenant_id = {tenant:String} AND day >= toDate(toDateTime({from:UInt32}, 'UTC'))
    AND s.last_seen >= toDateTime({from:UInt32}, 'UTC') AND s.first_seen < toDateTime({to:UInt32}, 'UTC') AND (${selection.where.sql})
  GROUP BY model_key, part_hash, source, host_name, machine_id, process_key, tp_rank, pp_rank
) AS seen
ANY LEFT JOIN (
  SELECT model_key::String AS model_key, shape_id::String AS latest FROM model_shapes WHERE tenant_id = {tenant:String} ORDER BY stored_at DESC, parts_received_s DESC LIMIT 1 BY model_key
) AS known USING (model_key)
ANY LEFT JOIN (
  SELECT model_key, run_id, arrayJoin(parts) AS part_hash, ran FROM (
    SELECT model_key::String AS model_key, run_id, parts, shape_id::String AS ran, toUnixTimestamp(stored_at) AS stored_s, parts_received_s,
           leadInFrame(stored_s, 1, 4294967295) OVER (PARTITION BY model_key, run_id ORDER BY stored_s, parts_received_s ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) - stored_s AS lasted_s
    FROM model_shapes WHERE tenant_id = {tenant:String}
  ) ORDER BY lasted_s DESC, stored_s DESC, parts_received_s DESC LIMIT 1 BY model_key, run_id, part_hash
) AS said USING (model_key, run_id, part_hash)
ANY LEFT JOIN (
  SELECT shape_id::String AS known_shape_id, parameters, modules, weight_bytes FROM shapes WHERE tenant_id = {tenant:String} LIMIT 1 BY shape_id
) AS shape ON known_shape_id = if(seen.part_hash = '', known.latest, said.ran)
ANY LEFT JOIN (
  SELECT model_key, run_id, argMax(stages, newest) AS stages FROM (
    SELECT model_key::String AS model_key, run_id, groupUniqArray(pp_rank) AS stages, max(stored_at) AS newest
    FROM shape_parts WHERE tenant_id = {tenant:String} GROUP BY model_key, run_id, if(run_id = '', sizes, '')
  ) GROUP BY model_key, run_id
) AS parts USING (model_key, run_id)
GROUP BY if(known_shape_id = '', model_key, known_shape_id) AS one_id
HAVING ${having.join(" AND ")}
ORDER BY ${selection.id === undefined ? "" : "id = {id:String} DESC, "}${key} ${descending ? "DESC" : "ASC"}, id
LIMIT {limit:UInt32}`,
    params: {
      ...selection.where.params, from: selection.fromS, to: selection.toS, limit: selection.limit,
      ...(selection.id === undefined ? {} : { id: selection.id }),
      ...(selection.after === undefined ? {} : { afterKey: selection.after.key, afterId: selection.after.id }),
    },
    row: modelRow,
  };
}
