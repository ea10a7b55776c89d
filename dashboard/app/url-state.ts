// What each page keeps in its URL. Every value is text or absent, so a URL reads like the API's own query; a value that does not fit is dropped, never an error.
import * as z from "zod/mini";
import { engines, gpuVendors, platforms } from "#core/setup/setup-choice.ts";
import { moduleRoles } from "#core/shape/role.ts";
import { rankedBy } from "#schema/ranked-by.ts";

const word = (pattern: RegExp) => z.catch(z.optional(z.string().check(z.regex(pattern))), undefined);
const text = (max: number) => z.catch(z.optional(z.string().check(z.maxLength(max))), undefined);

const moment = word(/^(now|-\d{1,6}[smhdw]|\d{9,11}|\d{4}-\d\d-\d\dT[\d:.]+Z)$/);

// Shared by all pages of a tenant, so that it travels from page to page.
export const rangeSearch = z.object({ from: moment, to: moment });

export const modelsSearch = z.object({ filter: text(4096), sort: word(/^-?[a-z]+$/i) });
export const modelSearch = z.object({
  toggled: text(8192), // paths of modules that are not as they are at first: opened or closed by hand
  unfold: text(8192), // paths of copies that stand by themselves; "model.layers.*": all below model.layers
  expand: word(/^all$/), // at first every section is open
  path: text(1024), // the selected module, "." is the root
  view: z.catch(z.optional(z.enum(["list", "memory", "compare"])), undefined), // instead of the graph
  role: z.catch(z.optional(z.enum(moduleRoles)), undefined), // kept in the spotlight
  aliases: word(/^off$/), // every path a module of its own
  times: word(/^off$/), // without the samples' time of each module
  filter: text(4096), // which samples that time is of
  q: text(512), // search
  layout: word(/^[0-9a-f]{64}$/), // the deployment whose sharding is shown
  at: word(/^-?\d{1,7},-?\d{1,7},\d{1,3}$/), // the camera: world px of the middle of the view, zoom in percent
  tp: word(/^\d{1,4}$/), // what-if of the memory view
  pp: word(/^\d{1,4}$/),
  ep: word(/^\d{1,4}$/),
  with: word(/^[0-9a-f]{64}$/), // the shape it is compared with
  withLayout: word(/^[0-9a-f]{64}$/), // or the layout of the same shape
});
export type ModelSearch = z.infer<typeof modelSearch>;
export const flamegraphSearch = z.object({
  filter: text(4096),
  type: word(/^[a-z_]+$/),
  execution: word(/^([0-9a-f]{64}|latest|live)$/),
  layers: z.catch(z.optional(z.enum(["show", "hide", "fold"])), undefined),
  hide: word(/^[a-z_]+(,[a-z_]+)*$/),
  invert: word(/^1$/),
  frame: word(/^[0-9a-f]{1,16}$/), // only stacks with this frame: what it calls, or what calls it
  side: z.catch(z.optional(z.enum(["callees", "callers"])), undefined),
  recursion: word(/^collapse$/), // every frame at most once in a stack
  chains: word(/^group$/), // frames that only lead to one another as one
  colour: z.catch(z.optional(z.enum(["role", "layer", "self"])), undefined), // what fills say, instead of the kind
  pane: word(/^closed$/), // the model beside the drawing
  compare: word(/^([0-9a-f]{64}|latest|live|before)$/), // what was, A, beside what is selected, B: an execution, live samples, or the time before
  compareFrom: moment,
  compareTo: moment,
  compareFilter: text(4096),
  basis: z.catch(z.optional(z.enum(["share", "launch", "time", "token"])), undefined),
  changes: z.catch(z.optional(z.enum(["gone", "new"])), undefined), // of a comparison: only what A has, only what B has
  view: word(/^table$/), // instead of the graph: what the time goes to
  by: z.catch(z.optional(z.enum(rankedBy)), undefined),
  sort: z.catch(z.optional(z.enum(["total", "self"])), undefined),
  search: text(512),
  focus: word(/^[0-9a-z]{1,16}$/), // path key of the frame at full width
  model: word(/^[0-9a-f]{32,64}$/), // the model page this view was opened from: the way back
});
const number = word(/^\d{1,9}(\.\d{1,6})?$/);
const sort = word(/^-?[a-z0-9]+$/i);
export const workloadsSearch = z.object({ sort });
export const workloadSearch = z.object({
  ttft: number, // limits of goodput, ms
  tpot: number,
  e2e: number,
  log: word(/^1$/), // axes of the scatters
  queue: number, // ms: requests that waited longer have another colour
  input: word(/^\d{0,10}-\d{0,10}$/), // tokens, from-to: only requests with so many
  brush: word(/^(ttft|decode):\d+(\.\d+)?(,\d+(\.\d+)?){3}$/), // tokens from, to, ms from, to: only requests in this rectangle of a scatter
  order: word(/^latency$/), // of the Gantt's rows, instead of their start
  time: word(/^\d+(\.\d+)?-\d+(\.\d+)?$/), // s since the first request: what the Gantt shows
  sort,
  hide: word(/^[a-z0-9]+(,[a-z0-9]+)*$/), // columns of the table
  request: word(/^\d{1,10}$/), // the selected one
});
export const metricsSearch = z.object({
  engine: text(256),
  host: text(256),
  model: text(256),
  at: word(/^\d{9,11}$/), // Unix seconds of the selected moment
});
export type MetricsSearch = z.infer<typeof metricsSearch>;
export type WorkloadSearch = z.infer<typeof workloadSearch>;
export type ChangeWorkload = (change: Partial<WorkloadSearch>, replace?: boolean) => void;

