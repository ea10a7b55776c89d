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

export const flamegraphQuery = profileQuery.extend({
  layers: z.enum(["show", "hide"]).default("show").describe("hide merges all layers back into the shared stack"),
  hide: z.string().default("").describe("comma-separated frame kinds to take out of every stack, e.g. python,native"),
  max_nodes: z.coerce.number().int().min(1).max(limits.flamegraphNodesMax).default(limits.flamegraphNodesDefault),
});
export type FlamegraphQuery = z.input<typeof flamegraphQuery>;

// Frame 0 is "not set" (the root), frame 1 is "(other)": what was cut below one parent. Neither is ever a search hit.
export const frameColumns = z.object({
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
});
export type NodeColumns = z.infer<typeof nodeColumns>;

export const flamegraph = dataExtent.extend({
  profileType: z.enum(profileTypeNames),
  unit: z.enum(["ns", "us", "count"]).describe("ns while the root total is below 2^53, else us for the whole answer"),
  execution: executionSummary.nullable().describe("the execution shown, or null for live data"),
  executionReason: z.enum(["selected", "latest", "no_live_samples"]).nullable(),
  samples: z.int().describe("sample rows behind the answer"),
  total: z.int(),
  withoutLayer: z.int().describe("value of stacks without any Model Layer frame, in `unit`"),
  truncated: z.object({ nodes: z.int().describe("nodes cut into (other)"), total: z.int().describe("value inside all (other) nodes") }),
  simulated: z.boolean(),
  nodes: nodeColumns,
  frames: frameColumns,
});
export type Flamegraph = z.infer<typeof flamegraph>;
