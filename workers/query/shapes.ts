// Questions to one stored shape. Everything is computed from its body; a shape and a layout never change, so only the name that goes with them is asked for anew.
import { namesOfShape, shapeById, shapeLayouts } from "#clickhouse/shapes.ts";
import { searchFor } from "#core/flamegraph/search.ts";
import { compareShapes } from "#core/shape/compare/compare.ts";
import type { NoSuchModule } from "#core/shape/copies.ts";
import { displayName } from "#core/shape/display-name.ts";
import { findModules } from "#core/shape/find/find.ts";
import { shapeMemory as memoryOf } from "#core/shape/memory/memory.ts";
import { moduleDetail } from "#core/shape/module-detail.ts";
import type { ShapeLayout } from "#core/shape/part.ts";
import { shapeTable } from "#core/shape/table-text.ts";
import type { ShapeBody } from "#schema/api/models.ts";
import { limits } from "#schema/limits.ts";
import { ApiError } from "../problem.ts";
import { type AnyContext, type Handler, rowsOf } from "../route-context.ts";
import { iso } from "./selection.ts";

// A stored shape never changes, so browsers may keep it for ever; only for the one who asked, since it belongs to a tenant. The text has the model's name in it,
// which may change.
export const shape: Handler<"shape"> = async (context) => {
  const row = await storedShape(context, context.params.id);
  if (context.query.format === "text") {
    const parsed = JSON.parse(row.body) as ShapeBody;
    const rootClass = parsed.modules[parsed.root]!.className;
    const table = shapeTable(parsed, (await nameOf(context, row.shape_id)) || displayName({ architecture: parsed.architecture, rootClass }));
    if (!table.ok) throw tooLarge(table.error);
    return new Response(table.value, { headers: { "content-type": "text/plain; charset=utf-8", "cache-control": "no-store" } });
  }
  const body = JSON.stringify({
    shapeId: row.shape_id, parameters: row.parameters, modules: row.modules, weightBytes: row.weight_bytes, storedAt: iso(row.stored_at_s * 1000), shape: JSON.parse(row.body) as ShapeBody,
  });
  return new Response(body, { headers: { "content-type": "application/json", "cache-control": "private, max-age=31536000, immutable", vary: "authorization, cookie" } });
};

export const shapeModule: Handler<"shapeModule"> = async (context) => {
  const { path, layout: asked } = context.query;
  const { shape_id: shapeId, body } = await storedShape(context, context.params.id);
  const [stored, name] = await Promise.all([storedLayout(context, shapeId, asked), nameOf(context, shapeId)]);
  const parsed = JSON.parse(body) as ShapeBody;
  const found = moduleDetail(parsed, path, name, stored?.layout);
  if (!found.ok) throw new ApiError("module_not_found", { detail: noModuleText(path, found.error) });
  return { shapeId, layoutId: stored?.layoutId ?? null, ...found.value, search: searchFor(found.value.search) };
};

export const shapeFind: Handler<"shapeFind"> = async (context) => {
  const { q, limit } = context.query;
  const { shape_id: shapeId, body } = await storedShape(context, context.params.id);
  const found = findModules(JSON.parse(body) as ShapeBody, q, limit);
  if (!found.ok) {
    const { message, from, to } = found.error;
    throw new ApiError("search_invalid", { detail: `\`q\`: ${message}.`, problems: [{ kind: "search_invalid", message, from, to }] });
  }
  return { shapeId, ...found.value };
};

export const shapeCompare: Handler<"shapeCompare"> = async (context) => {
  const { a, b, layoutA, layoutB, limit } = context.query;
  if ((layoutA === undefined) !== (layoutB === undefined)) throw new ApiError("parameter_invalid", { detail: "`layoutA` and `layoutB` are given together or not at all." });
  const bodyOf = async (id: string): Promise<ShapeBody> => JSON.parse((await storedShape(context, id)).body) as ShapeBody;
  const before = bodyOf(a);
  const [left, right] = await Promise.all([before, b === a ? before : bodyOf(b)]); // one shape in two layouts is read once
  const layouts = layoutA === undefined ? [] : await Promise.all([storedLayout(context, a, layoutA), storedLayout(context, b, layoutB)]);
  const found = compareShapes({ body: left, layout: layouts[0]?.layout }, { body: right, layout: layouts[1]?.layout }, limit);
  if (!found.ok) throw tooLarge(found.error);
  return found.value;
};

export const shapeMemory: Handler<"shapeMemory"> = async (context) => {
  const { tp, pp, ep, layout: asked, kvDtypeBytes } = context.query;
  const { shape_id: shapeId, body } = await storedShape(context, context.params.id);
  const stored = await storedLayout(context, shapeId, asked, ({ tpSize }) => tpSize > 1); // one rank says nothing of how more would divide it
  const found = memoryOf(JSON.parse(body) as ShapeBody, { tp, pp, ep, layout: stored?.layout, kvDtypeBytes });
  if (!found.ok) throw new ApiError("parameter_invalid", { detail: `${found.error}.` });
  return { shapeId, layoutId: stored?.layoutId ?? null, ...found.value };
};

async function storedShape(context: AnyContext, id: string) {
  const [row] = await rowsOf(context, shapeById(id), "shape");
  if (row === undefined) {
    throw new ApiError("shape_not_stored", { detail: "The model was reported, but its module tree has not been stored yet. Retry shortly.", retryAfterS: 5 });
  }
  return row;
}

type StoredLayout = { layoutId: string; layout: ShapeLayout };

// The layout asked for; else, of the newest that `wanted` takes, the one stored last; else that of all.
async function storedLayout(context: AnyContext, shapeId: string, asked: string | undefined, wanted?: (layout: ShapeLayout) => boolean): Promise<StoredLayout | undefined> {
  const choice = asked !== undefined ? { id: asked } : { newest: wanted === undefined ? 1 : limits.layoutsPerModelMax };
  const rows = await rowsOf(context, shapeLayouts(shapeId, choice), "layout");
  const layouts = rows.map((row): StoredLayout => ({ layoutId: row.layout_id, layout: JSON.parse(row.layout) as ShapeLayout }));
  const found = layouts.find(({ layout }) => wanted?.(layout)) ?? layouts[0];
  if (found !== undefined) return found;
  if (asked !== undefined) throw new ApiError("parameter_invalid", { detail: `The layout ${asked.slice(0, 12)}… is none of shape ${shapeId.slice(0, 12)}…; GET /api/models/${shapeId} lists those that are.` });
  return undefined;
}

async function nameOf(context: AnyContext, shapeId: string): Promise<string> {
  const [row] = await rowsOf(context, namesOfShape(shapeId), "names");
  return row === undefined ? "" : displayName({ servedName: row.served_name, nameOrPath: row.name_or_path, architecture: row.architecture, rootClass: row.root_class });
}

function noModuleText(path: string, { nearest, missing, tensor }: NoSuchModule): string {
  const where = nearest === "" ? "the root" : `"${nearest}"`;
  const wanted = path.length > 200 ? `${path.slice(0, 200)}…` : path;
  return tensor
    ? `"${wanted}" is no module: "${missing.slice(0, 200)}" is a tensor of ${where}. Ask for that module; its tensors come with it.`
    : `This shape has no module "${wanted}". The nearest that exists is ${where}, which has no child "${missing.slice(0, 200)}".`;
}

function tooLarge(detail: string): ApiError {
  return new ApiError("limit_exceeded", { detail: `${detail[0]!.toUpperCase()}${detail.slice(1)}.` });
}
