// What if: weight bytes of a rank under any TP × PP × EP, and what each token adds to its KV cache. From logical dims alone; the answer says of every tensor how it
// is divided and whether a stored layout or the usual rule says so. What the shapes cannot tell is null, with the reason.
import type { ShapeBody, TensorRow } from "#schema/api/models.ts";
import type { MemoryAttention, MemoryTensor, ShapeMemory } from "#schema/api/shapes.ts";
import { limits } from "#schema/limits.ts";
import { err, ok, type Result } from "../../result.ts";
import { attentionOf, type Attention } from "./attention.ts";
import { encoderOnly } from "./encoder-only.ts";
import { canonicalShape } from "../canonical.ts";
import { joinPath } from "../locate.ts";
import { bytesOfDtype } from "../dtype.ts";
import { layoutOf } from "../layout.ts";
import { holdersOf, type Holder } from "./memory-holders.ts";
import { bytesText } from "../number-text.ts";
import type { ShapeLayout } from "../part.ts";
import { layerListOf } from "./pipeline-stages.ts";
import { tensorBytes } from "../tensor-size.ts";
import { kvPart, splitOf, type Split, type StoredSplit } from "./tensor-split.ts";
import { shapeTotals } from "../totals.ts";

export interface MemoryQuestion {
  tp: number;
  pp: number;
  ep: number;
  layout?: ShapeLayout | undefined;
  kvDtypeBytes?: number | undefined;
}

export type Memory = Omit<ShapeMemory, "shapeId" | "layoutId">;

export function shapeMemory(body: ShapeBody, { tp, pp, ep, layout: asked, kvDtypeBytes }: MemoryQuestion): Result<Memory, string> {
  // FSDP divides every tensor over data-parallel ranks as well, and a layout does not say which dimension is whose.
  const layout = asked !== undefined && asked.dpSize > 1 ? undefined : asked;
  const { body: shape } = canonicalShape(body);
  const list = layerListOf(shape);
  const layerCount = list === undefined ? 0 : rowAt(shape, list.position).children.length;
  if (pp > Math.max(1, layerCount)) return err(`pp is ${pp}, but ${list === undefined ? "the model has no list of layers" : `${list.path || "the root"} has ${layerCount} layers`}: a stage holds at least one`);
  const found = holdersOf(shape, list, pp);
  if (!found.ok) return found;
  const { holders, layers } = found.value;
  const attentions = shape.modules.map((_, row) => attentionOf(shape.modules, row));
  const held = layout === undefined ? undefined : layoutOf(layout);
  const storedOf = (path: string): StoredSplit | undefined => layout && { tpSize: layout.tpSize, epSize: layout.epSize, held: held!(path) };

  const sum = new WeightSums(pp);
  for (const holder of holders) {
    const module = shape.modules[holder.row]!;
    for (const [i, tensor] of module.tensors.entries()) {
      if (tensor.role === "buffer") continue;
      const parent = holder.parent === undefined ? undefined : shape.modules[holder.parent];
      const attention = holder.parent === undefined ? undefined : attentions[holder.parent];
      const split = splitOf({ steps: holder.steps, module, parent, attention, experts: holder.experts, tensor }, { tp, ep }, storedOf(joinPath(holder.path, tensor.name)));
      sum.add(holder, i, tensor, split);
    }
  }
  if (!sum.bytes.every(Number.isSafeInteger)) return err("the layout pads tensors to more than 2^53 - 1 bytes on a rank: ask without it");
  const kv = kvOf(shape, holders, attentions, tp, pp, storedOf, kvDtypeBytes, encoderOnly(shape, list));
  const largestStage = sum.bytes.reduce((best, bytes, stage) => (bytes > sum.bytes[best]! ? stage : best), 0);
  const totals = shapeTotals(shape);
  const tensors = [...sum.tensors.values()].filter(({ copies }) => copies > 0).sort((a, b) => (b.bytes ?? 0) - (a.bytes ?? 0) || (a.path < b.path ? -1 : 1));
  return ok({
    tp, pp, ep,
    weights: {
      bytes: totals.weightBytes,
      expertBytes: sum.expertBytesWhole,
      stages: layers.map((count, stage) => ({
        stage, layers: count, bytesPerRank: sum.bytes[stage]!, expertBytesPerRank: sum.expertBytes[stage]!, kvBytesPerTokenPerRank: kv.stages[stage]!,
      })),
      largestStage,
      bytesPerRank: sum.bytes[largestStage]!,
      unsizedTensors: totals.unsizedTensors,
    },
    kv: kv.answer,
    layerPath: list?.path ?? null,
    problems: problemsOf(tensors, sum, { tp, ep }),
    notes: [
      ...notesOf(kv, { pp, layout, tp, ep: sum.expertBytesWhole === 0 ? 1 : ep }),
      ...(layout === asked ? [] : ["the layout divides tensors over data-parallel ranks too, and does not say which dimension is whose: it is not used"]),
    ],
    inferred: tensors.filter(({ from, rule }) => from === "inferred" && rule !== "whole").length,
    replicated: tensors.filter(({ replicated }) => replicated).length,
    tensors: tensors.slice(0, limits.memoryTensorsMax),
    tensorsTotal: tensors.length,
  });
}

