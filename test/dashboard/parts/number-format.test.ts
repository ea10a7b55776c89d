import { expect, test } from "vitest";
import { formatBytes, formatCount, formatShare, formatValue } from "#dashboard/parts/number-format.ts";

test.each([
  [32_762_123_264, "32.8B", "32,762,123,264"],
  [9_999, "9,999", "9,999"],
  [10_000, "10.0K", "10,000"],
  [0, "0", "0"],
])("count %d reads %s", (value, text, exact) => expect(formatCount(value)).toEqual({ text, exact }));

test.each([
  [45_430_123, "ns", "45.43 ms", "45,430,123 ns"],
  [999, "ns", "999 ns", "999 ns"],
  [45_430, "us", "45.43 ms", "45,430 µs"],
  [30_490_000_000, "ns", "30.49 s", "30,490,000,000 ns"],
  [1_465, "count", "1,465", "1,465"],
] as const)("%d %s reads %s", (value, unit, text, exact) => expect(formatValue(value, unit)).toEqual({ text, exact }));

test("bytes are decimal", () => expect(formatBytes(65_524_246_528)).toEqual({ text: "65.5 GB", exact: "65,524,246,528 bytes" }));

test.each([
  [0, "0.0 %"],
  [0.699, "69.9 %"],
  [0.00001, "<0.1 %"],
  [Number.NaN, "0.0 %"],
])("share %d reads %s", (share, text) => expect(formatShare(share)).toBe(text));
