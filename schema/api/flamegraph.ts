// GET /t/{tenant}/api/flamegraph: one tree, columnar. Node 0 is the root; nodes come depth-first, heaviest child first, so parent[i] < i.
import { z } from "zod";
import { frameKindNames, profileTypeNames } from "../frame-kinds.ts";
import { limits } from "../limits.ts";
import { executionSummary } from "./executions.ts";
import { dataExtent, timeRangeQuery } from "./time-range.ts";

// Which samples a profile query is about.
export const profileQuery = timeRangeQuery.extend({
  filter: z.string().default("").describe('e.g. k8s.namespace.name == "inference" && gpu.name.contains("H100")'),
  type: z.enum(profileTypeNames).optional().describe("profile type; default: the first in the order of this list that has data"),
  execution: z.string().regex(/^([0-9a-f]{64}|latest|live)$/, 'an execution id, "latest" or "live"').optional()
    .describe("an execution id, latest, or live; default: live, and the latest execution where the range has no live samples at all"),
});
export type ProfileQuery = z.output<typeof profileQuery>;

// How the stacks are looked at. A frame id is one of `frames.id` of an answer with the same `layers`.
export const frameId = z.string().regex(/^[0-9a-f]{1,16}$/, "a frame id: up to 16 hex digits, from `frames.id` of a flamegraph or `frame` of a table");
export const stackViewQuery = z.object({
  layers: z.enum(["show", "hide", "fold"]).default("show")
    .describe("hide merges all layers back into the shared stack; fold makes one frame of the same layer of every block, layers.17 → layers.*"),
  hide: z.string().default("").describe("comma-separated frame kinds to take out of every stack, e.g. python,native"),
  invert: z.enum(["0", "1"]).default("0").describe("1: leaf first"),
  frame: frameId.optional().describe("only stacks with this frame, from its first occurrence on: see `side`"),
  side: z.enum(["callees", "callers"]).default("callees").describe("of `frame`: what it calls, or what calls it, read towards the root"),
  focus: z.string().regex(/^([0-9a-f]{1,16}(\.[0-9a-f]{1,16})*)?$/, "frame ids from the root on, joined by dots").default("")
    .describe("only stacks that begin with these frames, as shown: a re-rooted query, cut anew"),
});
export type StackViewQuery = z.output<typeof stackViewQuery>;

export const flamegraphQuery = profileQuery.extend({
  ...stackViewQuery.shape,
  max_nodes: z.coerce.number().int().min(1).max(limits.flamegraphNodesMax).default(limits.flamegraphNodesDefault),
});
export type FlamegraphQuery = z.input<typeof flamegraphQuery>;

// Frame 0 is "not set" (the root), frame 1 is "(other)": what was cut below one parent. Neither is ever a search hit.
export const frameColumns = z.object({
  id: z.array(z.string()).describe('up to 16 hex digits, the same in every answer; "" for the root and (other)'),
  kind: z.array(z.enum(["root", "other", ...frameKindNames])),
  name: z.array(z.string()),
  file: z.array(z.string()),
  line: z.array(z.int()),
  mapping: z.array(z.string()),
  modulePath: z.array(z.string()),
  moduleClass: z.array(z.string()),
  modelKey: z.array(z.string()),
});
export type FrameColumns = z.infer<typeof frameColumns>;

export const nodeColumns = z.object({
  parent: z.array(z.int()).describe("node number of the parent; -1 for node 0"),
  frame: z.array(z.int()).describe("row of `frames`"),
  total: z.array(z.int()).describe("value of the node and everything below, in `unit`"),
  self: z.array(z.int()).describe("value that ends in this node, in `unit`"),
  count: z.array(z.int()).describe("launches or calls behind `total`"),
  copies: z.array(z.int()).describe("layers that are one here (layers=fold); 1 for every other node"),
});
export type NodeColumns = z.infer<typeof nodeColumns>;

export const flamegraph = dataExtent.extend({
  profileType: z.enum(profileTypeNames),
  unit: z.enum(["ns", "us", "count"]).describe("ns while the root total is below 2^53, else us for the whole answer"),
  execution: executionSummary.nullable().describe("the execution shown, or null for live data"),
  executionReason: z.enum(["selected", "latest", "no_live_samples"]).nullable(),
  samples: z.int().describe("sample rows behind the answer"),
  total: z.int().describe("of the root: of all stacks in the view"),
  whole: z.int().describe("of the selection; more than `total` where `focus` or `frame` leaves stacks out"),
  withoutLayer: z.int().describe("value of stacks without any Model Layer frame, in `unit`"),
  truncated: z.object({ nodes: z.int().describe("nodes cut into (other)"), total: z.int().describe("value inside all (other) nodes") }),
  simulated: z.boolean(),
  nodes: nodeColumns,
  frames: frameColumns,
});
export type Flamegraph = z.infer<typeof flamegraph>;
