// Protobuf wire format written byte by byte, for encodings that no generated encoder makes: unpacked columns, padded numbers, unknown fields, tables in pieces.

export function varint(value: number | bigint): number[] {
  const bytes: number[] = [];
  let rest = BigInt.asUintN(64, BigInt(value));
  for (; rest >= 0x80n; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80);
  return [...bytes, Number(rest)];
}

// The same number in exactly `length` bytes, the last ones empty: legal, and nobody writes it.
export function paddedVarint(value: number | bigint, length: number): number[] {
  const bytes = varint(value);
  while (bytes.length < length) {
    bytes[bytes.length - 1]! |= 0x80;
    bytes.push(0);
  }
  return bytes;
}

export const zigzag = (value: number | bigint): bigint => (BigInt(value) >= 0n ? BigInt(value) * 2n : BigInt(value) * -2n - 1n);

export const number = (field: number, value: number | bigint): number[] => [...varint((field << 3) | 0), ...varint(value)];
export const fixed64 = (field: number): number[] => [...varint((field << 3) | 1), 1, 2, 3, 4, 5, 6, 7, 8];
export const fixed32 = (field: number): number[] => [...varint((field << 3) | 5), 1, 2, 3, 4];
export const content = (field: number, bytes: ArrayLike<number>): number[] => [...varint((field << 3) | 2), ...varint(bytes.length), ...Array.from(bytes)];
export const text = (field: number, value: string): number[] => content(field, new TextEncoder().encode(value));
export const packed = (field: number, values: readonly (number | bigint)[]): number[] => content(field, values.flatMap(varint));
export const unpacked = (field: number, values: readonly (number | bigint)[]): number[] => values.flatMap((value) => number(field, value));
export const startGroup = (field: number): number[] => varint((field << 3) | 3);
export const endGroup = (field: number): number[] => varint((field << 3) | 4);

export const message = (...fields: readonly (readonly number[])[]): Uint8Array => Uint8Array.from(fields.flat());
