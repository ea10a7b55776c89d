// core/flamegraph/layer-pattern.ts in SQL: which steps of a layer's path are indices of blocks. Texts over a row of `frames`. Siblings are those of all profiles of the
// tenant, whatever is selected: so a folded layer has one id in every answer.
import { indexPattern } from "#core/module-path.ts";

export const steps = "splitByChar('.', module_path)";
export const prefix = (until: string): string => `arrayStringConcat(arraySlice(${steps}, 1, ${until}), '.')`;

const numbered = String.raw`'^(.*)\\[[0-9]+\\]$'`;
const stem = (until: string): string => `cityHash64(model_key, extract(${prefix(until)}, ${numbered}))`;
const isNumbered = (at: string): string => `match(${steps}[${at}], ${numbered})`;

export const isIndex = (step: string): string => `match(${step}, '${indexPattern}')`;
export const isIndexed = (at: string): string => isIndex(`${steps}[${at}]`);

// A step `Class[n]` of an inferred path that is an index, because a sibling says so.
export function isInferredBlock(at: string): string {
  const siblings = `SELECT DISTINCT arrayJoin(arrayMap(i -> ${stem("i")}, arrayFilter(i -> ${isNumbered("i")} AND NOT endsWith(${steps}[i], '[0]'), range(1, length(${steps})))))
      FROM frames WHERE tenant_id = {tenant:String} AND kind = 'layer' AND position(module_path, '[') > 0`;
  return `(${isNumbered(at)} AND ${stem(at)} IN (${siblings}))`;
}

// The steps with * in place of every index of a block.
export const starredSteps = `arrayMap(i -> multiIf(${isIndexed("i")}, '*', ${isInferredBlock("i")}, replaceRegexpOne(${steps}[i], ${String.raw`'\\[[0-9]+\\]$'`}, '[*]'), ${steps}[i]), arrayEnumerate(${steps}))`;
