// Expected figures are of tables of Student's t and of the same numbers worked through by hand.
import { expect, test } from "vitest";
import { difference, studentQuantile } from "#core/flamegraph/compare/difference.ts";

test("quantiles are those of the printed tables", () => {
  for (const [freedom, printed] of [[1, 12.706], [2, 4.303], [3, 3.182], [4, 2.776], [5, 2.571], [10, 2.228], [30, 2.042], [120, 1.98]] as const) {
    expect(Math.abs(studentQuantile(freedom) - printed)).toBeLessThan(0.005 * printed);
  }
});

test("a ratio, its change, and the interval around it", () => {
  // a: 10, 12, 14 ms in three minutes of 60 s → 0.2 ms/s; residuals −2, 0, 2 → variance 3/2 · 8 / 180² = 0.00037037. b the same, twice as much.
  const bases = [60, 60, 60];
  const found = difference({ values: [10, 12, 14], bases }, { values: [20, 24, 28], bases });
  expect([found.a, found.b, found.relative]).toEqual([0.2, 0.4, 1]);
  // Variances 0.00037037 and 0.00148148: freedom 0.00185185² / (0.00037037²/2 + 0.00148148²/2) = 2.94, t ≈ 3.2, margin 3.2 · 0.04303 = 0.138 of 0.2.
  expect(found.interval![0]).toBeCloseTo(1 - 0.69, 1);
  expect(found.interval![1]).toBeCloseTo(1 + 0.69, 1);
  expect(found.clear).toBe(true);
});

test("noise is not a difference", () => {
  const bases = [1, 1, 1, 1];
  const { interval, clear } = difference({ values: [8, 12, 9, 11], bases }, { values: [9, 12, 12, 9], bases });
  expect(clear).toBe(false);
  expect(interval![0]).toBeLessThan(0);
  expect(interval![1]).toBeGreaterThan(0);
});

test("a constant figure differs by exactly what it differs", () => {
  expect(difference({ values: [5, 10], bases: [1, 2] }, { values: [6, 12], bases: [1, 2] })).toEqual({ a: 5, b: 6, relative: 0.2, interval: [0.2, 0.2], clear: true });
});

test("one interval has no spread to judge by; nothing to divide by has no figure", () => {
  expect(difference({ values: [5], bases: [1] }, { values: [6, 6], bases: [1, 1] })).toEqual({ a: 5, b: 6, relative: 0.2, interval: null, clear: false });
  expect(difference({ values: [], bases: [] }, { values: [6], bases: [2] })).toEqual({ a: null, b: 3, relative: null, interval: null, clear: false });
  expect(difference({ values: [0, 0], bases: [1, 1] }, { values: [6, 6], bases: [1, 1] })).toEqual({ a: 0, b: 6, relative: null, interval: null, clear: false });
});
