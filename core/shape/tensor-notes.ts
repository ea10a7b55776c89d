// What is said about one tensor beside its dims and dtype, in the words of the pages.
import type { TensorRow } from "#schema/api/models.ts";
import type { HeldTensor } from "./layout.ts";
import { exactText } from "./number-text.ts";
import { tensorBytes } from "./tensor-size.ts";

export function packingNote({ packedBits }: Pick<TensorRow, "packedBits">): string {
  return packedBits > 0 ? `${packedBits}-bit packed` : "";
}

export function heldNotes({ sharded, padded, replicas }: HeldTensor): string[] {
  return [
    ...sharded.map((dim) => `dim ${dim} sharded`),
    ...padded.map(({ dim, size }) => `dim ${dim} padded to ${exactText(size)}`),
    ...(replicas > 1 ? [`each part on ${replicas} ranks`] : []),
  ];
}

export function tensorNotes(tensor: TensorRow, held: HeldTensor, shares: string | null): string[] {
  const role = { parameter: "", buffer: "buffer", quant_state: "quantisation state" }[tensor.role];
  const size = tensorBytes(tensor) === undefined ? "unsized" : "";
  return [role, packingNote(tensor), ...heldNotes(held), shares === null ? "" : `shares ${shares}`, size].filter((note) => note !== "");
}

export function dimsText(dims: readonly number[]): string {
  return `[${dims.join(", ")}]`;
}
