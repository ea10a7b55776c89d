// What one execution did, module by module: the document an import stores beside its stacks. Columns of one table have the same length; every text is an index
// into `texts`. Times are ns. GPU time first: a module's `value` is the profile type's (GPU time, or operator time where there is no GPU).
import { z } from "zod";
import { profileTypeNames } from "../frame-kinds.ts";
import { pathSources } from "./executions.ts";

const ints = z.array(z.int().min(0));
const rows = z.array(z.int().min(-1));
const outside = ints.optional().describe("of rows outside any module, when they ran: 1 before the file's first module call, 2 between calls, 3 after the last; 0 = not known, or in a module");
const perCall = z.object({
  min: ints, median: ints, max: ints,
  slowest: ints.describe("which call was the longest, from 1; 0 = no call has a time"),
});

export const executionRecord = z.object({
  format: z.literal(2),
  unit: z.enum(["ns", "count"]),
  headline: z.string(),
  profileType: z.enum(profileTypeNames),
  device: z.string(),
  recordedAtNs: z.string().describe("Unix ns; \"0\" = the file has no absolute time"),
  durationNs: z.int(),
  events: z.int(),
  pathSource: z.enum(pathSources),
  modelName: z.string(),
  modelKey: z.string(),
  totals: z.object({ kernels: z.int(), value: z.int(), moduleValue: z.int(), busyNs: z.int().describe("at least one kernel ran, per GPU, added up over GPUs") }),
  devices: z.array(z.object({ device: z.int().describe("-1 = the file does not say"), name: z.string(), streams: z.int(), kernels: z.int(), value: z.int(), busyNs: z.int() })),
  copies: z.array(z.object({ kind: z.string(), count: z.int(), durationNs: z.int(), bytes: z.int().describe("0 where the file does not say") })).describe("memory copies and fills; no kernels"),
  rank: z.int().describe("-1 = the file does not say"),
  worldSize: z.int().describe("0 = the file does not say"),
  request: z.object({ label: z.string(), inputTokens: z.int(), outputTokens: z.int(), latencyNs: z.int() }).nullable().describe("the request it was recorded for"),
  gaps: z.array(z.object({ reason: z.string(), kernels: z.int(), value: z.int() })),
  found: z.record(z.string(), z.union([z.int(), z.boolean()])),
  missing: z.array(z.object({ what: z.string(), disables: z.string(), remedy: z.string() })),
  notes: z.array(z.string()),
  steps: z.array(z.object({
    number: z.int(), label: z.string(), phase: z.enum(["", "prefill", "decode", "mixed", "capture"]), prefillRequests: z.int(), prefillTokens: z.int(), decodeRequests: z.int(),
    decodeTokens: z.int(), startNs: z.int(), durationNs: z.int(), kernels: z.int(), value: z.int(), busyNs: z.int(),
  })),
  categories: z.array(z.object({ category: z.string(), kernels: z.int(), value: z.int() })).describe("what the kernels did, by their names; the longest first"),
  texts: z.array(z.string()),
  modules: z.object({
    parent: rows.describe("row of the module it was called in, always an earlier one; -1 = a root"),
    name: ints.describe("the layer's name in stacks"), path: ints, class: ints,
    calls: ints, kernels: ints, value: ints.describe("inclusive"),
    gpu: perCall, cpu: perCall.extend({ total: ints }),
  }).describe("in pre-order, children in the order they were first called"),
  modulesLeftOut: z.int().describe("the shortest ones, where the record would pass its bound; the stacks have them"),
  operations: z.object({ module: rows.describe("row of modules; -1 = outside any"), op: ints, calls: ints, cpuNs: ints, outside }),
  operationsLeftOut: z.int(),
  kernels: z.object({
    module: rows.describe("row of modules, the innermost; -1 = outside any"), op: ints.describe("the outermost operator below the module"), kernel: ints, category: ints,
    fused: ints.describe("operators Inductor fused into it; the empty text = not known"), metrics: rows.describe("row of kernelMetrics; -1 = not measured"),
    grid: ints, block: ints, dims: ints.describe("of the operator's inputs, as recorded"), dtypes: ints, count: ints, value: ints, outside,
  }),
  kernelsLeftOut: z.int(),
  kernelMetrics: z.array(z.object({
    name: z.string(), launches: z.int(), durationNs: z.number().nullable(), memoryPercent: z.number().nullable(), computePercent: z.number().nullable(), dramPercent: z.number().nullable(),
    bottleneck: z.object({ kind: z.enum(["memory bound", "compute bound", "latency bound"]), reason: z.string() }).nullable(),
  })).describe("what Nsight Compute measured of kernels, in percent of the peak"),
  forward: z.unknown().describe("the forward analysis the recorder wrote (docs/recording.md); null = none"),
});
export type ExecutionRecord = z.infer<typeof executionRecord>;
