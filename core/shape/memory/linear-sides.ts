// Which dimension of a projection's tensor runs over its outputs and which over its inputs. torch keeps [out, in]; GPTQ, AWQ and GPT-2's Conv1D keep [in, out].
import type { ModuleRow, TensorRow } from "#schema/api/models.ts";
import { logicalElements } from "../tensor-size.ts";

export interface Sides {
  out: number | null;
  in: number | null;
}

const inFirst = new Set(["qweight", "qzeros", "scales"]);
const perInput = new Set(["g_idx", "perm"]);

export function sidesOf(className: string, { name, dims, packedBits }: Pick<TensorRow, "name" | "dims" | "packedBits">): Sides {
  if (dims.every((dim) => dim === 1)) return { out: null, in: null }; // one scale for all
  if (perInput.has(name)) return { out: null, in: 0 };
  if (dims.length === 1) return { out: 0, in: null };
  if (packedBits > 0 && dims.length === 2 && dims[1] === 1) return { out: 0, in: 0 }; // bitsandbytes: all words in one column
  return inFirst.has(name) || (className === "Conv1D" && name === "weight") ? { out: 1, in: 0 } : { out: 0, in: 1 };
}

export interface LinearSize {
  out: number;
  in: number;
  dtype: string;
}

// Logical sizes of a projection; undefined where its storage does not tell. An adapter's wrapper holds the projection as `base_layer`.
export function linearSize(modules: readonly ModuleRow[], row: number): LinearSize | undefined {
  const { className, tensors, children } = modules[row]!;
  const base = children.find(({ name }) => name === "base_layer");
  if (base !== undefined && base.module < row) return linearSize(modules, base.module);
  const weight = tensors.find(({ role, dims }) => role === "parameter" && dims.length === 2);
  if (weight === undefined) return undefined;
  const sides = sidesOf(className, weight);
  const bias = tensors.find(({ name }) => name === "bias");
  const out = sides.out === sides.in ? bias?.dims[0] : weight.dims[sides.out!];
  return out === undefined || out === 0 ? undefined : { out, in: logicalElements(weight) / out, dtype: weight.dtype };
}
