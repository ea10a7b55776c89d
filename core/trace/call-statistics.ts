// n, min, median, max of a module's calls, and which was the slowest. The median of an even number is the mean of the middle two, rounded to whole ns.
export type CallStatistics = { n: number; min: number; median: number; max: number; slowest: number }; // slowest: from 1; 0 = no call has a time

// `times` in order of the calls; NaN = that call has no time of this kind.
export function callStatistics(times: readonly number[]): CallStatistics {
  const known = times.filter((time) => !Number.isNaN(time)).sort((a, b) => a - b);
  const n = known.length;
  if (n === 0) return { n, min: 0, median: 0, max: 0, slowest: 0 };
  return { n, min: known[0]!, median: median(known), max: known[n - 1]!, slowest: times.indexOf(known[n - 1]!) + 1 };
}

export function median(sorted: readonly number[]): number {
  const n = sorted.length;
  return n === 0 ? 0 : Math.round((sorted[(n - 1) >> 1]! + sorted[n >> 1]!) / 2);
}

// Values further from the median than three times the median of all such distances are not like the others. Where more than half are equal that distance is 0,
// and every other value would be one; then none is, unless it differs by a tenth of the median.
export function likeness(values: readonly number[]): { middle: number; bound: number } {
  const middle = median([...values].sort((a, b) => a - b));
  const spread = median(values.map((value) => Math.abs(value - middle)).sort((a, b) => a - b));
  return { middle, bound: Math.max(3 * spread, spread === 0 ? middle / 10 : 0) };
}

export function outliers(values: readonly number[]): number[] {
  const { middle, bound } = likeness(values);
  return values.flatMap((value, i) => (values.length >= 4 && Math.abs(value - middle) > bound ? [i] : []));
}
