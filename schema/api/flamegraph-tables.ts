// What is computed beside a flamegraph over the whole selection, not over a cut tree: tables, search, time, and modules. Values are in the answer's `unit`; in µs
// each is rounded by itself, so that sums may be off by as many µs as they have terms. A timeline's points add up in either unit.
import { z } from "zod";
import { frameKindNames } from "../frame-kinds.ts";
import { limits } from "../limits.ts";
import { rankedBy } from "../ranked-by.ts";
import { flamegraph, frameId, profileQuery } from "./flamegraph.ts";

const limit = z.coerce.number().int().min(1).max(limits.topRowsMax).default(limits.topRowsDefault).describe("rows; what is cut is told");
const search = z.string().describe("substring or /regex/ (RE2), comma = or, case ignored: as on the flamegraph page");

// What is shown, and how much it is.
const head = flamegraph.pick({ range: true, ingestedThrough: true, profileType: true, unit: true, execution: true, executionReason: true, samples: true, withoutLayer: true }).extend({
  total: z.int().describe("of the selection"),
});
const weighed = {
  total: z.int().describe("value of the stacks it is in; a stack counts once, recursion adds nothing"),
  share: z.number().describe("total by the selection's, 0 to 1"),
  count: z.int().describe("launches or calls behind `total`"),
};

export const topQuery = profileQuery.extend({
  by: z.enum(rankedBy).default("function").describe("function: names of native, Python, operator, GPU API, OS kernel and NVTX frames; layer: blocks of an indexed container, model.layers.17; category: what kernels do"),
  sort: z.enum(["total", "self"]).default("total"),
  limit: z.coerce.number().int().min(1).max(limits.topModuleRowsMax).default(limits.topRowsDefault).describe(`rows; what is cut is told; over ${limits.topRowsMax} by=module only`),
});

export const topRow = z.object({
  key: z.string().describe("unique in the answer"),
  name: z.string(),
  kind: z.enum(frameKindNames),
  frame: z.string().describe("id of one of its frames"),
  frames: z.int().describe("distinct frames"),
  file: z.string().describe('by=frame; else ""'),
  modulePath: z.string().describe('of a module or a layer; else ""'),
  moduleClass: z.string(),
  modelKey: z.string(),
  ...weighed,
  self: z.int().describe("value that ends there; of a module, a class or a layer: whose innermost layer frame it is"),
});
export type TopRow = z.infer<typeof topRow>;

export const unrankedRow = z.object({ reason: z.enum(["idle", "profiler"]), frames: z.int(), ...weighed, self: z.int() });

export const flamegraphTop = head.extend({
  by: z.enum(rankedBy),
  sort: z.enum(["total", "self"]),
  simulated: z.boolean().describe("frames of a simulated profile are among the rows"),
  rows: z.array(topRow).describe("heaviest first"),
  cut: z.object({ rows: z.int(), self: z.int() }).describe("rows beyond the limit, and the value of their own"),
  unranked: z.array(unrankedRow).describe("frames that never rank: what idles, and the profiler itself; see docs/flamegraph.md"),
  without: z.int().describe("value that is in no row's `self`: with the selfs of all rows, cut and unranked ones too, it is the total"),
});
export type FlamegraphTop = z.infer<typeof flamegraphTop>;

export const flamegraphSearchQuery = profileQuery.extend({ search });
export const flamegraphSearch = head.extend({
  search: z.string(),
  hits: z.object({
    ...weighed,
    frames: z.int().describe("distinct frames that match"),
    byKind: z.array(z.object({ kind: z.enum(frameKindNames), frames: z.int(), total: weighed.total, share: weighed.share })).describe("heaviest first"),
  }).describe("the union of all matches: a match below another adds nothing"),
});
export type FlamegraphSearch = z.infer<typeof flamegraphSearch>;

export const timelineQuery = profileQuery.extend({
  step: z.coerce.number().int().min(1).max(limits.timeRangeDaysMax * 86_400).optional()
    .describe(`seconds; default: a minute, more where the range has over ${limits.timelinePointsMax} of them, whole hours beyond two days; at most ${limits.timelinePointsMax} points. Executions are told apart by their steps`),
  search: search.optional(),
});
export const flamegraphTimeline = head.extend({
  by: z.enum(["time", "step"]).describe("step: of an execution, whose samples all bear the time of the import"),
  stepS: z.int().nullable().describe("by time: seconds of a step"),
  search: z.string().nullable(),
  matched: z.int().describe("sum of all points: of the stacks that match the search; without one the total"),
  points: z.object({
    t: z.array(z.int()).describe("Unix seconds at which the step begins, a multiple of the step; or the number of the step. Steps without samples are not there"),
    value: z.array(z.int()),
    count: z.array(z.int()),
  }),
});
export type FlamegraphTimeline = z.infer<typeof flamegraphTimeline>;

export const frameModulesQuery = profileQuery.extend({ frame: frameId, limit });
const moduleOf = { name: z.string(), modulePath: z.string(), moduleClass: z.string(), modelKey: z.string(), frame: z.string().describe("id of the layer frame") };
export const frameModules = head.extend({
  frame: z.object({ id: z.string(), kind: z.enum(frameKindNames), name: z.string(), ...weighed }),
  modules: z.array(z.object({ ...moduleOf, total: weighed.total, count: weighed.count, share: z.number().describe("of the frame's total, 0 to 1") })).describe("the innermost module around the frame's deepest occurrence; heaviest first"),
  cut: z.object({ modules: z.int(), total: z.int() }),
  without: z.int().describe("value of the frame in no module"),
});
export type FrameModules = z.infer<typeof frameModules>;

export const moduleFramesQuery = profileQuery.extend({
  module_path: z.string().max(limits.nameBytesMax).describe("e.g. model.layers.17.self_attn; * stands for any one step and, in brackets, for any number: model.layers.*.mlp, Qwen2DecoderLayer[*]"),
  model_key: z.string().regex(/^[0-9a-f]{32}$/, "32 hex digits").optional(),
  limit,
});
const copyValue = z.object({ value: z.int(), path: z.string(), index: z.array(z.string()).describe("what stands for each * of the pattern") });
export const moduleFrames = head.extend({
  modulePath: z.string(),
  groups: z.array(z.object({
    modelKey: z.string(), moduleClass: z.string(), ...weighed, self: z.int(),
    copies: z.object({ n: z.int(), min: copyValue, median: z.int(), max: copyValue }).describe("of the totals of its copies that have samples here"),
    rows: z.array(z.object({ ...moduleOf, ...weighed, index: z.array(z.string()), self: z.int() })).describe("one per copy, heaviest first"),
    cut: z.object({ rows: z.int(), total: z.int() }).describe("copies beyond the limit"),
  })).describe("per class and model, heaviest first; none: the module has no frames in the selection"),
});
export type ModuleFrames = z.infer<typeof moduleFrames>;
