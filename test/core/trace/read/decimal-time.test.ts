import fc from "fast-check";
import { expect, test } from "vitest";
import { readDecimalMicros } from "#core/trace/read/decimal-time.ts";

function read(text: string): { micros: number; nanos: number; rounded: boolean } | null {
  const bytes = new TextEncoder().encode(text);
  const into = { micros: 0, nanos: 0, rounded: false };
  return readDecimalMicros(bytes, 0, bytes.length, into) ? into : null;
}

test.each([
  ["0", 0, 0],
  ["1428625731896.179", 1428625731896, 179],
  ["1712345678901234.567", 1712345678901234, 567], // 19 digits: a double would be off by 67 ns
  ["12.5", 12, 500],
  ["12.05", 12, 50],
  ["-3.25", -3, -250],
  ["1.7e3", 1700, 0],
  ["1234567.891E-3", 1234, 568],
  ["5e-3", 0, 5],
  ["1609459200123456", 1609459200123456, 0],
])("%s µs", (text, micros, nanos) => {
  expect(read(text)).toMatchObject({ micros, nanos });
});

test.each([["2.0004", 2, 0], ["2.0005", 2, 1], ["2.9999", 3, 0]])("%s µs has digits below a nanosecond and is rounded", (text, micros, nanos) => {
  expect(read(text)).toEqual({ micros, nanos, rounded: true });
});

test("zeros below a nanosecond are not rounding", () => expect(read("2.100000")).toEqual({ micros: 2, nanos: 100, rounded: false }));

test.each(["", "-", ".", "1.2.3", "12abc", "0x10", "1e", "99999999999999999999"])("%j is no time", (text) => expect(read(text)).toBeNull());

test("every nanosecond of a century of epochs is read exactly", () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 3_000_000_000_000_000_000n }), (ns) => {
      const text = `${ns / 1000n}.${String(ns % 1000n).padStart(3, "0")}`;
      const moment = read(text)!;
      expect(BigInt(moment.micros) * 1000n + BigInt(moment.nanos)).toBe(ns);
    }),
    { verbose: true },
  );
});
