// A selection over time: one row per interval that has samples, the sums of all of them being the selection's.
import { z } from "zod";
import type { Query } from "./client.ts";
import { type Interval, type SampleSelection, intervalSums } from "./samples.ts";

const intervalRow = z.object({ interval: z.coerce.number(), value: z.string(), count: z.string(), samples: z.string() });

// `interval`: the number of whole intervals since 1970, or of the step.
export function timeline(selection: SampleSelection, interval: Interval, limit: number): Query & { row: typeof intervalRow } {
  const sums = intervalSums(selection, interval);
  return { sql: `SELECT interval, value, count, samples FROM (${sums.sql}) ORDER BY interval LIMIT {limit:UInt32}`, params: { ...sums.params, limit }, row: intervalRow };
}

const wholeRow = z.object({ value: z.string(), count: z.string(), samples: z.string() });

// One row: the selection as a whole.
export function selectionSums(selection: SampleSelection): Query & { row: typeof wholeRow } {
  const sums = intervalSums(selection, { seconds: 3_600 });
  return { sql: `SELECT sum(value) AS value, sum(hour.count) AS count, sum(hour.samples) AS samples FROM (${sums.sql}) AS hour`, params: sums.params, row: wholeRow };
}