export type FlamegraphSearch = z.infer<typeof flamegraphSearch>;
// `replace`: without a step of its own in the browser's history.
export type ChangeSearch = (change: Partial<FlamegraphSearch>, replace?: boolean) => void;

// How an opened file is looked at; the file itself is in no address. `sort` is of its table.
const { layers, hide, invert, frame, side, recursion, chains, colour, search, focus, pane } = flamegraphSearch.shape;
export const fileSearch = z.object({
  ...workloadSearch.shape,
  layers,
  hide,
  invert,
  frame,
  side,
  recursion,
  chains,
  colour,
  search,
  focus,
  pane,
  name: text(256), // of the file, to ask for it again
  run: word(/^\d{1,4}$/), // of a benchmark's file with several
});
export type FileSearch = z.infer<typeof fileSearch>;
export type ChangeFile = (change: Partial<FileSearch>, replace?: boolean) => void;

export const executionsSearch = z.object({ sort: word(/^-?[a-z]+$/i) });
export const executionSearch = z.object({
  view: z.catch(z.optional(z.enum(["layers", "architecture", "kernels", "steps", "compare"])), undefined), // absent: the profiler
  with: word(/^[0-9a-f]{64}(,[0-9a-f]{64}){0,3}$/), // executions beside this one
  toggled: text(8192), // paths of modules that are not as they are at first
  path: text(1024), // the selected module, "." is the root
  layer: word(/^\d{1,5}$/), // of the run of layers, from 0
  run: text(1024), // path of the first of the layers that are looked at; absent: those that took most
  op: text(1024), // the selected operator, in the selected module
  sort: word(/^-?[a-z0-9-]+$/i),
  by: text(64), // the scale of the map of layers; of kernels, what they do
  kernel: word(/^\d{1,7}$/), // the selected row of a table
});
export type ExecutionSearch = z.infer<typeof executionSearch>;

const oneOf = <Name extends string>(names: Readonly<Record<Name, string>>) => z.catch(z.optional(z.enum(Object.keys(names) as [Name, ...Name[]])), undefined);
const line = word(/^[^\p{C}]{1,200}$/u); // one line of text, no control characters

export const setupSearch = z.object({
  engine: oneOf(engines),
  platform: oneOf(platforms),
  gpu: oneOf(gpuVendors),
  shapes: word(/^off$/),
  pc: word(/^on$/),
  log: word(/^on$/),
  tags: line,
  cluster: line,
});
export type SetupSearch = z.infer<typeof setupSearch>;

export function parseSearch(query: string): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(query));
}

export function stringifySearch(search: Record<string, unknown>): string {
  const params = new URLSearchParams();
  for (const [key, value] of Object.entries(search)) if (typeof value === "string" && value !== "") params.set(key, value);
  const query = params.toString().replaceAll("%2C", ",").replaceAll("%2F", "/").replaceAll("%3A", ":");
  return query === "" ? "" : `?${query}`;
}
