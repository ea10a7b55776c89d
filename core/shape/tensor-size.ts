// What one tensor counts, by docs/shape-format.md. Exact while below 2^53, which decode.ts makes sure of.
import type { TensorRow } from "#schema/api/models.ts";
import { bytesOfDtype } from "./dtype.ts";

// Elements as stored: packed words are counted as words.
export function storedElements(dims: readonly number[]): number {
  let product = 1;
  for (const dim of dims) product *= dim;
  return product;
}

// Bytes as stored; undefined when the dtype is unsized.
export function tensorBytes(tensor: Pick<TensorRow, "dtype" | "dims">): number | undefined {
  const size = bytesOfDtype(tensor.dtype);
  return size === undefined ? undefined : size * storedElements(tensor.dims);
}

// Elements of the model rather than of the storage: a 4-bit weight in int32 words counts eight to a word.
export function logicalElements(tensor: Pick<TensorRow, "dims" | "packedBits" | "logicalNumel">): number {
  return tensor.packedBits > 0 ? tensor.logicalNumel : storedElements(tensor.dims);
}
