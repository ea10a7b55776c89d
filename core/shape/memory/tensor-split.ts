// How much of one tensor a rank holds: by what a stored layout says of it, else by the rule that Megatron set and the engines keep. Column: the outputs of a
// projection are divided; row: its inputs; vocabulary: the rows of an embedding, padded to divide; heads: query, key and value heads, key and value heads repeated
// where there are more ranks than heads; whole: every rank holds all of it. Experts are dealt out whole over the expert-parallel ranks, and divided within them.
import type { ModuleRow, TensorRow } from "#schema/api/models.ts";
import type { MemoryTensor } from "#schema/api/shapes.ts";
import type { Attention, HeadsAttention } from "./attention.ts";
import type { HeldTensor } from "../layout.ts";
import { sidesOf } from "./linear-sides.ts";
import { roleOfClass } from "../role.ts";

export interface ParallelSizes {
  tp: number;
  ep: number;
}

export interface TensorPlace {
  steps: readonly string[]; // of the module that holds it
  module: ModuleRow;
  parent: ModuleRow | undefined;
  attention: Attention | undefined; // of the parent
  experts: number | null; // number of experts in the list that this is part of
  tensor: TensorRow;
}

// What a stored layout says: its sizes, and of this tensor.
export interface StoredSplit {
  tpSize: number;
  epSize: number;
  held: HeldTensor;
}

export interface Split {
  rule: MemoryTensor["rule"];
  dim: number | null;
  part: number; // of the elements of one copy on a rank that has it
  experts: MemoryTensor["experts"];
  from: MemoryTensor["from"];
  note: string;
  replicated: boolean; // several ranks hold the same, because there is nothing to divide it by
  refused: boolean; // an engine would not start
  known: boolean; // a rule or a layout says so
}

const columns = new Set([
  "q_proj", "k_proj", "v_proj", "qkv_proj", "qkv", "query_key_value", "Wqkv", "c_attn", "q_b_proj", "kv_b_proj", "gate_proj", "up_proj", "gate_up_proj", "w1", "w3", "w13", "fc1", "c_fc",
  "dense_h_to_4h", "wi", "wi_0", "wi_1", "linear_fc1", "in_proj", "in_proj_qkv", "in_proj_qkvz", "in_proj_z", "in_proj_ba", "in_proj_a", "in_proj_b", "query", "key", "value", "wq", "wk", "wv",
]);
const twoInOne = new Set(["gate_up_proj", "w13"]); // each half is divided for itself
const rows = new Set(["o_proj", "out_proj", "down_proj", "w2", "fc2", "c_proj", "dense_4h_to_h", "wo", "linear_fc2"]);
const rowsInAttention = new Set(["dense", "proj", "o"]);
const columnsInAttention = new Set(["q", "k", "v"]);
const vocabularies = new Set(["embed_tokens", "embeddings", "wte", "word_embeddings", "tok_embeddings", "shared", "lm_head", "embed_out"]);
const wholes = new Set(["q_a_proj", "kv_a_proj_with_mqa", "fused_qkv_a_proj", "gate", "router", "shared_expert_gate", "wpe", "position_embeddings", "embed_positions"]);

