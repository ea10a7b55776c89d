// Imported traces and recordings.
import { z } from "zod";
import { profileTypeNames } from "../frame-kinds.ts";
import { limits } from "../limits.ts";
import { dataExtent, timeRangeQuery } from "./time-range.ts";

export const pathSources = ["none", "recorded", "aligned", "inferred"] as const;

export const executionSummary = z.object({
  id: z.string().describe("64 hex digits: sha256(tenant, file bytes, options)"),
  name: z.string(),
  device: z.string(),
  profileType: z.enum(profileTypeNames),
  pathSource: z.enum(pathSources).describe("where module paths come from; inferred: Class[n], comparable inside this trace only"),
  modelName: z.string(),
  modelKey: z.string(),
  recordedAt: z.iso.datetime().nullable().describe("the file's own start; null when it has no absolute time"),
  importedAt: z.iso.datetime(),
  durationNs: z.int(),
  totalValue: z.int().describe("ns, or a count for count types"),
  moduleValue: z.int().describe("of that, below at least one module"),
  kernels: z.int(),
  events: z.int(),
  gaps: z.array(z.object({ reason: z.string(), kernels: z.int(), value: z.int() })),
  notes: z.array(z.string()),
  parts: z.object({ stored: z.int(), of: z.int() }).describe("visible only when complete"),
  complete: z.boolean(),
});
export type ExecutionSummary = z.infer<typeof executionSummary>;

export const executionsQuery = timeRangeQuery.extend({
  from: z.string().default("-30d"),
  prefix: z.string().regex(/^[0-9a-f]{0,64}$/, "the first hex digits of an id").default("").describe("only those whose id begins so"),
  cursor: z.string().optional().describe("`next` of the page before"),
});
export const executionsList = dataExtent.extend({ executions: z.array(executionSummary), next: z.string().nullable() });
export type ExecutionsList = z.infer<typeof executionsList>;

export const moduleHistoryQuery = timeRangeQuery.extend({
  from: z.string().default("-90d"),
  path: z.string().max(limits.nameBytesMax).meta({ examples: ["model.layers.17.self_attn"] }).describe('the module\'s path; empty: the root of a recorded model'),
  model_name: z.string().max(limits.nameBytesMax).meta({ examples: ["Qwen/Qwen3-32B"] }).describe("of the executions; empty: those whose model is not known"),
  cursor: z.string().optional().describe("`next` of the page before"),
});
const perCall = { min: z.int(), median: z.int(), max: z.int() };
export const moduleHistory = dataExtent.extend({
  path: z.string(),
  modelName: z.string(),
  executions: z
    .array(
      z.object({
        execution: executionSummary,
        class: z.string(),
        calls: z.int(),
        kernels: z.int(),
        value: z.int().describe("inclusive, in the unit of the profile type"),
        gpu: z.object(perCall).describe("ns of one call; 0 = no call has a GPU time"),
        cpu: z.object({ ...perCall, total: z.int() }).describe("ns on the host"),
      }),
    )
    .describe("complete executions that have the module, latest first; one that had two classes at this path is here twice"),
  next: z.string().nullable(),
});
