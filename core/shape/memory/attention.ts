// What an attention module caches per token, read from the sizes of its projections. What sizes alone cannot tell is said to be unknown, never guessed: without a
// norm of one head's size or another witness the width of all key heads is known and their number is not.
import type { ModuleRow } from "#schema/api/models.ts";
import { linearSize, type LinearSize } from "./linear-sides.ts";
import { roleOfClass } from "../role.ts";

export interface HeadsAttention {
  kind: "heads";
  query: string | null; // name of the child that projects queries
  key: string;
  value: string; // the same as `key` where one child projects all three
  queryWidth: number | null; // of the rows of a fused projection that are queries
  keyWidth: number;
  valueWidth: number;
  headSize: number | null;
  kvHeads: number | null;
  queryHeads: number | null;
  dtype: string; // of the key projection
  how: string;
}

export interface LatentAttention {
  kind: "latent";
  width: number; // elements per token: the latent and the rotary part, one for all heads
  dtype: string;
  how: string;
}

export type Attention = HeadsAttention | LatentAttention | { kind: "unknown"; how: string };

const names = {
  query: ["q_proj", "query", "wq", "q", "to_q", "q_b_proj"],
  key: ["k_proj", "key", "wk", "k", "to_k"],
  value: ["v_proj", "value", "wv", "v", "to_v"],
  fused: ["qkv_proj", "query_key_value", "qkv", "Wqkv", "c_attn"],
  output: ["o_proj", "out_proj", "wo", "o", "dense", "c_proj", "proj"],
  keyNorm: ["k_norm", "k_layernorm", "key_layernorm", "k_ln"],
  queryNorm: ["q_norm", "q_layernorm", "query_layernorm", "q_ln"],
} as const;

// Undefined for what is no attention, and for attention that keeps one state instead of a cache per token.
export function attentionOf(modules: readonly ModuleRow[], row: number): Attention | undefined {
  const { className, tensors, children } = modules[row]!;
  const linear = tensors.some(({ name }) => name === "A_log" || name === "dt_bias") || children.some(({ name }) => name.endsWith("conv1d"));
  if (linear) return undefined;
  const parts = new Parts(modules, row);
  const latent = latentOf(parts);
  if (latent !== undefined) return latent;
  const [key, value] = [parts.named(names.key), parts.named(names.value)];
  if (key !== undefined && value !== undefined) return withHeads(parts, { query: parts.named(names.query)?.name ?? null, key, value });
  const fused = parts.named(names.fused);
  if (fused !== undefined) return fusedOf(parts, fused);
  const isLeaf = children.every(({ module }) => roleOfClass(modules[module]!.className) !== "Attention");
  if (!/Attention|Attn|MLA/.test(className) || !isLeaf || !children.some(({ module }) => linearSize(modules, module) !== undefined)) return undefined;
  return { kind: "unknown", how: `${className} has no key and value projection that is known by its name` };
}

interface Part extends LinearSize {
  name: string;
}

class Parts {
  readonly #modules: readonly ModuleRow[];
  readonly #module: ModuleRow;

  constructor(modules: readonly ModuleRow[], row: number) {
    this.#modules = modules;
    this.#module = modules[row]!;
  }

