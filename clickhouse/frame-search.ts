// core/flamegraph/search.ts in SQL: which frames a search matches, what they cover of a selection, and a selection narrowed to the stacks that have one.
// lowerUTF8 is JavaScript's toLowerCase, character by character (tested over all of Unicode), so a substring means the same in both.
import { z } from "zod";
import { type Search, ignoringCase } from "#core/flamegraph/search.ts";
import { asciiPattern } from "#core/regex.ts";
import { frameKindNames, frameKinds } from "#schema/frame-kinds.ts";
import type { Query } from "./client.ts";
import { type SampleSelection, noLayerFrame, stackSums } from "./samples.ts";
import type { Where } from "./where.ts";

const kindNumbers = frameKindNames.map((name) => frameKinds[name].number);

// Arrays by frame kind, in the order of frameKindNames.
const searchRow = z.object({ whole: z.string(), samples: z.string(), without_layer: z.string(), total: z.string(), count: z.string(), kind_totals: z.array(z.string()), kind_frames: z.array(z.string()) });

// One row: the selection, the union of the stacks with a match, and by kind the union of the stacks with a match of that kind and its distinct frames.
export function searchedSums(selection: SampleSelection, search: Search): Query & { row: typeof searchRow } {
  const sums = stackSums(selection);
  const matching = matchingFrames(search);
  const sql = `
SELECT whole, samples, without_layer, total, count, kind_totals, arrayMap(kind -> countEqual(arrayMap(f -> bitAnd(f, 15), matched), kind), [${kindNumbers.join(", ")}]) AS kind_frames
FROM (
  SELECT sum(value) AS whole, sum(hit.samples) AS samples, sumIf(value, no_layer) AS without_layer, sumIf(value, notEmpty(hits)) AS total, sumIf(hit.count, notEmpty(hits)) AS count,
         [${kindNumbers.map((kind) => `sumIf(value, has(kinds, ${kind}))`).join(", ")}] AS kind_totals, groupUniqArrayArray(hits) AS matched
  FROM (
    SELECT value, count, samples, ${noLayerFrame} AS no_layer, arrayFilter(f -> f IN (${matching.sql}), frames) AS hits, arrayMap(f -> bitAnd(f, 15), hits) AS kinds
    FROM (SELECT stack_id, frames FROM stacks WHERE tenant_id = {tenant:String}) AS stack
    ANY RIGHT JOIN (${sums.sql}) AS sums USING (stack_id)
  ) AS hit
)`;
  return { sql, params: { ...sums.params, ...matching.params }, row: searchRow };
}

// Asks for nothing but the stack id, which every roll-up has.
export function whereMatching(where: Where, search: Search): Where {
  const matching = matchingFrames(search);
  const sql = `(${where.sql} AND stack_id IN (SELECT stack_id FROM stacks WHERE tenant_id = {tenant:String} AND arrayExists(f -> f IN (${matching.sql}), frames)))`;
  return { sql, params: { ...where.params, ...matching.params } };
}

function matchingFrames({ terms }: Search): Where {
  const words = [...new Set(terms.filter(({ pattern }) => pattern === undefined).map(({ text }) => text))];
  const patterns = terms.filter(({ pattern }) => pattern !== undefined).map(({ text }) => `(?:${asciiPattern(ignoringCase(text))})`);
  const tests = [
    ...(words.length === 0 ? [] : ["multiSearchAny(lowerUTF8(name), {search_words:Array(String)})"]),
    ...(patterns.length === 0 ? [] : ["match(name, {search_pattern:String})"]),
  ];
  return {
    sql: `SELECT frame_id FROM frames WHERE tenant_id = {tenant:String} AND (${tests.length === 0 ? "0" : tests.join(" OR ")})`,
    params: { ...(words.length === 0 ? {} : { search_words: words }), ...(patterns.length === 0 ? {} : { search_pattern: patterns.join("|") }) },
  };
}