export function splitOf(place: TensorPlace, sizes: ParallelSizes, stored: StoredSplit | undefined): Split {
  const { tensor, experts } = place;
  const fused = fusedExperts(place);
  const count = fused ?? experts;
  const perRank = count === null ? null : Math.ceil(count / sizes.ep);
  const whole: Split = {
    rule: "whole", dim: null, part: fused === null ? 1 : perRank! / fused, experts: count === null ? null : { count, perRank: perRank! }, from: "inferred", note: "", replicated: false, refused: false, known: true,
  };
  // Ranks that the experts are dealt out over no longer divide each expert, as far as they go.
  const tp = count === null ? sizes.tp : Math.max(1, Math.floor(sizes.tp / sizes.ep));
  // One rank says nothing of more, and ranks that hold experts whole nothing of how TP would divide one.
  const told = stored === undefined || stored.tpSize === 1 || (count !== null && stored.epSize > 1) ? undefined : stored.held;
  const rule = ruleOf(place, fused !== null);
  if (told !== undefined && !told.sharded.some((dim) => fused === null || dim > 0)) return { ...whole, from: "layout" };
  const dim = told?.sharded.find((one) => fused === null || one > 0) ?? rule.dim;
  const from = told === undefined ? "inferred" : "layout";
  if (dim === null) return { ...whole, from, note: rule.note, known: rule.rule !== "unknown" };
  const named = rule.rule === "unknown" || rule.rule === "whole" ? (dim === 0 ? "column" : "row") : rule.rule;
  const size = tensor.dims[dim];
  if (size === undefined || size <= 1) return { ...whole, from }; // one for all: there is nothing to divide
  if (named === "vocabulary") {
    // What it was padded to is known for the layout's own ranks; for others it is padded until it divides.
    const padded = Math.max(size, (stored?.tpSize === tp ? told?.padded.find((one) => one.dim === dim)?.size : undefined) ?? size);
    return { ...whole, rule: named, dim, from, part: Math.ceil(padded / tp) / size };
  }
  const undivided = (what: string): Split => ({ ...whole, from, note: `dim ${dim} of ${what} does not divide by ${tp}`, replicated: true, refused: tensor.role === "parameter" && tensor.dims.length > 1 });
  if (named === "heads") {
    const heads = headsPart(place, tp, stored);
    return isWhole(size * heads.part) ? { ...whole, ...heads, dim, from } : undivided(String(size));
  }
  const halves = named === "column" && twoInOne.has(fused === null ? projectionOf(place) : tensor.name.replace(/_(weight|bias).*$/, "")) ? 2 : 1;
  return size % (halves * tp) === 0 ? { ...whole, rule: named, dim, from, part: whole.part / tp } : undivided(halves === 1 ? String(size) : `2 × ${size / 2}`);
}

// Of rows that are a part of so many: parts like 1/6 are not exact.
function isWhole(rows: number): boolean {
  return Math.abs(rows - Math.round(rows)) < 1e-6;
}

type Ruled = { rule: MemoryTensor["rule"] | "unknown"; dim: number | null; note: string };

function ruleOf(place: TensorPlace, fused: boolean): Ruled {
  const { tensor, module, attention } = place;
  const known = (rule: MemoryTensor["rule"], dim: number | null): Ruled => ({ rule: dim === null ? "whole" : rule, dim, note: "" });
  if (fused) return known(...fusedRule(place));
  const name = projectionOf(place);
  const sides = sidesOf(module.className, tensor);
  const kind = kindOf(module.className, name, place.parent);
  if (kind === "unknown") {
    const dull = tensor.dims.length < 2 || roleOfClass(module.className) === "Norm";
    return { rule: dull ? "whole" : "unknown", dim: null, note: dull ? "" : "no rule for its name" };
  }
  if (kind === "column" && attention?.kind === "heads" && [attention.query, attention.key, attention.value].includes(name)) return known("heads", sides.out);
  if (kind === "whole") return known("whole", null);
  return known(kind, kind === "row" ? sides.in : sides.out);
}

function kindOf(className: string, name: string, parent: ModuleRow | undefined): "column" | "row" | "vocabulary" | "whole" | "unknown" {
  if (/VocabParallelEmbedding|LMHead/.test(className)) return "vocabulary";
  if (/ReplicatedLinear|QkvAProj/.test(className) || /Indexer/.test(parent?.className ?? "")) return "whole";
  if (/RowParallelLinear/.test(className)) return "row";
  if (/ColumnParallelLinear|QKVParallelLinear/.test(className)) return "column";
  const inAttention = parent !== undefined && roleOfClass(parent.className) === "Attention";
  if (columns.has(name) || (inAttention && columnsInAttention.has(name))) return "column";
  if (rows.has(name) || (inAttention && rowsInAttention.has(name))) return "row";
  if (vocabularies.has(name)) return "vocabulary";
  return wholes.has(name) ? "whole" : "unknown";
}

// The name that the engine gives the projection: an adapter's wrapper stands between it and the tensor.
function projectionOf({ steps }: TensorPlace): string {
  return (steps.at(-1) === "base_layer" ? steps.at(-2) : steps.at(-1)) ?? "";
}

// The number of experts that one tensor holds, one beside the other in its first dimension.
function fusedExperts({ steps, module, experts, tensor }: TensorPlace): number | null {
  if (experts !== null || !(steps.at(-1) === "experts" || /FusedMoE|Experts$/.test(module.className))) return null;
  const stacked = module.tensors.find(({ dims }) => dims.length >= 3)?.dims[0];
  return stacked !== undefined && stacked > 0 && tensor.dims.length >= 1 && tensor.dims[0] === stacked ? stacked : null;
}

