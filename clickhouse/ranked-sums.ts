// Tables of a flamegraph: the value of a selection by what its stacks contain. Frames with one key are one row, and a stack counts once per row, however often
// it has the key: recursion adds nothing. `self` is what a stack gives to one row alone, so the selfs of all rows, with what gives none, are the selection.
//
// Which frame has which key is a constant of the query, looked up per frame of a stack in a hash table (`transform`): 0.5 s for 100,000 stacks of depth 44, where
// a join by frame takes twice that. For functions the table holds the frames of the selection only, read first, because a tenant's whole dictionary may have
// a million (3 s); layers and kernels are few.
import { z } from "zod";
import { type UnrankedReason, functionKinds, unrankedReasons, unrankedRules } from "#core/flamegraph/unranked-frames.ts";
import { rankedKeys } from "#core/flamegraph/tables/ranked-row.ts";
import { kernelNameLookedAt, kernelRules } from "#core/kernel-category.ts";
import { asciiPattern } from "#core/regex.ts";
import { type FrameKindName, frameKindNames, frameKinds } from "#schema/frame-kinds.ts";
import type { RankedBy } from "#schema/ranked-by.ts";
import type { Query } from "./client.ts";
import { isIndexed, isInferredBlock, prefix, steps } from "./layer-blocks.ts";
import { type SampleSelection, noLayerFrame, stackSums } from "./samples.ts";

const rankedRow = z.object({
  key: z.string(), frame: z.string(), label: z.string(), total: z.string(), self: z.string(), count: z.string(), samples: z.string(), without_layer: z.string(), frames: z.coerce.number(), all_rows: z.coerce.number(),
  name: z.string(), file: z.string(), mapping: z.string(), module_path: z.string(), module_class: z.string(), model_key: z.string(),
});

const reserved = [rankedKeys.whole, ...unrankedReasons.map((reason) => rankedKeys[reason])];

// How frames are grouped, in SQL over a row of `frames`.
type Ranking = {
  readonly kinds: readonly FrameKindName[]; // frames that can have a key
  readonly among: string; // those that have one of their own
  readonly label?: string; // what all frames of a key have in common and none has as a column: the column `label` that `key` may ask for
  readonly key: string;
  readonly otherwise: string; // the key of a frame that is not among them: "f" is the frame itself
  readonly innermost: boolean; // self: of the last frame of these kinds in a stack; else only of a frame the stack ends in
  readonly withinSelection: boolean;
  readonly params?: Query["params"];
};

// At most `limit` rows, heaviest first; the whole selection and the frames that do not rank come besides.
export function rankedSums(selection: SampleSelection, by: RankedBy, sort: "total" | "self", limit: number): Query & { row: typeof rankedRow } {
  const sums = stackSums(selection);
  const inSelection = `SELECT arrayJoin(frames) FROM stacks WHERE tenant_id = {tenant:String} AND stack_id IN (SELECT stack_id FROM (${sums.sql}))`;
  return rows(sums, rankings[by], inSelection, sort, limit);
}

// Layer frames whose path is matched by a pattern (RE2): each module by itself, or those of one class of one model together.
export function moduleSums(selection: SampleSelection, which: { readonly pathPattern: string; readonly modelKey?: string | undefined }, together: boolean, limit: number): Query & { row: typeof rankedRow } {
  const { pathPattern, modelKey } = which;
  const ranking: Ranking = {
    kinds: ["layer"], innermost: true, withinSelection: false, otherwise: String(rankedKeys.none),
    among: `kind = 'layer' AND match(module_path, {path_pattern:String})${modelKey === undefined ? "" : " AND model_key = {model_key:String}"}`,
    key: together ? "cityHash64(module_class, model_key)" : "cityHash64(module_path, module_class, model_key)",
    params: { path_pattern: pathPattern, ...(modelKey === undefined ? {} : { model_key: modelKey }) },
  };
  return rows(stackSums(selection), ranking, "", "total", limit);
}

