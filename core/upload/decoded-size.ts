// What the generated decoder would make of a message, in bytes, estimated from its wire and its descriptor before anything is decoded: an empty sub-message is two
// bytes on the wire and up to 1,700 in memory, so 8 MiB of them would end a 128 MB isolate. Keeps nothing per field.
import { type DescField, type DescMessage, ScalarType } from "@bufbuild/protobuf";
import { limits } from "#schema/limits.ts";
import type { UploadProblem } from "./upload-problem.ts";
import { countNumbers, type Field, fieldsOf, WireError } from "#core/wire.ts";

// Measured on V8, rounded up: array slots include the room a growing array keeps free.
const objectBytes = 48;
const fieldBytes = 64; // of a message with many fields, which V8 keeps as a dictionary
const slotBytes = 12;
const bigintBytes = 24;
const stringBytes = 24;
const viewBytes = 112; // a Uint8Array of its own

export function checkDecodedSize(message: DescMessage, bytes: Uint8Array): UploadProblem | null {
  try {
    const size = messageBytes(message, bytes, 0, bytes.length);
    if (size <= limits.decodedBytesMax) return null;
    return { code: "limit_exceeded", detail: `the decoded ${message.name}, bytes: ${size} is over the bound of ${limits.decodedBytesMax} (decodedBytesMax); send it in more, smaller uploads` };
  } catch (error) {
    if (error instanceof WireError) return { code: "body_undecodable", detail: `not a ${message.name}: ${error.message} at byte ${error.at}` };
    throw error;
  }
}

function messageBytes(message: DescMessage, bytes: Uint8Array, start: number, end: number): number {
  let size = objectBytes + message.fields.length * fieldBytes;
  const byNumber = fieldsByNumber(message);
  for (const field of fieldsOf(bytes, start, end)) {
    const known = byNumber.get(field.number);
    if (known !== undefined) size += slotBytes + valueBytes(known, bytes, field);
  }
  return size;
}

function valueBytes(known: DescField, bytes: Uint8Array, field: Field): number {
  const length = field.end - field.start;
  if (known.message !== undefined) return field.wireType === 2 ? messageBytes(known.message, bytes, field.start, field.end) : 0;
  switch (known.scalar) {
    case ScalarType.STRING: return stringBytes + length * 2;
    case ScalarType.BYTES: return viewBytes;
    case ScalarType.DOUBLE: return field.wireType === 2 ? (length / 8) * slotBytes : 0;
    case ScalarType.INT64: case ScalarType.UINT64: case ScalarType.SINT64: return countNumbers(bytes, field) * (slotBytes + bigintBytes);
    default: return countNumbers(bytes, field) * slotBytes; // enumerations too
  }
}

const maps = new WeakMap<DescMessage, ReadonlyMap<number, DescField>>();

function fieldsByNumber(message: DescMessage): ReadonlyMap<number, DescField> {
  let map = maps.get(message);
  if (map === undefined) maps.set(message, (map = new Map(message.fields.map((field) => [field.number, field]))));
  return map;
}
