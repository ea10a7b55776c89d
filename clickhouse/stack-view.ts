// core/flamegraph/stack-view.ts in SQL: what is done to every stack before it is folded. Frames are named by their ids in `frames`, decimal.
//
// A folded layer's id is the hash of its pattern with the kind in its low 4 bits, as all ids have it. Which id becomes which is a constant of the query, a row
// for each numbered layer frame of the tenant (some 600 for a model of 64 layers), and `transform` looks each frame of a stack up in a hash table.
import type { StackView } from "#core/flamegraph/stack-view.ts";
import { frameKinds } from "#schema/frame-kinds.ts";
import type { Query } from "./client.ts";
import { isIndex, starredSteps, steps } from "./layer-blocks.ts";

// `with` stands before the SELECT that has `columns`, which are made of the column `frames`: shown (the frames in the view), originals (which frame each of
// them was before folding) and inside (whether the view has the stack at all).
export type ViewSql = { readonly with: string; readonly columns: string; readonly params: Query["params"] };

export function viewSql({ hide, foldLayers, layersByPath, around, invert, focus }: StackView<string>): ViewSql {
  const mapped = mappedLayers(foldLayers, layersByPath);
  const params: Record<string, string | number | string[]> = {};
  // Each step is a column made of the one before, for both arrays alike.
  const columns = [`${mapped ? "arrayMap(f -> transform(f, layer_map.1, layer_map.2, f), frames)" : "frames"} AS folded`];
  let [shown, originals, inside] = ["folded", "frames", "1"];
  const step = (name: string, of: (array: string) => string) => {
    const [next, nextOriginals] = [`${name}_shown`, `${name}_originals`];
    columns.push(`${of(shown)} AS ${next}`);
    if (foldLayers) columns.push(`${of(originals)} AS ${nextOriginals}`);
    [shown, originals] = [next, nextOriginals];
  };
  if (hide.size > 0) {
    params["hide"] = [...hide].reduce((mask, kind) => mask | (1 << frameKinds[kind].number), 0);
    step("visible", (array) => `arrayFilter(f -> NOT bitTest({hide:UInt16}, bitAnd(f, 15)), ${array})`); // folding leaves the kind as it is
  }
  if (around !== null) {
    params["around"] = around.frame;
    columns.push(`indexOf(${shown}, {around:UInt64}) AS around_at`);
    inside = "around_at > 0";
    step("around", (array) => (around.side === "callees" ? `arraySlice(${array}, greatest(around_at, 1))` : `arrayReverse(arraySlice(${array}, 1, around_at))`));
  }
  if (invert) step("turned", (array) => `arrayReverse(${array})`);
  if (focus.length > 0) {
    params["focus"] = [...focus];
    inside = `${inside} AND arraySlice(${shown}, 1, ${focus.length}) = arrayMap(f -> toUInt64(f), {focus:Array(String)})`;
  }
  columns.push(`${inside} AS inside`, `if(inside, ${shown}, []) AS shown`, ...(foldLayers ? [`if(inside, ${originals}, []) AS originals`] : []));
  return { with: mapped ? `WITH (${layerMap(mapped)}) AS layer_map` : "", columns: columns.join(",\n               "), params };
}

const layer = frameKinds.layer.number;
// Layers with the steps of their paths, plain and starred, made once a row: they are few, while a tenant may have a million frames.
const layers = `(SELECT frame_id, kind, name, file, line, mapping, module_path, module_class, model_key, ${steps} AS plain, ${starredSteps} AS starred FROM frames WHERE tenant_id = {tenant:String} AND kind = 'layer')`;
// The attribute a name ends in: from the last step that is no index on.
const attributeOf = (all: string) => `arrayStringConcat(arraySlice(${all}, greatest(arrayLastIndex(s -> NOT ${isIndex("s")}, plain), 1)), '.')`;
const patternName = `if(endsWith(name, ${attributeOf("plain")}), concat(substring(name, 1, length(name) - length(${attributeOf("plain")})), ${attributeOf("starred")}), name)`;
const isCopy = "starred != plain";

// Which of `layers` become other frames, and which: `id`, `name` and `path` of those.
type Mapped = { readonly of: string; readonly id: string; readonly name: string; readonly path: string };

function mappedLayers(foldLayers: boolean, layersByPath: boolean): Mapped | null {
  if (!foldLayers && !layersByPath) return null;
  const [name, path] = foldLayers ? [`if(${isCopy}, ${patternName}, name)`, "arrayStringConcat(starred, '.')"] : ["name", "module_path"];
  const hashed = layersByPath ? path : `${name}, ${path}, file, mapping, model_key`;
  return { of: layersByPath ? "1" : isCopy, id: `bitOr(bitShiftLeft(cityHash64(${hashed}), 4), ${layer})`, name, path };
}

// The first row keeps the arrays from being empty, which `transform` refuses.
function layerMap({ of, id }: Mapped): string {
  return `SELECT (arrayPushFront(groupArray(frame_id), toUInt64(0)), arrayPushFront(groupArray(${id}), toUInt64(0))) FROM ${layers} WHERE ${of}`;
}

// Of modules alone, by path: for each stack (its column `layers`) the distinct ones it lies in, and what they are called.
export function modulesSql(foldLayers: boolean): Pick<ViewSql, "with"> & { readonly modules: string; readonly names: string } {
  const mapped = mappedLayers(foldLayers, true)!;
  return {
    with: `WITH (${layerMap(mapped)}) AS layer_map`,
    modules: "arrayDistinct(arrayMap(f -> transform(f, layer_map.1, layer_map.2, f), layers))",
    names: `SELECT module_id, any(path) AS path, arraySort(groupUniqArray(class)) AS classes FROM (
    SELECT ${mapped.id} AS module_id, ${mapped.path} AS path, module_class AS class FROM ${layers}
  ) GROUP BY module_id`,
  };
}

// Frames by the id they have in the view: the dictionary's, and with folding the patterns in place of those they stand for. Names of their own inside: an alias
// that is also a column would take its place in the other expressions.
export function frameNames({ foldLayers, layersByPath }: Pick<StackView<string>, "foldLayers" | "layersByPath">): string {
  const mapped = mappedLayers(foldLayers, layersByPath);
  const plainly = (among: string) => `SELECT frame_id, name, file, line, mapping, module_path, module_class, model_key FROM frames WHERE tenant_id = {tenant:String}${among}`;
  if (mapped === null) return plainly("");
  return `SELECT view_id AS frame_id, view_name AS name, file, line, mapping, view_path AS module_path, module_class, model_key FROM (
    SELECT if(${mapped.of}, ${mapped.id}, frame_id) AS view_id, ${mapped.name} AS view_name, ${mapped.path} AS view_path, file, line, mapping, module_class, model_key FROM ${layers}
  ) UNION ALL ${plainly(" AND kind != 'layer'")}`;
}
