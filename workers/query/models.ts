import { modelsBetween, type ModelsRow, type ModelsSort } from "#clickhouse/models.ts";
import { asStage, layoutsSeen, shapeLayouts, shapeParts } from "#clickhouse/shapes.ts";
import { where } from "#clickhouse/where.ts";
import { displayName } from "#core/shape/display-name.ts";
import { missingStages } from "#core/shape/merge.ts";
import { wholeModel } from "#core/shape/whole.ts";
import type { ShapeLayout } from "#core/shape/part.ts";
import type { Seconds } from "#core/time-range.ts";
import { type ModelColumn, type ModelLayout, type ModelRow, modelsQuery, type ModelSort } from "#schema/api/models.ts";
import { limits } from "#schema/limits.ts";
import { ApiError } from "../problem.ts";
import { type Handler, type RouteContext, rowsOf } from "../route-context.ts";
import { extentOf, filterOf, iso, rangeOf } from "./selection.ts";

export const models: Handler<"models"> = async (context) => {
  const { query } = context;
  const range = rangeOf(query, context.nowMs);
  const filter = where(filterOf(query.filter, "models"), "sightings");
  const after = query.cursor === undefined ? undefined : cursorOf(query.cursor, query.sort);
  const selection = { ...range, where: filter, sort: sortOf(query.sort), limit: query.limit + 1, ...(after ? { after } : {}) };
  const [extent, rows] = await Promise.all([extentOf(context, range), rowsOf(context, modelsBetween(selection), "models")]);
  const page = rows.slice(0, query.limit);
  const last = page.at(-1);
  return { ...extent, models: page.map(asModel), next: rows.length > query.limit && last ? `${query.sort}~${last.id}~${encodeURIComponent(last.sort_key)}` : null };
};

export const model: Handler<"model"> = async (context) => {
  const range = rangeOf(context.query, context.nowMs);
  const selection = { ...range, where: { sql: "1 = 1", params: {} }, sort: sortOf("-lastSeen"), id: context.params.id, limit: 1 };
  const [extent, [row]] = await Promise.all([extentOf(context, range), rowsOf(context, modelsBetween(selection), "model")]);
  if (row === undefined) throw new ApiError("model_not_found", { detail: "No such model was seen in this time range. Widen the range, or check the address." });
  const layouts = row.shape_id === "" ? { layouts: [], layoutsTotal: 0 } : await layoutsOf(context, row.shape_id, range);
  return { ...extent, model: asModel(row), ...layouts, problem: await problemOf(context, row) };
};

// Stages that are all there and still no model: of different splits, or in conflict.
async function problemOf(context: Parameters<Handler<"model">>[0], row: ModelsRow): Promise<string | null> {
  if (row.shape_id !== "" || row.pp_size <= 1) return null;
  const stages = await rowsOf(context, shapeParts(row.model_keys[0]!, row.run_id === "" ? undefined : row.run_id), "model");
  if (stages.length === 0) return null;
  const whole = wholeModel(stages.map(asStage));
  return whole.ok ? null : whole.error.detail;
}

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

async function layoutsOf(context: RouteContext, shapeId: string, range: Seconds): Promise<{ layouts: ModelLayout[]; layoutsTotal: number }> {
  const [stored, seen] = await Promise.all([rowsOf(context, shapeLayouts(shapeId, { newest: limits.layoutsPerModelMax }), "layouts"), rowsOf(context, layoutsSeen(shapeId, range.fromS, range.toS), "layouts-seen")]);
  const layouts = stored.map((row): ModelLayout => {
    const { tpSize, ppSize, epSize, dpSize, sharded, padded, replicated, aliases } = JSON.parse(row.layout) as ShapeLayout;
    // A sighting knows its sizes of TP and PP, not its layout: layouts of one key that differ in nothing else were seen together.
    const lastS = seen.filter((one) => row.model_keys.includes(one.model_key) && one.tp_size === tpSize && one.pp_size === ppSize).reduce((latest, one) => Math.max(latest, one.last_s), 0);
    const lastSeen = lastS === 0 ? null : iso(lastS * 1000);
    return { layoutId: row.layout_id, modelKeys: row.model_keys, tp: tpSize, pp: ppSize, ep: epSize, dp: dpSize, lastSeen, storedAt: iso(row.stored_at_s * 1000), sharded, padded, replicated, aliases };
  });
  layouts.sort((a, b) => (b.lastSeen ?? "").localeCompare(a.lastSeen ?? "")); // stable: then the one stored last
  return { layouts, layoutsTotal: stored[0]?.total ?? 0 };
}

function sortOf(sort: ModelSort): ModelsSort {
  const descending = sort.startsWith("-");
  return { column: (descending ? sort.slice(1) : sort) as ModelColumn, descending };
}

// "-parameters~<id>~<key>": where the page before ended in its own order.
function cursorOf(text: string, sort: ModelSort): { key: string; id: string } {
  const [, ofSort, id, encoded] = /^(-?[a-zA-Z]+)~([0-9a-f]{32,64})~(.*)$/s.exec(text) ?? [];
  if (id === undefined || encoded === undefined || !modelsQuery.shape.sort.safeParse(ofSort).success) throw noCursor();
  if (ofSort !== sort) throw new ApiError("parameter_invalid", { detail: `\`cursor\` is of a list sorted by "${ofSort}", and this one is sorted by "${sort}". Begin again without it.` });
  const key = decoded(encoded);
  if (sortOf(sort).column !== "name" && !(/^\d{1,20}$/.test(key) && BigInt(key) < 2n ** 64n)) throw noCursor();
  return { key, id };
}

function decoded(encoded: string): string {
  try {
    if (encoded.length <= limits.nameBytesMax * 3) return decodeURIComponent(encoded);
  } catch {
    // broken escapes: no cursor of ours
  }
  throw noCursor();
}

function noCursor(): ApiError {
  return new ApiError("parameter_invalid", { detail: "`cursor` is not the `next` of an answer of this route." });
}
