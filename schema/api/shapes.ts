// What is asked of one stored shape: a module's details, a search, a comparison with another shape, memory per rank. Paths are dotted from the root.
import { z } from "zod";
import { limits } from "../limits.ts";
import { tensorRow } from "./models.ts";

const layoutId = z.string().regex(/^[0-9a-f]{64}$/, "64 hex digits").describe("a layout of the shape, see GET /api/models/{id}; default: the one stored last");
const size = z.coerce.number().int().min(1).max(limits.parallelSizeMax).default(1);

export const shapeQuery = z.object({
  format: z.enum(["json", "text"]).default("json").describe("text: a table for people, one line per module and tensor, equal siblings folded (text/plain)"),
});

export const heldTensor = z.object({
  sharded: z.array(z.int()).describe("dimensions it is split along"),
  padded: z.array(z.object({ dim: z.int(), size: z.int() })),
  replicas: z.int().describe("1 = every rank holds its own part"),
});

export const moduleQuery = z.object({ path: z.string().default("").describe('e.g. "model.layers.17.self_attn"; empty: the root'), layout: layoutId.optional() });

export const moduleTensor = tensorRow.omit({ bytes: true }).extend({
  path: z.string(),
  bytes: z.int().nullable().describe("as stored; null: unsized"),
  elements: z.int().describe("logical"),
  ...heldTensor.shape,
  shares: z.string().nullable().describe("path of the tensor it shares"),
  sharedBy: z.int().describe("other paths that share it"),
  notes: z.array(z.string()).describe('the same for people: "buffer", "dim 0 sharded", "4-bit packed", "shares model.embed_tokens.weight", "unsized"'),
});
export type ModuleTensor = z.infer<typeof moduleTensor>;

export const moduleDetail = z.object({
  shapeId: z.string(),
  layoutId: z.string().nullable(),
  path: z.string(),
  className: z.string(),
  role: z.string(),
  frameName: z.string().describe("name of its Model Layer frame"),
  search: z.string().describe("what finds its frames, those of all copies, in the flamegraph"),
  totals: z.object({ parameters: z.int(), weightBytes: z.int(), ownParameters: z.int(), submodules: z.int(), unsizedTensors: z.int() }),
  repeat: z
    .object({
      count: z.int().describe("paths that folding shows as this one, itself included"),
      first: z.string(),
      last: z.string(),
      firstIndex: z.int().nullable().describe("of the fold it is a member of; null: only something above it repeats"),
      lastIndex: z.int().nullable(),
      parameters: z.int().describe("over all copies, shared ones once"),
      weightBytes: z.int(),
    })
    .nullable(),
  alias: z.string().nullable().describe("path of the module it shares"),
  precision: z.array(
    z.object({ dtype: z.string(), tensors: z.int(), bytes: z.int().nullable().describe("null: unsized"), share: z.number().nullable().describe("of the module's weight bytes, 0 to 1") }),
  ),
  tensors: z.array(moduleTensor),
});
export type ModuleDetail = z.infer<typeof moduleDetail>;

export const findQuery = z.object({
  q: z.string().describe("words, all of which a module's name, class, path or the dtype of its own tensors must hold, in any case; /…/ is a regular expression"),
  limit: z.coerce.number().int().min(1).max(limits.findHitsMax).default(limits.findHitsDefault),
});

export const findHit = z.object({
  className: z.string(),
  first: z.string().describe("path of the first copy that matches"),
  last: z.string(),
  copies: z.int().describe("copies that match"),
  of: z.int().describe("copies the folded node stands for"),
});
export type FindHit = z.infer<typeof findHit>;

export const findAnswer = z.object({
  shapeId: z.string(),
  modules: z.int().describe("in the tree"),
  matches: z.int().describe("modules that match, every copy counted"),
  hits: z.array(findHit).describe("in pre-order; copies that are folded together are one hit"),
  more: z.boolean(),
});
export type FindAnswer = z.infer<typeof findAnswer>;

const shapeIdText = z.string().regex(/^[0-9a-f]{64}$/, "a shape id: 64 hex digits");
export const compareQuery = z.object({
  a: shapeIdText,
  b: shapeIdText,
  layoutA: layoutId.optional().describe("with layoutB: what is sharded otherwise"),
  layoutB: layoutId.optional(),
  limit: z.coerce.number().int().min(1).max(limits.compareChangesMax).default(limits.compareChangesDefault),
});

const comparedModule = z.object({ className: z.string(), parameters: z.int(), weightBytes: z.int(), modules: z.int() });
const comparedTensor = tensorRow.omit({ name: true, bytes: true });
const comparedLayer = z.object({ className: z.string(), count: z.int() });
const at = {
  path: z.string().describe('an index in which the copies differ is "*"'),
  first: z.string(),
  last: z.string(),
  copies: z.int().describe("places with this change"),
  of: z.int().describe("places that the pattern of the path stands for"),
};
const change = <Kind extends string, Value extends z.ZodType>(kind: Kind, value: Value) => z.object({ kind: z.literal(kind), ...at, before: value, after: value });