// [experts, out, in], or [experts, in, out] where the sizes of the two projections fit only so.
function fusedRule({ module, tensor }: TensorPlace): [MemoryTensor["rule"], number | null] {
  const { name, dims } = tensor;
  const down = /^(w2|down)/.test(name);
  if (!down && !/^(w1|w3|gate|up)/.test(name)) return ["whole", null];
  if (name.endsWith("bias")) return down ? ["whole", null] : ["column", 1];
  if (dims.length < 3) return ["whole", null];
  const [up, back] = [module.tensors.find((one) => one.name === "gate_up_proj")?.dims, module.tensors.find((one) => one.name === "down_proj")?.dims];
  const inFirst = up !== undefined && back !== undefined && up.length === 3 && back.length === 3 && up[2] === 2 * back[1]! && up[1] === back[2] && up[1] !== 2 * back[2]!;
  return down ? ["row", inFirst ? 1 : 2] : ["column", inFirst ? 2 : 1];
}

// Heads of a rank. Without the number of key heads they are taken to be enough for all ranks.
function headsPart({ attention, ...place }: TensorPlace, tp: number, stored: StoredSplit | undefined): Pick<Split, "rule" | "part" | "note" | "replicated" | "refused"> {
  const heads = attention as HeadsAttention;
  const queries = queriesPart(heads, tp);
  if (projectionOf({ attention, ...place }) === heads.query) return { rule: "heads", ...queries };
  const { part, replicated, refused, known, note } = kvPart(heads, tp, stored);
  const said = known ? note : `the number of key heads is unknown: taken to divide by ${tp}`;
  if (heads.queryWidth === null) return { rule: "heads", part, note: said, replicated, refused };
  // One tensor with all three: its queries and its keys and values each have their part.
  const kvWidth = heads.keyWidth + heads.valueWidth;
  return {
    rule: "heads", part: (heads.queryWidth * queries.part + kvWidth * part) / (heads.queryWidth + kvWidth), note: queries.note || said,
    replicated: queries.replicated || replicated, refused: queries.refused || refused,
  };
}

interface HeadsPart {
  part: number;
  note: string;
  replicated: boolean;
  refused: boolean;
}

function queriesPart({ queryHeads }: HeadsAttention, tp: number): HeadsPart {
  if (queryHeads === null || queryHeads % tp === 0) return { part: 1 / tp, note: "", replicated: false, refused: false };
  return { part: 1, note: `${queryHeads} query heads do not divide by ${tp}`, replicated: true, refused: true };
}

// The part of the key and value heads that a rank holds; `known` is false where it rests on their unknown number.
export function kvPart(heads: HeadsAttention, tp: number, stored: StoredSplit | undefined): HeadsPart & { kvHeads: number | null; known: boolean } {
  const kvHeads = heads.kvHeads ?? headsOfLayout(heads, stored);
  const even = { part: 1 / tp, note: "", replicated: false, refused: false, kvHeads };
  if (kvHeads === null) {
    // A layout that divides the heads by more ranks, and repeats none, says that there are enough.
    const enough = stored !== undefined && stored.tpSize > 1 && stored.held.sharded.length > 0 && stored.held.replicas <= 1 && stored.tpSize % tp === 0 && heads.keyWidth % tp === 0 && heads.valueWidth % tp === 0;
    return { ...even, known: tp === 1 || enough };
  }
  if (kvHeads % tp === 0) return { ...even, known: true };
  if (tp % kvHeads === 0) return { part: 1 / kvHeads, note: `${kvHeads} key heads on ${tp} ranks: each on ${tp / kvHeads}`, replicated: true, refused: false, kvHeads, known: true };
  return { part: 1, note: `${kvHeads} key heads and ${tp} ranks: neither divides by the other`, replicated: true, refused: true, kvHeads, known: true };
}

// A layout that holds each key head on several ranks tells how many there are, if the keys and values are so many heads.
function headsOfLayout({ keyWidth, valueWidth }: HeadsAttention, stored: StoredSplit | undefined): number | null {
  if (stored === undefined || stored.held.replicas <= 1) return null;
  const kvHeads = stored.tpSize / stored.held.replicas;
  return [kvHeads, keyWidth / kvHeads, valueWidth / kvHeads].every(Number.isInteger) ? kvHeads : null;
}
