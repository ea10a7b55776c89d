import { modelsBetween, type ModelsRow } from "#clickhouse/models.ts";
import { shapeById } from "#clickhouse/shapes.ts";
import { where } from "#clickhouse/where.ts";
import { displayName } from "#core/shape/display-name.ts";
import { missingStages } from "#core/shape/merge.ts";
import type { ModelRow, ShapeBody } from "#schema/api/models.ts";
import { ApiError } from "../problem.ts";
import { type Handler, rowsOf } from "../route-context.ts";
import { extentOf, filterOf, iso, rangeOf } from "./selection.ts";

export const models: Handler<"models"> = async (context) => {
  const { query } = context;
  const range = rangeOf(query, context.nowMs);
  const filter = where(filterOf(query.filter, "models"), "sightings");
  const after = query.cursor === undefined ? undefined : cursorOf(query.cursor);
  const selection = { ...range, where: filter, limit: query.limit + 1, ...(after ? { after } : {}) };
  const [extent, rows] = await Promise.all([extentOf(context, range), rowsOf(context, modelsBetween(selection), "models")]);
  const page = rows.slice(0, query.limit);
  const last = page.at(-1);
  return { ...extent, models: page.map(asModel), next: rows.length > query.limit && last ? `${last.last_s}.${last.id}` : null };
};

export const model: Handler<"model"> = async (context) => {
  const range = rangeOf(context.query, context.nowMs);
  const selection = { ...range, where: { sql: "1 = 1", params: {} }, id: context.params.id, limit: 1 };
  const [extent, [row]] = await Promise.all([extentOf(context, range), rowsOf(context, modelsBetween(selection), "model")]);
  if (row === undefined) throw new ApiError("model_not_found", { detail: "No such model was seen in this time range. Widen the range, or check the address." });
  return { ...extent, model: asModel(row) };
};

// A stored shape never changes, so browsers may keep it for ever; only for the one who asked, since it belongs to a tenant.
export const shape: Handler<"shape"> = async (context) => {
  const [row] = await rowsOf(context, shapeById(context.params.id), "shape");
  if (row === undefined) {
    throw new ApiError("shape_not_stored", { detail: "The model was reported, but its module tree has not been stored yet. Retry shortly.", retryAfterS: 5 });
  }
  const body = JSON.stringify({
    shapeId: row.shape_id, parameters: row.parameters, modules: row.modules, weightBytes: row.weight_bytes, storedAt: iso(row.stored_at_s * 1000), shape: JSON.parse(row.body) as ShapeBody,
  });
  return new Response(body, { headers: { "content-type": "application/json", "cache-control": "private, max-age=31536000, immutable", vary: "authorization, cookie" } });
};

function asModel(row: ModelsRow): ModelRow {
  const known = row.shape_id !== "";
  return {
    id: row.id, shapeId: known ? row.shape_id : null, modelKeys: row.model_keys,
    name: displayName({ servedName: row.served_name, nameOrPath: row.name_or_path, architecture: row.architecture, rootClass: row.root_class }),
    architecture: row.architecture, parameters: known ? row.parameters : null, modules: known ? row.modules : null, weightBytes: known ? row.weight_bytes : null,
    hosts: row.hosts, machines: row.machines, processes: row.processes, parallelism: row.layouts.map(([tp, pp]) => ({ tp, pp })),
    missingStages: known || row.pp_size <= 1 ? [] : missingStages(row.stages, row.pp_size),
    firstSeen: iso(row.first_s * 1000), lastSeen: iso(row.last_s * 1000), sources: row.sources,
  };
}

function cursorOf(text: string): { lastS: number; id: string } {
  const match = /^(\d{1,10})\.([0-9a-f]{32,64})$/.exec(text);
  if (match === null) throw new ApiError("parameter_invalid", { detail: "`cursor` is not the `next` of an answer of this route." });
  return { lastS: Number(match[1]), id: match[2]! };
}