export const shapeChange = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("module_added"), ...at, before: z.null(), after: comparedModule }),
  z.object({ kind: z.literal("module_removed"), ...at, before: comparedModule, after: z.null() }),
  change("class_changed", z.string()),
  change("layers_changed", z.object({ count: z.int(), layers: z.array(comparedLayer).describe("those the other side has none of, runs of a class") })),
  change("order_changed", z.array(z.string())),
  z.object({ kind: z.literal("tensor_added"), ...at, before: z.null(), after: comparedTensor }),
  z.object({ kind: z.literal("tensor_removed"), ...at, before: comparedTensor, after: z.null() }),
  z.object({ kind: z.literal("tensor_changed"), ...at, fields: z.array(z.enum(["role", "dtype", "dims", "packing"])), before: comparedTensor, after: comparedTensor }),
  change("alias_changed", z.string().nullable().describe("path it shares; null: nothing")),
  change("sizes_changed", z.object({ tp: z.int(), pp: z.int(), ep: z.int(), dp: z.int() })),
  change("sharding_changed", heldTensor),
]);
export type ShapeChange = z.infer<typeof shapeChange>;

export const comparedShape = z.object({
  shapeId: z.string(),
  layoutId: z.string().nullable(),
  architecture: z.string(),
  rootClass: z.string(),
  parameters: z.int(),
  weightBytes: z.int(),
  modules: z.int(),
  dtypes: z.array(z.string()),
});

export const shapeComparison = z.object({
  a: comparedShape,
  b: comparedShape,
  same: z.boolean().describe("nothing differs"),
  total: z.int().describe("changes, those beyond the limit included"),
  changes: z.array(shapeChange),
});
export type ShapeComparison = z.infer<typeof shapeComparison>;

export const memoryQuery = z.object({
  tp: size.describe("tensor-parallel size"),
  pp: size.describe("pipeline stages"),
  ep: size.describe("ranks that the experts are spread over"),
  layout: layoutId.optional(),
  kvDtypeBytes: z.coerce.number().int().min(1).max(8).optional().describe("bytes of one cached element; default: those of the key projection where it is not quantised, else 2"),
});

export const memoryTensor = z.object({
  path: z.string().describe('every index is "*"'),
  copies: z.int(),
  dtype: z.string(),
  dims: z.array(z.int()),
  packedBits: z.int(),
  bytes: z.int().nullable().describe("of one copy; null: unsized"),
  bytesPerRank: z.int().nullable().describe("of one copy on a rank that has it"),
  rule: z.enum(["column", "row", "vocabulary", "heads", "whole"]).describe("heads: query, key and value heads, the latter repeated beyond their number"),
  dim: z.int().nullable().describe("dimension it is split along"),
  experts: z.object({ count: z.int(), perRank: z.int() }).nullable().describe("of the experts that it is of: a rank has perRank of them"),
  from: z.enum(["layout", "inferred"]).describe("whether a stored layout says how it is split, or the rule of its class or name"),
  replicated: z.boolean().describe("several ranks hold the same, because it cannot be divided by so many"),
  note: z.string().describe("why, or what could not be told"),
});
export type MemoryTensor = z.infer<typeof memoryTensor>;

export const memoryAttention = z.object({
  path: z.string(),
  className: z.string(),
  layers: z.int(),
  kind: z.enum(["heads", "latent", "unknown"]),
  kvHeads: z.int().nullable(),
  headSize: z.int().nullable(),
  elementsPerToken: z.int().nullable().describe("cached by one layer, over all ranks"),
  elementsPerTokenPerRank: z.int().nullable().describe("null: it cannot be told from the shapes"),
  how: z.string().describe("what it was read from, or what is missing"),
});
export type MemoryAttention = z.infer<typeof memoryAttention>;

export const shapeMemory = z.object({
  shapeId: z.string(),
  layoutId: z.string().nullable().describe("whose facts were used"),
  tp: z.int(),
  pp: z.int(),
  ep: z.int(),
  weights: z.object({
    bytes: z.int().describe("of the whole model, on one rank"),
    expertBytes: z.int(),
    stages: z.array(
      z.object({
        stage: z.int(),
        layers: z.int(),
        bytesPerRank: z.int(),
        expertBytesPerRank: z.int(),
        kvBytesPerTokenPerRank: z.int().nullable(),
      }),
    ),
    largestStage: z.int(),
    bytesPerRank: z.int().describe("of a rank of the largest stage"),
    unsizedTensors: z.int(),
  }),
  kv: z.object({
    reason: z.string().nullable().describe("why there is no figure: the layers read a whole sequence at once; null: they decode, or nothing tells"),
    elementBytes: z.int(),
    elementBytesFrom: z.enum(["asked", "weights", "default"]),
    bytesPerToken: z.int().nullable().describe("of the whole model, each head once; null: there is no cache, or it cannot be told from the shapes"),
    bytesPerTokenPerRank: z.int().nullable().describe("of a rank of the stage with most"),
    attention: z.array(memoryAttention),
    layersWithout: z.int().describe("layers that cache nothing per token: no attention in them"),
  }),
  layerPath: z.string().nullable().describe("the list of layers that stages divide"),
  problems: z.array(z.string()).describe("why an engine would refuse these sizes, and what could not be told"),
  notes: z.array(z.string()).describe("what was assumed"),
  inferred: z.int().describe("tensors whose split is inferred"),
  replicated: z.int().describe("tensors that every rank holds whole because they cannot be divided"),
  tensors: z.array(memoryTensor).describe("largest copy first"),
  tensorsTotal: z.int(),
});
export type ShapeMemory = z.infer<typeof shapeMemory>;
