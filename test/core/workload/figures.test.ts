import { expect, test } from "vitest";
import { figureEntries, figuresOf, type Figures } from "#core/workload/figures.ts";

test("figures survive the way to the store and back", () => {
  const figures: Figures = { durationS: 2, completed: 0, goodRequestsPerS: 0.5, ttftUs: { mean: 1.5, percentiles: { p50: 1, "p99.9": 9 } }, queueUs: { n: 3, std: 0, min: 0, max: 2, percentiles: {} } };
  expect(figuresOf(figureEntries(figures))).toEqual(figures);
});

test("names of a later version are left out", () => {
  expect(figuresOf([["completed", 1], ["carbonKg", 2], ["ttftUs.p50", 3], ["ttftUs.skew", 4], ["imaginaryUs.mean", 5], ["ttftUs", 6], ["__proto__.mean", 7]])).toEqual({ completed: 1, ttftUs: { percentiles: { p50: 3 } } });
});
