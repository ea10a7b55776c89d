// Protobuf wire format, read straight into typed arrays. The generated decoder makes one JavaScript number (or BigInt) per element, about ten times the memory;
// an upload of a million frame references must fit a 128 MB isolate. Nothing is kept per field: a repeated field is walked twice, first to count its elements
// (so its bound is judged before anything is decoded), then to fill an array of that length. Throws WireError with the byte position; the callers turn it into a
// problem.

export class WireError extends Error {
  readonly at: number; // byte offset in the message being read
  constructor(message: string, at: number) {
    super(message);
    this.name = "WireError";
    this.at = at;
  }
}

// `start` and `end` enclose the value alone: the varint's own bytes, or the content behind the length.
export type Field = { readonly number: number; readonly wireType: number; readonly start: number; readonly end: number };

// Every field of one message, in order. Groups (wire types 3 and 4) are refused: our messages never had any.
export function* fieldsOf(bytes: Uint8Array, start = 0, end = bytes.length): Generator<Field> {
  for (let at = start; at < end; ) {
    const tag = uint32At(bytes, at, end);
    const number = tag >>> 3;
    const wireType = tag & 7;
    const afterTag = varintEnd(bytes, at, end);
    if (number === 0) throw new WireError("field number 0", at);
    let from = afterTag;
    let to: number;
    if (wireType === 0) to = varintEnd(bytes, from, end);
    else if (wireType === 1) to = from + 8;
    else if (wireType === 5) to = from + 4;
    else if (wireType === 2) {
      const length = uint32At(bytes, from, end);
      from = varintEnd(bytes, from, end);
      if (length > end - from) throw new WireError(`a field of ${length} bytes runs past the end`, at);
      to = from + length;
    } else throw new WireError(`wire type ${wireType}`, at);
    if (to > end) throw new WireError("a fixed-width field runs past the end", at);
    yield { number, wireType, start: from, end: to };
    at = to;
  }
}

// Elements of a repeated numeric field, packed or not, from the bytes alone: a varint ends with the byte whose high bit is clear.
export function countNumbers(bytes: Uint8Array, field: Field): number {
  if (field.wireType === 0) return 1;
  if (field.wireType !== 2) throw new WireError("a number is expected here", field.start);
  let count = 0;
  for (let at = field.start; at < field.end; at++) if (bytes[at]! < 0x80) count++;
  return count;
}

// Writes the elements from out[row] on; answers the row after the last one.
export function fillUint32(bytes: Uint8Array, field: Field, out: Uint32Array, row: number): number {
  const { end } = field;
  let i = row;
  for (let at = field.start; at < end; ) {
    const first = bytes[at]!;
    if (first < 0x80) {
      out[i++] = first;
      at++;
    } else {
      out[i++] = uint32At(bytes, at, end);
      at = varintEnd(bytes, at, end);
    }
  }
  return i;
}

// `halves` is a BigUint64Array seen as 32-bit words, low before high: no BigInt is made per element.
export function fillUint64(bytes: Uint8Array, field: Field, halves: Uint32Array, row: number): number {
  const { end } = field;
  let i = row;
  for (let at = field.start; at < end; i++) {
    let low = 0;
    let high = 0;
    const next = varintEnd(bytes, at, end);
    for (let shift = 0; at < next; shift += 7) {
      const part = bytes[at++]! & 0x7f;
      if (shift < 28) low |= part << shift;
      else if (shift === 28) {
        low |= part << 28;
        high = part >>> 4;
      } else high |= part << (shift - 32);
    }
    halves[i * 2] = low >>> 0;
    halves[i * 2 + 1] = high >>> 0;
  }
  return i;
}

// Zigzag, in place: signed numbers small in either direction stay short.
export function unzigzag(column: Uint32Array<ArrayBuffer>): Int32Array<ArrayBuffer> {
  for (let i = 0; i < column.length; i++) column[i] = (column[i]! >>> 1) ^ -(column[i]! & 1);
  return new Int32Array(column.buffer, column.byteOffset, column.length);
}

// One number that is not repeated.
export function uint64Of(bytes: Uint8Array, field: Field): bigint {
  if (field.wireType !== 0) throw new WireError("a number is expected here", field.start);
  const value = new BigUint64Array(1);
  fillUint64(bytes, field, new Uint32Array(value.buffer), 0);
  return value[0]!;
}

// The varint at `start`, which must fit 32 bits; longer forms are refused rather than cut.
function uint32At(bytes: Uint8Array, start: number, end: number): number {
  let value = 0;
  for (let shift = 0, at = start; shift < 35; shift += 7) {
    if (at >= end) throw new WireError("a number is cut off", start);
    const byte = bytes[at++]!;
    if (shift === 28 && (byte & 0x7f) > 15) break;
    value |= (byte & 0x7f) << shift;
    if (byte < 0x80) return value >>> 0;
  }
  throw new WireError("a number has more than 32 bits", start);
}

// One past the varint at `start`, which must fit 64 bits: at most ten bytes, the tenth at most 1.
function varintEnd(bytes: Uint8Array, start: number, end: number): number {
  for (let at = start; at < start + 10; at++) {
    if (at >= end) throw new WireError("a number is cut off", start);
    if (bytes[at]! < 0x80) {
      if (at === start + 9 && bytes[at]! > 1) break;
      return at + 1;
    }
  }
  throw new WireError("a number has more than 64 bits", start);
}
