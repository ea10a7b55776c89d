// GET /t/{tenant}/api/flamegraph/compare: what differs from selection A to selection B, by module path, kernel category, kernel and node.
import { z } from "zod";
import { profileTypeNames } from "../frame-kinds.ts";
import { limits } from "../limits.ts";
import { frameColumns, flamegraph, profileQuery, stackViewQuery } from "./flamegraph.ts";
import { executionSummary } from "./executions.ts";

export const comparisonBases = ["share", "launch", "time", "token"] as const;
export type ComparisonBasis = (typeof comparisonBases)[number];

// `from`, `to`, `filter` and `execution` say B, what is now; the same with `a_` before it say A, what was.
export const flamegraphCompareQuery = profileQuery.extend({
  a_from: profileQuery.shape.from.unwrap().optional().describe("start of A; default: as far before `from` as `to` is after it"),
  a_to: profileQuery.shape.to.unwrap().optional().describe("end of A; default: `from`"),
  a_filter: z.string().optional().describe("default: `filter`"),
  a_execution: profileQuery.shape.execution.describe("an execution id, latest, or live; default: live, unless `execution` is given"),
  basis: z.enum(comparisonBases).default("share")
    .describe("what a value is divided by: the selection's whole value; the row's launches; time (seconds of a range, steps of an execution); or tokens, of prompts and generated (of a range: as the engine counted them in prompt_tokens and generation_tokens on the hosts of the samples; of an execution: as the marks of its steps say, those computed in prefill and in decode)"),
  layers: stackViewQuery.shape.layers.default("fold"),
  hide: stackViewQuery.shape.hide,
  limit: z.coerce.number().int().min(1).max(limits.compareChangesMax).default(limits.compareChangesDefault).describe("rows of each table, those that differ most first"),
  max_nodes: z.coerce.number().int().min(1).max(limits.flamegraphNodesMax).default(limits.flamegraphNodesDefault),
});
export type FlamegraphCompareQuery = z.output<typeof flamegraphCompareQuery>;

const amount = z.object({ value: z.number().describe("in `unit`"), count: z.int().describe("launches or calls") });

export const profileDifference = z.object({
  a: amount,
  b: amount,
  perBasis: z.object({ a: z.number().nullable(), b: z.number().nullable() }).describe("value by basis; null: nothing to divide by"),
  relative: z.number().nullable().describe("(b − a) / a, on the basis; null: nothing in a"),
  interval: z.tuple([z.number(), z.number()]).nullable().describe("95 % of `relative`, from the spread between intervals; null: fewer than two intervals on a side"),
  clear: z.boolean().describe("the interval does not hold 0"),
});
export type ProfileDifference = z.infer<typeof profileDifference>;

const moduleDifference = profileDifference.extend({ path: z.string().describe('"" = the model itself; * = any index'), classes: z.array(z.string()).describe("seen at this path") });
const namedDifference = profileDifference.extend({ name: z.string() });
export type ModuleDifference = z.infer<typeof moduleDifference>;
export type NamedDifference = z.infer<typeof namedDifference>;

const side = z.object({
  range: flamegraph.shape.range,
  execution: executionSummary.nullable(),
  samples: z.int(),
  value: z.number(),
  withoutLayer: z.number().describe("value of stacks without any Model Layer frame, in `unit`"),
  count: z.int(),
  intervals: z.int().describe("minutes, hours or steps that the interval of confidence is made of; by token, those with tokens, several as one where dumps are further apart"),
  tokens: z.number().nullable().describe("what values are divided by, with basis token; null: another basis"),
});
export type ComparedSide = z.infer<typeof side>;

export const flamegraphComparison = z.object({
  profileType: z.enum(profileTypeNames),
  unit: flamegraph.shape.unit,
  basis: z.enum(comparisonBases),
  ingestedThrough: flamegraph.shape.ingestedThrough,
  a: side,
  b: side,
  overall: profileDifference,
  modules: z.array(moduleDifference),
  categories: z.array(namedDifference),
  kernels: z.array(namedDifference),
  left: z.object({ modules: z.int(), kernels: z.int() }).describe("rows beyond the limit, which differ less than those shown"),
  truncated: flamegraph.shape.truncated,
  nodes: z.object({
    parent: z.array(z.int()), frame: z.array(z.int()),
    a: z.array(z.number()), b: z.array(z.number()), selfA: z.array(z.number()), selfB: z.array(z.number()), countA: z.array(z.int()), countB: z.array(z.int()),
  }).describe("depth-first, in `unit`; node 0 is the root"),
  frames: frameColumns,
  notes: z.array(z.string()),
});
export type FlamegraphComparison = z.infer<typeof flamegraphComparison>;
