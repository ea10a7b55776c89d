// What a tensor of a model_tree.json is to its module, and how many logical elements a packed word holds. The file has names, sizes and the module's plain settings,
// so the rules are those of agent-native/python/lamella/quantisation.py that need no more. What needs more (experts packed in three dimensions, block scales,
// GGUF) is shown in stored words, and a note says so; nothing is guessed.
import type { TensorRow } from "#schema/api/models.ts";
import { bytesOfDtype } from "../dtype.ts";
import { storedElements } from "../tensor-size.ts";
import type { JsonRecord } from "./json-fields.ts";

export interface StoredTensor {
  name: string;
  isParameter: boolean; // registered as a parameter rather than as a buffer
  dtype: string;
  dims: readonly number[];
}

// What the module that holds it tells.
export interface Holder {
  settings: JsonRecord; // its public scalar attributes
  saysQuantised: boolean; // by its quantisation method
  narrow: ReadonlySet<string>; // names of tensors stored below 16 bits
  holdsWeight: boolean; // a weight stored so
  holdsWeightBuffer: boolean; // such a weight that is registered as a buffer
}

export function holderOf(tensors: readonly StoredTensor[], settings: JsonRecord, saysQuantised: boolean): Holder {
  const weights = tensors.filter(isWeight);
  const narrow = new Set(tensors.filter(({ dtype }) => isNarrow(dtype)).map(({ name }) => name));
  return { settings, saysQuantised, narrow, holdsWeight: weights.length > 0, holdsWeightBuffer: weights.some(({ isParameter }) => !isParameter) };
}

export type Packing = Pick<TensorRow, "role" | "packedBits" | "logicalNumel"> & { note?: string };

