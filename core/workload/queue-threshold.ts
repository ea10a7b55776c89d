// From which queue time on a request waited unusually long: Tukey's upper fence, the upper quartile and one and a half times what lies between the quartiles above it.
import { percentileOf, sortedValues } from "./statistics.ts";

// µs, of the requests that have a queue time; undefined when none has. Where the fence leaves nobody out it is the 90th percentile: an even run has its slowest tenth.
export function queueThreshold(queueUs: ArrayLike<number>): number | undefined {
  const sorted = sortedValues(queueUs);
  if (sorted.length === 0) return undefined;
  const [low, high] = [percentileOf(sorted, 25), percentileOf(sorted, 75)];
  const fence = high + 1.5 * (high - low);
  return fence < sorted.at(-1)! ? fence : percentileOf(sorted, 90);
}
