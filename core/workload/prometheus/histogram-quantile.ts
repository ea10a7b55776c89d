// A quantile of a histogram as Prometheus' histogram_quantile estimates it: linear inside the bucket that holds the rank. Always an estimate: nothing is known of
// where in a bucket its observations lie.

export type Bucket = { readonly bound: number; readonly count: number }; // observations at or below `bound`; the highest bound is +Inf

// `buckets` by ascending bound. Null where there is nothing to estimate from: no observation, no +Inf bucket, or no finite bound.
export function histogramQuantile(share: number, buckets: readonly Bucket[]): number | null {
  const last = buckets.at(-1);
  if (buckets.length < 2 || last!.bound !== Infinity) return null;
  // Counts of several scrapes need not rise from bucket to bucket; the highest so far is taken, as Prometheus does.
  let highest = 0;
  const counts = buckets.map(({ count }) => (highest = Math.max(highest, count)));
  if (highest === 0) return null;
  const rank = share * highest;
  const inside = counts.findIndex((count) => count >= rank);
  if (inside === buckets.length - 1) return buckets.at(-2)!.bound; // above every finite bound: the highest of them, a lower bound of the truth
  const { bound } = buckets[inside]!;
  if (inside === 0 && bound <= 0) return bound;
  const below = inside === 0 ? { bound: 0, count: 0 } : { bound: buckets[inside - 1]!.bound, count: counts[inside - 1]! };
  const within = counts[inside]! - below.count;
  return within === 0 ? bound : below.bound + ((bound - below.bound) * (rank - below.count)) / within;
}
