// A protobuf message of others (pprof, OTLP profiles) as a plain object, by a table of the fields that are read; all others are passed over.
// Fields the message does not have are there with their zero, as proto3 says. Throws WireError with the byte position.
import { decodeUtf8 } from "#core/utf8.ts";
import { type Field, fieldsOf, uint64Of, WireError } from "#core/wire.ts";

export type Integer = number | bigint; // a bigint only beyond 2^53

// `name` ending in [] is a repeated field.
export type FieldRule = readonly [name: string, type: "int64" | "uint64" | "fixed64" | "text" | MessageRule];
export type MessageRule = { readonly [field: number]: FieldRule };

export function decodeMessage<T>(bytes: Uint8Array, rule: MessageRule, start = 0, end = bytes.length): T {
  const message: Record<string, unknown> = {};
  for (const [name, type] of Object.values(rule)) message[bare(name)] = isRepeated(name) ? [] : type === "text" ? "" : typeof type === "string" ? 0 : null;
  for (const field of fieldsOf(bytes, start, end)) {
    const found = rule[field.number];
    if (found === undefined) continue;
    const [name, type] = found;
    if (isRepeated(name)) {
      const list = message[bare(name)] as unknown[];
      if (type === "text" || typeof type === "object") list.push(valueOf(bytes, field, type));
      else for (const value of integersOf(bytes, field, type)) list.push(value);
    } else message[name] = valueOf(bytes, field, type);
  }
  return message as T;
}

const isRepeated = (name: string): boolean => name.endsWith("[]");
const bare = (name: string): string => (isRepeated(name) ? name.slice(0, -2) : name);

function valueOf(bytes: Uint8Array, field: Field, type: FieldRule[1]): unknown {
  if (type === "text" || typeof type === "object") {
    if (field.wireType !== 2) throw new WireError("text or a message is expected here", field.start);
    return type === "text" ? decodeUtf8(bytes.subarray(field.start, field.end)) : decodeMessage(bytes, type, field.start, field.end);
  }
  if (type === "fixed64") return fixed64At(bytes, field, field.start);
  if (field.wireType !== 0) throw new WireError("a number is expected here", field.start);
  return integersOf(bytes, field, type)[0];
}

function integersOf(bytes: Uint8Array, field: Field, type: "int64" | "uint64" | "fixed64"): Integer[] {
  if (type === "fixed64") {
    if (field.wireType === 1) return [fixed64At(bytes, field, field.start)];
    if (field.wireType !== 2 || (field.end - field.start) % 8 !== 0) throw new WireError("numbers of 8 bytes are expected here", field.start);
    return Array.from({ length: (field.end - field.start) / 8 }, (_, i) => fixed64At(bytes, { ...field, wireType: 1 }, field.start + i * 8));
  }
  if (field.wireType !== 0 && field.wireType !== 2) throw new WireError("a number is expected here", field.start);
  const values: Integer[] = [];
  for (let at = field.start; at < field.end; ) {
    // Most are indices below 2^28; a bigint for each would take ten times as long.
    let value = 0;
    let factor = 1;
    let next = at;
    while (next < field.end && bytes[next]! >= 0x80 && next < at + 7) {
      value += (bytes[next++]! & 0x7f) * factor;
      factor *= 128;
    }
    if (next < field.end && bytes[next]! < 0x80 && next < at + 7) {
      values.push(value + bytes[next]! * factor);
      at = next + 1;
    } else {
      while (next < field.end && bytes[next]! >= 0x80) next++;
      const whole = uint64Of(bytes, { ...field, wireType: 0, start: at, end: Math.min(next + 1, field.end) });
      values.push(short(type === "int64" ? BigInt.asIntN(64, whole) : whole));
      at = next + 1;
    }
  }
  return values;
}

function fixed64At(bytes: Uint8Array, field: Field, at: number): Integer {
  if (field.wireType !== 1) throw new WireError("a number of 8 bytes is expected here", field.start);
  return short(new DataView(bytes.buffer, bytes.byteOffset + at, 8).getBigUint64(0, true));
}

function short(value: bigint): Integer {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}
