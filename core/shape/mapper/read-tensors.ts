// The weights and buffers of one node of a model_tree.json → the tensors of a module, in the order of the file, weights first.
import type { TensorRow } from "#schema/api/models.ts";
import { limits } from "#schema/limits.ts";
import { bytesOfDtype } from "../dtype.ts";
import { joinPath } from "../locate.ts";
import { storedElements, tensorBytes } from "../tensor-size.ts";
import { type JsonRecord, recordOf, textOf } from "./json-fields.ts";
import { refuse, refuseOver, withinName } from "./refused.ts";
import { holderOf, type Packing, packingOf, type StoredTensor } from "./tensor-packing.ts";

export interface TensorNotes {
  unsized(dtype: string): void;
  packing(path: string, note: string): void;
}

interface Entry extends StoredTensor {
  dims: number[];
  written: JsonRecord;
  path: string;
}

const roles: readonly string[] = ["parameter", "buffer", "quant_state"] satisfies TensorRow["role"][];

export function readTensors(node: JsonRecord, path: string, configBits: number, notes: TensorNotes): TensorRow[] {
  const entries = [...entriesOf(node, "weights", path), ...entriesOf(node, "buffers", path)];
  if (entries.length > limits.tensorsPerShapeMax) refuseOver(path, "tensors of one module", entries.length, "tensorsPerShapeMax");
  const names = new Set<string>();
  for (const { name, path: place } of entries) {
    if (names.has(name)) refuse(place, "it stands both in the weights and in the buffers of its module");
    names.add(name);
  }
  const holder = holderOf(entries, recordOf(node["config"]) ?? {}, saysQuantised(node));
  return entries.map((entry) => {
    const { note, ...packing } = writtenPacking(entry) ?? packingOf(entry, holder, configBits);
    if (note !== undefined) notes.packing(entry.path, note);
    if (bytesOfDtype(entry.dtype) === undefined) notes.unsized(entry.dtype);
    const { name, dtype, dims } = entry;
    return { name, dtype, dims, ...packing, bytes: tensorBytes(entry) ?? 0 };
  });
}

function entriesOf(node: JsonRecord, group: "weights" | "buffers", module: string): Entry[] {
  const written = node[group] ?? {};
  const record = recordOf(written) ?? refuse(module, `its ${group} are no object of name and tensor`);
  const entries: Entry[] = [];
  for (const [key, value] of Object.entries(record)) {
    if (value === null) continue; // a parameter that is None is no tensor
    const name = withinName(textOf(key), module, "the name of a tensor");
    if (name === "") refuse(module, `a tensor among its ${group} has no name`);
    const path = joinPath(module, name);
    const tensor = recordOf(value) ?? refuse(path, "no tensor: an object with shape and dtype is needed");
    entries.push({ name, path, isParameter: group === "weights", dtype: dtypeOf(tensor, path), dims: dimsOf(tensor, path), written: tensor });
  }
  return entries;
}

// "torch.bfloat16" → "bfloat16".
function dtypeOf(tensor: JsonRecord, path: string): string {
  const dtype = textOf(tensor["dtype"]).replace(/^torch\./, "");
  if (!/^\w+$/.test(dtype)) refuse(path, `its dtype is ${JSON.stringify(tensor["dtype"])?.slice(0, 100) ?? "missing"}, which names none; one is written "torch.bfloat16"`);
  return withinName(dtype, path, "its dtype");
}

function dimsOf(tensor: JsonRecord, path: string): number[] {
  const shape = tensor["shape"];
  const isShape = Array.isArray(shape) && shape.every((size) => Number.isSafeInteger(size) && (size as number) >= 0);
  if (!isShape) refuse(path, `its shape is ${JSON.stringify(shape)?.slice(0, 100) ?? "missing"}; it must be a list of integers, 0 or more`);
  const dims = shape as number[];
  if (16 * storedElements(dims) > Number.MAX_SAFE_INTEGER) refuse(path, `its shape is ${JSON.stringify(dims).slice(0, 100)}, a size over 2^53 - 1`);
  return dims;
}

// What a file written by Lamella says itself (write-model-tree.ts).
function writtenPacking({ written, path }: Entry): Packing | undefined {
  const role = textOf(written["role"]);
  if (!roles.includes(role)) return undefined;
  const [bits, elements] = [written["packed_bits"] ?? 0, written["logical_numel"] ?? 0];
  const isSize = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;
  if (!isSize(bits) || !isSize(elements) || bits >= 2 ** 32 || (bits === 0 && elements !== 0)) refuse(path, "its packed_bits and logical_numel are no width and no count");
  return { role: role as TensorRow["role"], packedBits: bits, logicalNumel: elements };
}

// A method of quantisation that is not called Unquantized….
function saysQuantised(node: JsonRecord): boolean {
  const method = textOf(recordOf(recordOf(node["implementations"])?.["quant_method"])?.["class"]);
  return method !== "" && !method.split(".").at(-1)!.startsWith("Unquantized");
}