const stateEndings = [
  "_scale", "_scales", "_scale_inv", "_scales_inv", "_scale_2", "_global_scale", "_sf", "_sf_rowmajor", "_zero_point", "_zero_points", "_qzeros", "_zeros", "_g_idx",
  "_g_idx_sort_indices", "_shape", "_input_scale", "_input_scale_2", "_input_scale_inv", "_input_global_scale", "_input_zero_point", "_activation_scale",
];
// A stem of a name is the weight itself or stands for one of these.
const weightForms = ["", "_packed", "_weight", "_qweight", "_weight_packed", "_blocks", "_quantized"];
const stateNames = new Set([
  "scale", "scales", "zeros", "qzeros", "zero_point", "qbiases", "g_idx", "g_idx_sort_indices", "perm", "input_perm", "input_scale", "input_scale_2", "input_scale_inv",
  "input_scale_ub", "input_global_scale", "input_zero_point", "output_scale", "azp_adj", "activation_scale", "activation_scale_inv", "act_scale", "act_global_scale",
  "input_activation_scale", "output_activation_scale", "q_scale", "k_scale", "v_scale", "prob_scale", "qweight_type", "channel_scales", "pre_quant_scale", "s_channel",
  "s_group", "input_permutation", "workspace", "reduce_buffer", "codebooks", "tables", "tables2", "suh", "svh", "su", "sv", "q_scale_max", "q_groups", "q_group_map",
  "q_perm", "q_invperm", "forward_hadamard_matrix", "backward_hadamard_matrix", "wf_unsqueeze_zero", "wf_unsqueeze_neg_one",
]);
const weightNames = new Set(["weight", "qweight", "weight_packed", "W_q", "codes", "trellis", "q_weight", "B", "w1", "w2", "w3"]);
const weightEndings = ["_weight", "_qweight", "_weight_packed", "_blocks", "_proj", "_quantized"];
const wide = new Set(["bfloat16", "float16", "float32", "float64", "complex32", "complex64", "complex128"]);
const words = new Set(["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]);
const pairs = "float4_e2m1fn_x2"; // the one dtype that says itself that a word holds two

const bitSettings = ["bits", "w_bit", "wbits", "weight_bits", "num_bits", "nbits"];
const inputSettings = ["input_size_per_partition", "in_features", "infeatures", "input_size", "embedding_dim"];
const outputSettings = ["output_size_per_partition", "out_features", "outfeatures", "output_size", "num_embeddings"];

const widest = 8; // bits of a packed element
// Stored bits may exceed elements × width by padding; a configuration speaks for most layers, not for each, and must fit more closely.
const slack = 1.5;
const configSlack = 1.25;

const parameter: Packing = { role: "parameter", packedBits: 0, logicalNumel: 0 };
const buffer: Packing = { role: "buffer", packedBits: 0, logicalNumel: 0 };
const state: Packing = { role: "quant_state", packedBits: 0, logicalNumel: 0 };

// `configBits`: the width that the model's quantisation configuration names; 0 = none.
export function packingOf(tensor: StoredTensor, holder: Holder, configBits: number): Packing {
  const { name, isParameter, dtype, dims } = tensor;
  if (isState(name, holder)) return state;
  if (wide.has(dtype)) return isParameter || (name === "bias" && holder.holdsWeightBuffer) ? parameter : buffer;
  if (!isParameter && !isWeight(tensor)) return buffer;
  if (dtype === pairs) return { role: "parameter", packedBits: 4, logicalNumel: 2 * storedElements(dims) };
  return words.has(dtype) ? packedWords(tensor, holder.settings, configBits) : parameter;
}

// A name of the tables alone is not enough: plain models have a `scale` or a `logit_scale` to learn.
function isState(name: string, { saysQuantised, holdsWeight, narrow }: Holder): boolean {
  const endings = stateEndings.filter((ending) => name.endsWith(ending));
  if (!stateNames.has(name) && endings.length === 0) return false;
  if (saysQuantised) return true;
  if (stateNames.has(name)) return holdsWeight;
  const stems = endings.map((ending) => name.slice(0, -ending.length));
  return stems.some((stem) => weightForms.some((form) => narrow.has(stem + form)) || (stem === "weight" && [...weightNames].some((weight) => narrow.has(weight))));
}

function isNarrow(dtype: string): boolean {
  return !wide.has(dtype) && dtype !== "bool" && dtype !== "int64";
}

// Stored below 16 bits. Plain models hold 64-bit indices and masks in buffers, never words of packed weights.
function isWeight({ name, isParameter, dtype }: StoredTensor): boolean {
  if (wide.has(dtype) || dtype === "bool" || !(weightNames.has(name) || weightEndings.some((ending) => name.endsWith(ending)))) return false;
  return (isParameter || name !== "codes") && (dtype !== "int64" || name === "qweight");
}

function packedWords(tensor: StoredTensor, settings: JsonRecord, configBits: number): Packing {
  const { dtype, dims } = tensor;
  const word = 8 * bytesOfDtype(dtype)!;
  const stored = word * storedElements(dims);
  const isMatrixOfWords = dtype !== "int8" && word < 64 && dims.length > 1;
  const unknown: Packing = isMatrixOfWords ? { ...parameter, note: `packed in ${dtype} words of unknown width, and counted in words` } : parameter;
  if (!isWeight({ ...tensor, isParameter: true })) return unknown;
  const stated = [{ bits: settingOf(settings, bitSettings), slack }, { bits: configBits, slack: configSlack }].filter(({ bits }) => bits > 0 && bits <= widest);
  const elements = settingOf(settings, outputSettings) * settingOf(settings, inputSettings);
  if (elements * word === stored) return parameter;
  if (elements > 0) {
    const bits = stated.find((one) => elements * one.bits <= stored && stored < elements * one.bits * one.slack)?.bits ?? Math.floor(stored / elements);
    if (bits > 0 && bits <= widest) return { role: "parameter", packedBits: bits, logicalNumel: elements };
  }
  const bits = stated[0]?.bits ?? 0;
  if (bits === 0) return unknown;
  return bits < word ? { role: "parameter", packedBits: bits, logicalNumel: Math.floor(stored / bits) } : parameter;
}

// The first that is a number above 0; 0 = none.
function settingOf(settings: JsonRecord, names: readonly string[]): number {
  for (const name of names) {
    const value = Object.hasOwn(settings, name) ? settings[name] : undefined;
    if (typeof value === "number" && Number.isSafeInteger(value) && value > 0) return value;
  }
  return 0;
}
