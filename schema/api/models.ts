// Models: every PyTorch model seen in a process, and its structure.
import { z } from "zod";
import { limits } from "../limits.ts";
import { dataExtent, timeRangeQuery } from "./time-range.ts";

export const modelColumns = ["name", "parameters", "modules", "weightBytes", "hosts", "machines", "processes", "parallelism", "firstSeen", "lastSeen"] as const;
export type ModelColumn = (typeof modelColumns)[number];
export type ModelSort = ModelColumn | `-${ModelColumn}`;
const modelSorts: readonly ModelSort[] = modelColumns.flatMap((column): ModelSort[] => [column, `-${column}`]);

export const modelsQuery = timeRangeQuery.extend({
  from: z.string().default("-24h"),
  filter: z.string().default(""),
  sort: z.enum(modelSorts).default("-lastSeen").describe("a column, `-` before it for descending; models without a stored shape come last by its columns"),
  limit: z.coerce.number().int().min(1).max(limits.modelsPerPageMax).default(limits.modelsPerPageDefault),
  cursor: z.string().optional().describe("`next` of the page before, with the same sort; give that page's `range` as from and to, and the pages do not move"),
});
export type ModelsQuery = z.input<typeof modelsQuery>;

export const parallelism = z.object({ tp: z.int(), pp: z.int() });

export const modelRow = z.object({
  id: z.string().describe("shape id (64 hex) once the shape is stored, else the model key (32 hex)"),
  shapeId: z.string().nullable(),
  modelKeys: z.array(z.string()),
  name: z.string().describe("served name, else name_or_path, else architecture, else root class, else unnamed"),
  architecture: z.string(),
  parameters: z.int().nullable().describe("logical parameters: tied once, buffers not, packed weights by logical elements; null until the shape is stored"),
  modules: z.int().nullable(),
  weightBytes: z.int().nullable(),
  hosts: z.int(),
  machines: z.int(),
  processes: z.int(),
  parallelism: z.array(parallelism).describe("layouts seen, largest first; empty when never sharded"),
  missingStages: z.array(z.int()).describe("pipeline stages not stored yet"),
  firstSeen: z.iso.datetime(),
  lastSeen: z.iso.datetime(),
  sources: z.array(z.enum(["live", "import", "walk"])),
});
export type ModelRow = z.infer<typeof modelRow>;

export const modelsList = dataExtent.extend({ models: z.array(modelRow), next: z.string().nullable() });
export type ModelsList = z.infer<typeof modelsList>;

// How one deployment holds the model. A path is of a tensor, or a pattern of paths in which every index is "*".
export const modelLayout = z.object({
  layoutId: z.string(),
  modelKeys: z.array(z.string()),
  tp: z.int(),
  pp: z.int(),
  ep: z.int(),
  dp: z.int(),
  lastSeen: z.iso.datetime().nullable().describe("last sighting of its model keys with these TP and PP sizes in the range; null: stored, and not seen in it"),
  storedAt: z.iso.datetime(),
  sharded: z.array(z.object({ path: z.string(), dim: z.int() })),
  padded: z.array(z.object({ path: z.string(), dim: z.int(), size: z.int() })).describe("dimensions stored larger than they logically are, over all ranks"),
  replicated: z.array(z.object({ path: z.string(), replicas: z.int() })).describe("key and value heads that several ranks hold"),
  aliases: z.array(z.object({ path: z.string(), target: z.string() })).describe("what only buffers share"),
});
export type ModelLayout = z.infer<typeof modelLayout>;

export const modelDetail = dataExtent.extend({ model: modelRow, layouts: z.array(modelLayout).describe(`layouts stored of its shape, last seen first; of more than ${limits.layoutsPerModelMax}, the ones stored last`), layoutsTotal: z.int().describe("layouts stored of its shape, those left out included"), problem: z.string().nullable().describe("why stored pipeline stages are no whole model; null when they are, or when it is in one piece") });
export type ModelDetail = z.infer<typeof modelDetail>;

// A stored shape never changes: answered as immutable. Module rows are distinct structures (64 equal layers are one row), children before parents.
export const tensorRow = z.object({
  name: z.string(),
  role: z.enum(["parameter", "buffer", "quant_state"]),
  dtype: z.string(),
  dims: z.array(z.int()).describe("logical dims"),
  packedBits: z.int().describe("0 = not packed"),
  logicalNumel: z.int(),
  bytes: z.int().describe("0 = unsized"),
});
export type TensorRow = z.infer<typeof tensorRow>;

export const moduleRow = z.object({
  className: z.string(),
  tensors: z.array(tensorRow),
  children: z.array(z.object({ name: z.string(), module: z.int().describe("row of `modules`") })),
});
export type ModuleRow = z.infer<typeof moduleRow>;

export const shapeBody = z.object({
  architecture: z.string(),
  modules: z.array(moduleRow),
  root: z.int().describe("row of `modules`"),
  aliases: z.array(z.object({ path: z.string(), target: z.string() })).describe("path shares the tensors of target"),
});
export type ShapeBody = z.infer<typeof shapeBody>;

export const shapeDetail = z.object({
  shapeId: z.string(),
  parameters: z.int(),
  modules: z.int(),
  weightBytes: z.int(),
  storedAt: z.iso.datetime(),
  shape: shapeBody,
});
export type ShapeDetail = z.infer<typeof shapeDetail>;
