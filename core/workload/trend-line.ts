// The straight line through a cloud of points by Theil and Sen: its slope is the median slope between two points, so that up to 29 % of them may lie anywhere.
import { percentileOf, sortedValues } from "./statistics.ts";

export type TrendLine = { readonly slope: number; readonly intercept: number; readonly n: number; readonly from: number; readonly to: number }; // from, to: the x it was found between

const pairsMax = 50_000; // of n (n − 1) / 2; up to about 220 points all pairs count

// Undefined without two points of different x. Points with an absent number do not count. Of many points each is compared with the same number of others, evenly far away in
// the order of x, so that the answer is the same every time.
export function trendLine(x: ArrayLike<number>, y: ArrayLike<number>): TrendLine | undefined {
  const rows = Array.from(x, (_, row) => row).filter((row) => !Number.isNaN(x[row]!) && !Number.isNaN(y[row]!));
  rows.sort((a, b) => x[a]! - x[b]! || y[a]! - y[b]!);
  const n = rows.length;
  const xs = Float64Array.from(rows, (row) => x[row]!);
  const ys = Float64Array.from(rows, (row) => y[row]!);
  const distances = Math.min(n - 1, Math.ceil(pairsMax / Math.max(1, n)));
  const slopes: number[] = [];
  for (let step = 1; step <= distances; step++) {
    const distance = Math.round((step * (n - 1)) / distances);
    for (let a = 0; a + distance < n; a++) if (xs[a + distance]! > xs[a]!) slopes.push((ys[a + distance]! - ys[a]!) / (xs[a + distance]! - xs[a]!));
  }
  if (slopes.length === 0) return undefined;
  const slope = percentileOf(sortedValues(slopes), 50);
  return { slope, intercept: percentileOf(sortedValues(ys.map((value, at) => value - slope * xs[at]!)), 50), n, from: xs[0]!, to: xs[n - 1]! };
}
