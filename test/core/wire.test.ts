import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { countNumbers, type Field, fieldsOf, fillUint32, fillUint64, unzigzag, uint64Of, WireError } from "#core/wire.ts";
import { content, endGroup, fixed32, fixed64, message, number, packed, paddedVarint, startGroup, text, unpacked, varint, zigzag } from "#test/rig/wire-writer.ts";

const fields = (bytes: Uint8Array) => [...fieldsOf(bytes)];

function uint32s(bytes: Uint8Array): number[] {
  const all = fields(bytes);
  const out = new Uint32Array(all.reduce((sum, field) => sum + countNumbers(bytes, field), 0));
  const end = all.reduce((row, field) => fillUint32(bytes, field, out, row), 0);
  expect(end).toBe(out.length);
  return [...out];
}

function uint64s(bytes: Uint8Array): bigint[] {
  const all = fields(bytes);
  const out = new BigUint64Array(all.reduce((sum, field) => sum + countNumbers(bytes, field), 0));
  const end = all.reduce((row, field) => fillUint64(bytes, field, new Uint32Array(out.buffer), row), 0);
  expect(end).toBe(out.length);
  return [...out];
}

const refusal = (read: () => unknown): string => {
  try {
    read();
  } catch (error) {
    if (error instanceof WireError) return `${error.message} at ${error.at}`;
    throw error;
  }
  return "read";
};

test("fields in order, with where their values stand", () => {
  const bytes = message(number(1, 300), fixed64(2), content(3, [7, 8]), fixed32(4), number(2_000, 0), content(5, []));
  expect(fields(bytes)).toEqual<Field[]>([
    { number: 1, wireType: 0, start: 1, end: 3 },
    { number: 2, wireType: 1, start: 4, end: 12 },
    { number: 3, wireType: 2, start: 14, end: 16 },
    { number: 4, wireType: 5, start: 17, end: 21 },
    { number: 2_000, wireType: 0, start: 23, end: 24 },
    { number: 5, wireType: 2, start: 26, end: 26 },
  ]);
  expect(fields(bytes.subarray(0, 0))).toEqual([]);
});

describe("what is refused, and where", () => {
  const cases: [string, number[], string][] = [
    ["field number 0", [0x00, 0x01], "field number 0 at 0"],
    ["a group", startGroup(1), "wire type 3 at 0"],
    ["an end of group", endGroup(1), "wire type 4 at 0"],
    ["wire type 6", [0x0e], "wire type 6 at 0"],
    ["wire type 7", [0x0f], "wire type 7 at 0"],
    ["a length past the end", [...number(1, 1), 0x12, 3, 1, 2], "a field of 3 bytes runs past the end at 2"],
    ["a length of 4 GiB", [0x12, ...varint(0xffff_ffff)], "a field of 4294967295 bytes runs past the end at 0"],
    ["a length over 32 bits", [0x12, ...varint(2n ** 32n)], "a number has more than 32 bits at 1"],
    ["fixed64 past the end", [0x09, 1, 2, 3], "a fixed-width field runs past the end at 0"],
    ["fixed32 past the end", [0x0d, 1, 2, 3], "a fixed-width field runs past the end at 0"],
    ["a tag cut off", [0x88], "a number is cut off at 0"],
    ["a tag over 32 bits", varint(2n ** 33n), "a number has more than 32 bits at 0"],
    ["a number cut off", [0x08, 0x80, 0x80], "a number is cut off at 1"],
    ["a number of eleven bytes", [0x08, ...new Array<number>(10).fill(0x80), 0], "a number has more than 64 bits at 1"],
    ["a number over 64 bits", [0x08, ...new Array<number>(9).fill(0xff), 0x02], "a number has more than 64 bits at 1"],
  ];
  test.each(cases)("%s", (_name, bytes, expected) => {
    expect(refusal(() => fields(Uint8Array.from(bytes)))).toBe(expected);
  });

  test("elements", () => {
    expect(refusal(() => uint32s(message(fixed32(1))))).toBe("a number is expected here at 1");
    expect(refusal(() => uint32s(message(content(1, [0x80]))))).toBe("a number is cut off at 2");
    expect(refusal(() => uint32s(message(content(1, [1, 0xff, 0x80]))))).toBe("a number is cut off at 3");
    expect(refusal(() => uint32s(message(packed(1, [2n ** 32n]))))).toBe("a number has more than 32 bits at 2");
    expect(refusal(() => uint32s(message(number(1, -1n))))).toBe("a number has more than 32 bits at 1");
    expect(refusal(() => uint64s(message(content(1, [...new Array<number>(9).fill(0xff), 0x02]))))).toBe("a number has more than 64 bits at 2");
    expect(refusal(() => uint64s(message(content(1, new Array<number>(10).fill(0x80)))))).toBe("a number has more than 64 bits at 2");
    expect(refusal(() => uint64Of(message(text(1, "7")), fields(message(text(1, "7")))[0]!))).toBe("a number is expected here at 2");
  });
});

const edges32 = [0, 1, 127, 128, 16_383, 16_384, 2 ** 21 - 1, 2 ** 21, 2 ** 28 - 1, 2 ** 28, 2 ** 31, 2 ** 32 - 1];
const edges64 = [0n, 127n, 128n, 2n ** 28n - 1n, 2n ** 28n, 2n ** 32n - 1n, 2n ** 32n, 2n ** 35n - 1n, 2n ** 35n, 2n ** 53n + 1n, 2n ** 63n, 2n ** 64n - 1n];

test("32-bit numbers, packed, unpacked and padded alike", () => {
  const padded = content(1, edges32.flatMap((value) => paddedVarint(value, 5)));
  for (const bytes of [packed(1, edges32), unpacked(1, edges32), [...packed(1, edges32.slice(0, 5)), ...packed(1, []), ...unpacked(1, edges32.slice(5))], padded]) {
    expect(uint32s(Uint8Array.from(bytes))).toEqual(edges32);
  }
});

test("64-bit numbers are exact, packed, unpacked and in ten bytes alike", () => {
  const padded = content(1, edges64.flatMap((value) => paddedVarint(value, 10)));
  for (const bytes of [packed(1, edges64), unpacked(1, edges64), padded]) expect(uint64s(Uint8Array.from(bytes))).toEqual(edges64);
  for (const value of edges64) {
    const bytes = message(number(1, value));
    expect(uint64Of(bytes, fields(bytes)[0]!)).toBe(value);
  }
});

test("zigzag numbers", () => {
  const values = [0, -1, 1, -2, 2, 2 ** 31 - 1, -(2 ** 31)];
  expect([...unzigzag(Uint32Array.from(values, (value) => Number(zigzag(value))))]).toEqual(values);
});

test("random numbers come back as written", () => {
  fc.assert(fc.property(fc.array(fc.bigInt(0n, 2n ** 64n - 1n)), fc.array(fc.nat(2 ** 31 - 1)), (wide, narrow) => {
    expect(uint64s(message(packed(4, wide.slice(0, 3)), unpacked(4, wide.slice(3))))).toEqual(wide);
    expect(uint32s(message(unpacked(4, narrow.slice(0, 3)), packed(4, narrow.slice(3))))).toEqual(narrow);
  }));
});