function rowAt(shape: ShapeBody, position: readonly number[]): ShapeBody["modules"][number] {
  return position.reduce((module, at) => shape.modules[module.children[at]!.module]!, shape.modules[shape.root]!);
}

class WeightSums {
  readonly bytes: number[];
  readonly expertBytes: number[];
  readonly tensors = new Map<string, MemoryTensor>();
  readonly refused = new Set<string>();
  expertBytesWhole = 0;
  unruledBytes = 0;

  constructor(stages: number) {
    this.bytes = Array.from({ length: stages }, () => 0);
    this.expertBytes = Array.from({ length: stages }, () => 0);
  }

  add({ held, fewer, steps, experts }: Holder, index: number, tensor: TensorRow, split: Split): void {
    const bytes = tensorBytes(tensor);
    const part = Math.round((bytes ?? 0) * split.part);
    const copies = Array.from(held, (count, stage) => count - (fewer.get(index)?.[stage] ?? 0));
    for (const [stage, count] of copies.entries()) {
      // A rank has its share of a list of experts; of experts in one tensor `part` is that share.
      const mine = experts === null ? count : Math.ceil((count * split.experts!.perRank) / experts);
      this.bytes[stage]! += mine * part;
      if (split.experts !== null) this.expertBytes[stage]! += mine * part;
    }
    const all = copies.reduce((sum, count) => sum + count, 0);
    if (split.experts !== null) this.expertBytesWhole += all * (bytes ?? 0);
    if (!split.known) this.unruledBytes += all * part;
    const path = joinPath(steps.join("."), tensor.name);
    if (split.refused && all > 0) this.refused.add(`${path}: ${split.note}`);
    this.#list(path, all, tensor, bytes, part, split);
  }

  #list(path: string, copies: number, { dtype, dims, packedBits }: TensorRow, bytes: number | undefined, part: number, { rule, dim, experts, from, note, replicated }: Split): void {
    const line = { path, copies, dtype, dims, packedBits, bytes: bytes ?? null, bytesPerRank: bytes === undefined ? null : part, rule, dim, experts, from, replicated, note };
    const key = JSON.stringify({ ...line, copies: 0 });
    const known = this.tensors.get(key);
    if (known === undefined) this.tensors.set(key, line);
    else known.copies += copies;
  }
}

interface Kv {
  answer: ShapeMemory["kv"];
  stages: (number | null)[]; // bytes per token of a rank
  elsewhere: string[]; // attention that is in no layer of the list
}

function kvOf(
  shape: ShapeBody, holders: readonly Holder[], attentions: readonly (Attention | undefined)[], tp: number, pp: number, storedOf: (path: string) => StoredSplit | undefined, asked: number | undefined,
  reason: string | null,
): Kv {
  const lines = new Map<string, MemoryAttention>();
  const elsewhere: string[] = [];
  const counted: { met: Float64Array; whole: number | null; rank: number | null }[] = [];
  const dtypes = new Set<string>();
  for (const { row, steps, path, met, inLayers } of reason === null ? holders : []) {
    const attention = attentions[row];
    const layers = met.reduce((sum, count) => sum + count, 0);
    if (attention === undefined || layers === 0) continue;
    const pattern = steps.join(".");
    const { className } = shape.modules[row]!;
    if (!inLayers || /cross|EncDec|encoder_attn/i.test(`${steps.at(-1)} ${className}`)) {
      elsewhere.push(`${pattern} (${className}${layers > 1 ? ` ×${layers}` : ""})`);
      continue;
    }
    const facts = cachedBy(attention, tp, attention.kind === "heads" ? storedOf(joinPath(joinPath(path, attention.key), "weight")) : undefined);
    counted.push({ met, whole: facts.elementsPerToken, rank: facts.elementsPerTokenPerRank });
    if (attention.kind !== "unknown") dtypes.add(attention.dtype);
    const line = { path: pattern, className, layers, ...facts };
    const key = JSON.stringify({ ...line, layers: 0 });
    const known = lines.get(key);
    if (known === undefined) lines.set(key, line);
    else known.layers += layers;
  }
  const plain = dtypes.size === 1 && ["bfloat16", "float16", "float32"].includes([...dtypes][0]!);
  const elementBytes = asked ?? (plain ? bytesOfDtype([...dtypes][0]!)! : 2);
  const bytes = (elements: (one: (typeof counted)[number]) => number | null, stage?: number): number | null => {
    let sum = 0;
    for (const one of counted) {
      const [count, each] = [stage === undefined ? one.met.reduce((all, more) => all + more, 0) : one.met[stage]!, elements(one)];
      if (count === 0) continue;
      if (each === null) return null;
      sum += count * each * elementBytes;
    }
    return counted.length === 0 ? null : sum;
  };
  const stages = Array.from({ length: pp }, (_, stage) => bytes(({ rank }) => rank, stage));
  const attention = [...lines.values()];
  return {
    stages,
    elsewhere,
    answer: {
      reason,
      elementBytes,
      elementBytesFrom: asked !== undefined ? "asked" : plain ? "weights" : "default",
      bytesPerToken: bytes(({ whole }) => whole),
      bytesPerTokenPerRank: stages.includes(null) ? null : stages.reduce<number>((most, one) => Math.max(most, one!), 0),
      attention,
      layersWithout: Math.max(0, layersIn(holders) - attention.reduce((sum, { layers }) => sum + layers, 0)),
    },
  };
}

