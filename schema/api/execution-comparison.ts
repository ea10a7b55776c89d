// What differs between two executions: by module path, by what kernels do, by phase. Times are ns in the unit of the executions' profile types.
import { z } from "zod";
import { profileTypeNames } from "../frame-kinds.ts";
import { limits } from "../limits.ts";
import { pathSources } from "./executions.ts";

export const executionCompareQuery = z.object({
  with: z.string().regex(/^[0-9a-f]{64}$/, "an execution id: 64 hex digits"),
  limit: z.coerce.number().int().min(1).max(limits.compareChangesMax).default(limits.compareChangesDefault).describe("modules answered, those that differ most first"),
});

const work = { kernels: z.int(), value: z.int() };

export const comparedExecution = z.object({
  profileType: z.enum(profileTypeNames),
  device: z.string(),
  modelName: z.string(),
  pathSource: z.enum(pathSources),
  root: z.object({ path: z.string(), class: z.string(), calls: z.int() }).nullable().describe("the outermost module with most time"),
  ...work,
  moduleValue: z.int(),
  busyNs: z.int(),
  durationNs: z.int(),
  valuePerCall: z.int().nullable().describe("of the root; null: no module"),
  tokens: z.int().describe("of the steps that say so, prompt and generated; 0 = none says so"),
  valuePerToken: z.int().nullable().describe("in the steps that say their tokens"),
});
export type ComparedExecution = z.infer<typeof comparedExecution>;

// Of values in B minus A, on the basis of the comparison.
const difference = {
  difference: z.int().describe("B − A, in total or per call of the root: see basis"),
  relative: z.number().nullable().describe("difference by A, on the same basis; null: nothing in A"),
};

const comparedModule = z.object({
  class: z.string(),
  calls: z.int(),
  ...work,
  own: z.int().describe("of value, not in a module called by it"),
  median: z.int().describe("ns of GPU time of one call; 0 where the profile has no GPU time"),
  cpuTotal: z.int(),
  cpuMedian: z.int().describe("ns on the host of one call"),
});
export type ComparedModule = z.infer<typeof comparedModule>;

const comparedPhase = z.object({
  steps: z.int(),
  value: z.int(),
  busyNs: z.int(),
  durationNs: z.int().describe("on the host"),
  tokens: z.int().describe("prompt tokens of prefill, generated ones of decode, both of mixed steps; 0 = not known"),
  valuePerStep: z.int(),
  valuePerToken: z.int().nullable(),
  durationPerStepNs: z.int(),
});
export type ComparedPhase = z.infer<typeof comparedPhase>;

export const executionComparison = z.object({
  a: comparedExecution,
  b: comparedExecution,
  basis: z.enum(["total", "root call"]).describe("root call: the same root ran a different number of times, so differences are of values per call of it"),
  ...difference,
  notes: z.array(z.string()).describe("what makes the two hard to compare"),
  categories: z.array(z.object({ category: z.string(), a: z.object(work), b: z.object(work), ...difference })).describe("by what kernels do: comparable also where modules are not, as eager against compiled"),
  phases: z.array(
    z.object({ phase: z.string().describe('"" = steps of no known phase'), a: comparedPhase.nullable(), b: comparedPhase.nullable(), difference: z.int().nullable().describe("of valuePerStep") }),
  ),
  modules: z
    .array(
      z.object({
        path: z.string(),
        a: comparedModule.nullable().describe("null: only in B"),
        b: comparedModule.nullable().describe("null: only in A"),
        ...difference,
        ownDifference: z.int(),
        fold: z.int().describe("equal in copies that are built alike, e.g. in all 28 layers"),
      }),
    )
    .describe("by path; those that differ most first"),
  modulesTotal: z.int(),
  modulesOnlyInA: z.int(),
  modulesOnlyInB: z.int(),
});
export type ExecutionComparison = z.infer<typeof executionComparison>;
