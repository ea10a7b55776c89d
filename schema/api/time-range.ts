// The time range every query takes, and what every answer says about how far the data reaches.
import { z } from "zod";

const moment = z.string().describe('Unix seconds ("1764426720"), an ISO time ("2026-11-29T14:00:00Z") or a distance to now ("-1h", "-7d", "now")');

export const timeRangeQuery = z.object({
  from: moment.default("-1h").describe("start, inclusive; default -1h"),
  to: moment.default("now").describe("end, exclusive; default now"),
});
export type TimeRangeQuery = z.infer<typeof timeRangeQuery>;

export const timeRange = z.object({ from: z.iso.datetime(), to: z.iso.datetime() });

export const dataExtent = z.object({
  range: timeRange,
  ingestedThrough: z.iso.datetime().nullable().describe("data is complete up to here; null: nothing was ever ingested. \"nothing yet\" and \"nothing\" differ by this"),
});
export type DataExtent = z.infer<typeof dataExtent>;
