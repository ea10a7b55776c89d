// What copies of one thing took, beside each other: median, the band within which a copy is like the others (median ± 3 × the median distance), mean and
// standard deviation, and every copy's distance from the mean in standard deviations (σ).
import { likeness, outliers } from "./call-statistics.ts";

export type LayerSpread = { min: number; median: number; max: number; low: number; high: number; mean: number; deviation: number; sigma: number[]; unlike: number[] }; // unlike: the furthest first

export function layerSpread(values: readonly number[]): LayerSpread {
  const { middle, bound } = likeness(values);
  const mean = values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
  const deviation = Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / Math.max(1, values.length));
  const sigma = values.map((value) => (deviation === 0 ? 0 : (value - mean) / deviation));
  const unlike = outliers(values).sort((a, b) => Math.abs(values[b]! - middle) - Math.abs(values[a]! - middle));
  return {
    min: values.reduce((least, value) => Math.min(least, value), values[0] ?? 0), median: middle, max: values.reduce((most, value) => Math.max(most, value), values[0] ?? 0),
    low: Math.max(0, middle - bound), high: middle + bound, mean, deviation, sigma, unlike,
  };
}
