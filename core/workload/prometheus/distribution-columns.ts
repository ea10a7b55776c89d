// The parts of a distribution, step by step → count, mean and quantiles. Quantiles come from the buckets; where there are none, from those the engine computed itself.
import { type Bucket, histogramQuantile } from "./histogram-quantile.ts";
import type { DistributionPart } from "./stored-name.ts";

export type PartRow = {
  readonly part: DistributionPart | null;
  readonly bound: string; // of a bucket or quantile, as the label says it
  readonly series: number; // how many series have it
  readonly total: number; // of all series
  readonly average: number; // over series
};

type Column = (number | null)[];
export type DistributionColumns = { count: Column; avg: Column; bound: Column; p50: Column; p90: Column; p95: Column; p99: Column };

const shares = { p50: 0.5, p90: 0.9, p95: 0.95, p99: 0.99 } as const;

export function distributionColumns(steps: readonly (readonly PartRow[])[]): { estimate: "buckets" | "engine" | null; columns: DistributionColumns } {
  const columns: DistributionColumns = { count: [], avg: [], bound: [], p50: [], p90: [], p95: [], p99: [] };
  let estimate: "buckets" | "engine" | null = null;
  for (const rows of steps) {
    const total = (part: DistributionPart) => rows.find((row) => row.part === part)?.total ?? null;
    const buckets = sharedBuckets(rows);
    const [count, sum] = [total("count") ?? buckets.at(-1)?.count ?? null, total("sum")];
    columns.count.push(count);
    columns.avg.push(sum === null || count === null || count === 0 ? null : sum / count);
    columns.bound.push(buckets.at(-2)?.bound ?? null);
    const own = rows.filter((row) => row.part === "quantile");
    if (buckets.length > 0) estimate = "buckets";
    else if (own.length > 0) estimate ??= "engine";
    for (const [name, share] of Object.entries(shares)) {
      columns[name as keyof typeof shares].push(buckets.length > 0 ? histogramQuantile(share, buckets) : (own.find(({ bound }) => Number(bound) === share)?.average ?? null));
    }
  }
  return { estimate, columns };
}

// Counts up to a bound add up only where every series has that bound: engines and versions divide differently.
function sharedBuckets(rows: readonly PartRow[]): Bucket[] {
  const buckets = rows.filter((row) => row.part === "bucket");
  const series = buckets.reduce((most, row) => Math.max(most, row.series), 0);
  return buckets.filter((row) => row.series === series).map(({ bound, total }) => ({ bound: bound === "+Inf" ? Infinity : Number(bound), count: total }))
    .filter(({ bound }) => !Number.isNaN(bound)).sort((a, b) => a.bound - b.bound);
}
