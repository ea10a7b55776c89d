import { expect, test } from "vitest";
import { distributionColumns, type PartRow } from "#core/workload/prometheus/distribution-columns.ts";

const row = (part: PartRow["part"], total: number, bound = "", series = 1): PartRow => ({ part, bound, series, total, average: total / series });

test("count, mean and quantiles of a step; bounds are numbers, whatever order their texts come in", () => {
  const step = [row("bucket", 40, "+Inf"), row("bucket", 30, "10"), row("bucket", 10, "2"), row("count", 40), row("sum", 100)];
  expect(distributionColumns([step])).toEqual({ estimate: "buckets", columns: { count: [40], avg: [2.5], bound: [10], p50: [6], p90: [10], p95: [10], p99: [10] } });
});

test("only bounds that every series has are used: counts at the others are not of all", () => {
  // Two series of 10 and 30 observations; only one of them divides at 1.
  const step = [row("bucket", 9, "1", 1), row("bucket", 20, "4", 2), row("bucket", 40, "+Inf", 2)];
  expect(distributionColumns([step]).columns).toMatchObject({ count: [40], p50: [4], p90: [4] });
  expect(distributionColumns([[row("bucket", 9, "1"), row("bucket", 20, "4"), row("bucket", 40, "+Inf")]]).columns.p50).toEqual([4]);
});

test("without buckets the engine's own quantiles are shown, and named so", () => {
  const step = [row("quantile", 0.3, "0.5", 2), row("quantile", 4, "0.99", 2), row("sum", 10), row("count", 4)];
  expect(distributionColumns([step])).toEqual({ estimate: "engine", columns: { count: [4], avg: [2.5], bound: [null], p50: [0.15], p90: [null], p95: [null], p99: [2] } });
});

test("nothing observed has no mean and no quantiles", () => {
  expect(distributionColumns([[row("bucket", 0, "1"), row("bucket", 0, "+Inf"), row("count", 0), row("sum", 0)]]).columns).toMatchObject({ count: [0], avg: [null], p50: [null] });
  expect(distributionColumns([[row("sum", 1)]])).toEqual({ estimate: null, columns: { count: [null], avg: [null], bound: [null], p50: [null], p90: [null], p95: [null], p99: [null] } });
});