// Modules that are a layer of the list themselves.
function layersIn(holders: readonly Holder[]): number {
  const layers = holders.filter(({ inLayers }) => inLayers);
  const depth = layers.reduce((least, { steps }) => Math.min(least, steps.length), Infinity);
  return layers.filter(({ steps }) => steps.length === depth).reduce((sum, { met }) => sum + met.reduce((all, more) => all + more, 0), 0);
}

type Cached = Omit<MemoryAttention, "path" | "className" | "layers">;

function cachedBy(attention: Attention, tp: number, stored: StoredSplit | undefined): Cached {
  if (attention.kind === "unknown") return { kind: "unknown", kvHeads: null, headSize: null, elementsPerToken: null, elementsPerTokenPerRank: null, how: attention.how };
  if (attention.kind === "latent") return { kind: "latent", kvHeads: null, headSize: null, elementsPerToken: attention.width, elementsPerTokenPerRank: attention.width, how: `${attention.how}; every rank holds it` };
  const { headSize, keyWidth, valueWidth } = attention;
  const kv = kvPart(attention, tp, stored);
  const elements = keyWidth + valueWidth;
  const unsure = kv.known ? "" : `if it divides by ${tp}, a rank caches ${(elements * kv.part).toLocaleString("en-US")} elements`;
  return {
    kind: "heads", kvHeads: kv.kvHeads, headSize: headSize ?? (kv.kvHeads === null ? null : keyWidth / kv.kvHeads), elementsPerToken: elements,
    elementsPerTokenPerRank: kv.known && !kv.refused ? elements * kv.part : null, how: [attention.how, kv.note, unsure].filter((text) => text !== "").join("; "),
  };
}

function problemsOf(tensors: readonly MemoryTensor[], { refused, unruledBytes }: WeightSums, { tp, ep }: { tp: number; ep: number }): string[] {
  const problems = [...refused].map((what) => `${what}; engines refuse that, here every rank holds all of it`);
  const experts = tensors.find(({ experts: some }) => some !== null)?.experts ?? null;
  if (ep > 1 && experts === null) problems.push(`ep is ${ep}, but the model has no experts: it changes nothing`);
  if (experts !== null && ep > experts.count) problems.push(`ep is ${ep}, but there are ${experts.count} experts: some ranks have none`);
  else if (experts !== null && experts.count % ep !== 0) problems.push(`${experts.count} experts over ${ep} ranks are not even: the figures are of a rank with ${experts.perRank}`);
  if (experts !== null && ep < tp && tp % ep !== 0) problems.push(`tp ${tp} is no multiple of ep ${ep}: each expert is taken to be divided by ${Math.max(1, Math.floor(tp / ep))}`);
  if (unruledBytes > 0 && tp > 1) problems.push(`${bytesText(unruledBytes)} are in tensors whose names no rule knows; every rank is taken to hold all of them`);
  return problems;
}

function notesOf({ answer, elsewhere }: Kv, { pp, layout, tp, ep }: { pp: number; layout: ShapeLayout | undefined; tp: number; ep: number }): string[] {
  const notes: string[] = [];
  if (layout !== undefined && layout.tpSize > 1) notes.push(`what is divided along which dimension is read from a layout of TP ${layout.tpSize}`);
  else if (tp > 1) notes.push("no stored layout with TP names what is divided: it is inferred from classes and names, by the rule of Megatron that vLLM and SGLang keep");
  if (ep > 1 && tp > 1) notes.push("experts are dealt out whole over the expert-parallel ranks, and divided by TP only as far as TP goes beyond EP");
  if (pp > 1) notes.push("layers are divided evenly as vLLM does; what stands before them is on the first stage, what stands after them on the last");
  if (answer.attention.length > 0) notes.push("every attention layer is taken to cache every token: a sliding window is not in the shapes");
  if (answer.attention.length === 0 && answer.reason === null) notes.push("no attention was found in the layers: nothing is said of a KV cache");
  if (elsewhere.length > 0) notes.push(`attention outside the layers, or of another sequence, is not in the KV cache per token: ${elsewhere.join(", ")}`);
  return notes;
}