function rows(sums: Query, ranking: Ranking, inSelection: string, sort: "total" | "self", limit: number): Query & { row: typeof rankedRow } {
  const { kinds, among, key, label, otherwise, innermost, withinSelection, params } = ranking;
  const mask = kinds.reduce((bits, kind) => bits | (1 << frameKinds[kind].number), 0);
  const array = (column: string, first: string) => `arrayPushFront(groupArray(${column}), ${first})`;
  // The first entry keeps the arrays from being empty, which `transform` refuses, and gives the key of frames that are not among them its label.
  const firstKey = `toUInt64(${otherwise === "f" ? 0 : otherwise})`;
  const keyMap = `SELECT (${array("frame_id", "toUInt64(0)")}, ${array(key, firstKey)}${label === undefined ? "" : `, ${array("label", "'other'")}`})
    FROM (
      SELECT frame_id, kind, name, file, mapping, module_path, module_class, model_key${label === undefined ? "" : `, ${label} AS label`}
      FROM frames WHERE tenant_id = {tenant:String} AND ${among}${withinSelection ? ` AND frame_id IN (${inSelection})` : ""}
    )`;
  const sql = `
WITH (${keyMap}) AS key_map
SELECT key, frame, ${label === undefined ? "''" : "transform(key, key_map.2, key_map.3, '')"} AS label, total, self, count, samples, without_layer, frames, all_rows, name, file, mapping, module_path, module_class, model_key
FROM (SELECT frame_id, name, file, mapping, module_path, module_class, model_key FROM frames WHERE tenant_id = {tenant:String}) AS names
ANY RIGHT JOIN (
  SELECT key, min(origin) AS frame, sumIf(value, nth = 1) AS total, sumIf(value, nth = 1 AND key = own) AS self, sumIf(one.count, nth = 1) AS count,
         sumIf(one.samples, nth = 1) AS samples, sumIf(value, nth = 1 AND no_layer) AS without_layer, uniqExact(origin) AS frames, count() OVER () AS all_rows
  FROM (
    SELECT value, count, samples, ${noLayerFrame} AS no_layer, arrayFilter(f -> bitTest(toUInt16(${mask}), bitAnd(f, 15)), frames) AS ranked,
           arrayMap(f -> transform(f, key_map.1, key_map.2, toUInt64(${otherwise})), ranked) AS keys,
           if(notEmpty(keys) AND keys[-1] != ${rankedKeys.none}${innermost ? "" : " AND ranked[-1] = frames[-1]"}, keys[-1], toUInt64(${rankedKeys.whole})) AS own
    FROM (SELECT stack_id, frames FROM stacks WHERE tenant_id = {tenant:String}) AS stack
    ANY RIGHT JOIN (${sums.sql}) AS sums USING (stack_id)
  ) AS one
  ARRAY JOIN arrayPushFront(keys, toUInt64(${rankedKeys.whole})) AS key, arrayPushFront(ranked, toUInt64(0)) AS origin, arrayPushFront(arrayEnumerateUniq(keys), toUInt32(1)) AS nth
  WHERE key != ${rankedKeys.none}
  GROUP BY key
  ORDER BY key IN (${reserved.join(", ")}) DESC, ${sort} DESC, ${sort === "total" ? "self" : "total"} DESC, key LIMIT {limit:UInt32}
) AS top ON names.frame_id = top.frame`;
  return { sql, params: { ...sums.params, ...params, limit: limit + reserved.length }, row: rankedRow };
}

const literal = (text: string): string => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
const matches = (column: string, pattern: string): string => `match(${column}, ${literal(asciiPattern(pattern))})`;
const ofKinds = (kinds: readonly FrameKindName[]): string => `kind IN (${kinds.map(literal).join(", ")})`;

const unrankedTest = (reason: UnrankedReason): string =>
  unrankedRules.filter((rule) => rule.reason === reason)
    .map(({ kinds, patterns }) => `(${[ofKinds(kinds), ...Object.entries(patterns).map(([column, pattern]) => matches(column, pattern))].join(" AND ")})`).join(" OR ");
const unranked = unrankedReasons.map((reason) => `${unrankedTest(reason)}, ${rankedKeys[reason]}`).join(", ");

const kernelName = `substringUTF8(name, 1, ${kernelNameLookedAt})`;
const kernelCategory = `multiIf(${kernelRules.map(({ category, pattern, also, unless }) => {
  const tests = [matches(kernelName, pattern), ...(also === undefined ? [] : [matches(kernelName, also)]), ...(unless === undefined ? [] : [`NOT ${matches(kernelName, unless)}`])];
  return `${tests.join(" AND ")}, ${literal(category)}`;
}).join(", ")}, 'other')`;

// The block of a path: through its outermost index.
const block = prefix(`arrayFirstIndex(i -> ${isIndexed("i")} OR ${isInferredBlock("i")}, arrayEnumerate(${steps}))`);

const layers = { kinds: ["layer"], among: "kind = 'layer'", innermost: true, withinSelection: false, otherwise: "f" } as const;
const kernels = { kinds: ["gpu_kernel"], among: "kind = 'gpu_kernel'", innermost: false, withinSelection: false } as const;

const rankings: Record<RankedBy, Ranking> = {
  frame: { kinds: frameKindNames, among: `${ofKinds(functionKinds)} AND (${unrankedReasons.map(unrankedTest).join(" OR ")})`, key: `toUInt64(multiIf(${unranked}, ${rankedKeys.none}))`, otherwise: "f", innermost: false, withinSelection: false },
  function: { kinds: functionKinds, among: ofKinds(functionKinds), key: `multiIf(${unranked}, cityHash64(kind, name))`, otherwise: "f", innermost: false, withinSelection: true },
  kernel: { ...kernels, key: "cityHash64(name)", otherwise: "f" },
  category: { ...kernels, label: kernelCategory, key: "cityHash64(label)", otherwise: "cityHash64('other')" },
  module: { ...layers, key: "cityHash64(module_path, module_class, model_key)" },
  class: { ...layers, key: "cityHash64(module_class)" },
  layer: { ...layers, label: block, key: `if(label = '', toUInt64(${rankedKeys.none}), cityHash64(model_key, label))`, otherwise: String(rankedKeys.none) },
};
