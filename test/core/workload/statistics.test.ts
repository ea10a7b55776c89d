// Expected values are numpy's: np.percentile (linear), np.std (population).
import { expect, test } from "vitest";
import { statisticsOf } from "#core/workload/statistics.ts";

test("linear percentiles, population deviation, absent values left out", () => {
  expect(statisticsOf([4, Number.NaN, 1, 3, 2])).toEqual({ n: 4, mean: 2.5, std: Math.sqrt(1.25), min: 1, max: 4, percentiles: { p50: 2.5, p90: 3.7, p95: expect.closeTo(3.85, 12), p99: expect.closeTo(3.97, 12) } });
  expect(statisticsOf([7])).toEqual({ n: 1, mean: 7, std: 0, min: 7, max: 7, percentiles: { p50: 7, p90: 7, p95: 7, p99: 7 } });
  expect(statisticsOf([Number.NaN])).toBeUndefined();
});