  named(wanted: readonly string[]): Part | undefined {
    for (const { name, module } of this.#module.children) {
      const size = wanted.includes(name) ? linearSize(this.#modules, module) : undefined;
      if (size !== undefined) return { name, ...size };
    }
    return undefined;
  }

  has(name: string): boolean {
    return this.#module.children.some((child) => child.name === name);
  }

  // Dims of the weight of a norm.
  norm(wanted: readonly string[]): readonly number[] | undefined {
    const child = this.#module.children.find(({ name }) => wanted.includes(name));
    return child && this.#modules[child.module]!.tensors.find(({ name }) => name === "weight")?.dims;
  }

  // One learned number per query head, beside the scores.
  sinks(): number | undefined {
    const held = this.#module.tensors.find(({ name }) => name === "sinks" || name === "attention_sink_bias");
    return held?.dims.length === 1 ? held.dims[0] : undefined;
  }
}

function latentOf(parts: Parts): LatentAttention | undefined {
  const down = parts.named(["kv_a_proj_with_mqa"]);
  const more = parts.has("indexer") ? "; the keys of its indexer come on top and are not counted" : "";
  if (down !== undefined) return { kind: "latent", width: down.out, dtype: down.dtype, how: `rows of ${down.name}: the latent and the rotary part${more}` };
  const both = parts.named(["fused_qkv_a_proj"]);
  const query = parts.norm(["q_a_layernorm"])?.[0];
  if (both === undefined || query === undefined || query >= both.out) return undefined;
  return { kind: "latent", width: both.out - query, dtype: both.dtype, how: `rows of ${both.name} without the ${query} of q_a_layernorm: the latent and the rotary part${more}` };
}

function withHeads(parts: Parts, { query, key, value }: { query: string | null; key: Part; value: Part }): HeadsAttention {
  const queryPart = parts.named(names.query);
  const output = parts.named(names.output);
  const heads = headsOf(parts, { keyWidth: key.out, valueWidth: value.out, queryRows: queryPart?.out, outputIn: output?.in });
  return {
    kind: "heads", query, key: key.name, value: value.name, queryWidth: null, keyWidth: key.out, valueWidth: value.out, dtype: key.dtype, ...heads, how: `rows of ${key.name} and ${value.name}; ${heads.how}`,
  };
}

// The output projection takes what the query heads give, so the other rows are keys and values.
function fusedOf(parts: Parts, fused: Part): Attention {
  const output = parts.named(names.output);
  if (output === undefined) return { kind: "unknown", how: `${fused.name} projects queries, keys and values together, and no output projection tells how many rows are queries` };
  const rest = fused.out - output.in;
  if (rest <= 0 || rest % 2 !== 0) return { kind: "unknown", how: `${fused.name} has ${fused.out} rows and ${output.name} takes ${output.in}: what is left are no equal keys and values` };
  const heads = headsOf(parts, { keyWidth: rest / 2, valueWidth: rest / 2, queryRows: output.in, outputIn: output.in });
  if (heads.misfit) return { kind: "unknown", how: `${fused.name} has ${fused.out} rows and ${output.name} takes ${output.in}: ${heads.how}` };
  return {
    kind: "heads", query: null, key: fused.name, value: fused.name, queryWidth: output.in, keyWidth: rest / 2, valueWidth: rest / 2, dtype: fused.dtype, ...heads,
    how: `rows of ${fused.name} without the ${output.in} that ${output.name} takes; ${heads.how}`,
  };
}

interface Heads {
  headSize: number | null;
  kvHeads: number | null;
  queryHeads: number | null;
  misfit: boolean; // there is a witness, and it does not fit
  how: string;
}

function headsOf(parts: Parts, size: { keyWidth: number; valueWidth: number; queryRows: number | undefined; outputIn: number | undefined }): Heads {
  const none = (how: string, misfit = false): Heads => ({ headSize: null, kvHeads: null, queryHeads: null, misfit, how });
  const witness = normWitness(parts, size) ?? sinksWitness(parts, size);
  if (witness === undefined) return none("no tensor has the size of one head, so the number of key heads is unknown");
  const { headSize, from } = witness;
  const kvHeads = size.keyWidth / headSize;
  const misfit = `${from} says heads of ${headSize}, which the ${size.keyWidth} key rows are no multiple of`;
  if (!Number.isInteger(kvHeads) || !Number.isInteger(size.valueWidth / kvHeads)) return none(misfit, true);
  const queryHeads = size.outputIn === undefined ? null : size.outputIn / (size.valueWidth / kvHeads);
  if (queryHeads !== null && queryHeads % kvHeads !== 0) return none(`${from} says heads of ${headSize}: ${queryHeads} query heads do not share ${kvHeads} key heads evenly`, true);
  return { headSize, kvHeads, queryHeads, misfit: false, how: `size of a head from ${from}` };
}

// A norm over one head; one over all heads has the width of the projection and tells nothing.
function normWitness(parts: Parts, { keyWidth, queryRows }: { keyWidth: number; queryRows: number | undefined }): { headSize: number; from: string } | undefined {
  const [key, query] = [parts.norm(names.keyNorm), parts.norm(names.queryNorm)];
  const headSize = key?.at(-1);
  if (headSize === undefined) return undefined;
  const overAll = key!.length === 1 && headSize === keyWidth && (query === undefined || query[0] === queryRows);
  return overAll ? undefined : { headSize, from: "the norm of the keys" };
}

function sinksWitness(parts: Parts, { queryRows }: { queryRows: number | undefined }): { headSize: number; from: string } | undefined {
  const heads = parts.sinks();
  if (heads === undefined || queryRows === undefined || queryRows % heads !== 0) return undefined;
  return { headSize: queryRows / heads, from: `${heads} attention sinks, one a query head` };
}
