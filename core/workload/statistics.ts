// Statistics of a metric. Those we compute use the definitions of numpy, which the benchmark tools use as well: a percentile is interpolated linearly between the
// two nearest values (rank p/100 × (n − 1)), the standard deviation is the population's (divided by n). Absent values (NaN) do not count.

export type Statistics = {
  n?: number | undefined; // values behind it
  mean?: number | undefined;
  std?: number | undefined;
  min?: number | undefined;
  max?: number | undefined;
  percentiles: { readonly [name: string]: number }; // "p50", "p99", "p99.9"
};

export const computedPercentiles = [50, 90, 95, 99] as const;

// Undefined when there is no value.
export function statisticsOf(values: ArrayLike<number>): Statistics | undefined {
  const sorted = sortedValues(values);
  const n = sorted.length;
  if (n === 0) return undefined;
  let sum = 0;
  for (const value of sorted) sum += value;
  const mean = sum / n;
  let squares = 0;
  for (const value of sorted) squares += (value - mean) ** 2;
  const percentiles = Object.fromEntries(computedPercentiles.map((p) => [`p${p}`, percentileOf(sorted, p)]));
  return { n, mean, std: Math.sqrt(squares / n), min: sorted[0], max: sorted[n - 1], percentiles };
}

export function sortedValues(values: ArrayLike<number>): Float64Array {
  return Float64Array.from(values).filter((value) => !Number.isNaN(value)).sort();
}

// `sorted` ascending and not empty.
export function percentileOf(sorted: Float64Array, p: number): number {
  const rank = (p / 100) * (sorted.length - 1);
  const below = Math.floor(rank);
  const low = sorted[below]!;
  const high = sorted[Math.min(below + 1, sorted.length - 1)]!;
  return low + (high - low) * (rank - below);
}
