// Expected values by hand, from the definition: linear inside the bucket that holds the rank.
import { expect, test } from "vitest";
import { histogramQuantile } from "#core/workload/prometheus/histogram-quantile.ts";

const buckets = (text: string) => text.split(" ").filter(Boolean).map((one) => {
  const [bound, count] = one.split(":");
  return { bound: Number(bound), count: Number(count) };
});

test.each([
  ["in the middle of a bucket", 0.5, "1:10 2:30 Infinity:40", 1.5], // rank 20: half of the 20 between 1 and 2
  ["the first bucket begins at 0", 0.1, "1:10 2:30 Infinity:40", 0.4],
  ["exactly at a bound", 0.25, "1:10 2:30 Infinity:40", 1],
  ["above every finite bound: the highest of them", 0.99, "1:10 2:30 Infinity:40", 2],
  ["the first bucket ends at or below 0", 0.1, "-1:10 2:30 Infinity:40", -1],
  ["empty buckets in between", 0.75, "1:10 2:10 4:20 Infinity:20", 3],
  ["the share 0", 0, "1:0 2:10 Infinity:10", 1],
  ["the share 1", 1, "1:5 2:10 Infinity:10", 2],
  ["counts that fall are read as the highest so far", 0.5, "1:10 2:8 4:20 Infinity:20", 1],
  ["nothing observed", 0.5, "1:0 Infinity:0", null],
  ["no finite bound", 0.5, "Infinity:10", null],
  ["no bucket for everything", 0.5, "1:10 2:20", null],
  ["no buckets", 0.5, "", null],
])("%s", (_, share, text, expected) => expect(histogramQuantile(share, buckets(text))).toBe(expected));
