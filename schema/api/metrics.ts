// Engine metrics: which were seen, and one of them step by step.
import { z } from "zod";
import { limits } from "../limits.ts";
import { dataExtent, timeRangeQuery } from "./time-range.ts";

export const metricKinds = ["gauge", "counter", "distribution"] as const;

const text = z.string().min(1).max(limits.nameBytesMax);

const metricsFilter = timeRangeQuery.extend({
  engine: text.meta({ examples: ["vllm"] }).optional(),
  host: text.optional().describe("host name"),
  model: text.optional().describe("model name as the engine says it"),
  labels: z.string().max(limits.nameBytesMax).default("").describe('only series with all of these, "k=v,k=v"; % , = in keys and values are written %25 %2C %3D'),
});

export const metricsQuery = metricsFilter.extend({ from: z.string().default("-24h") });

const places = z.object({ names: z.array(z.string()).describe(`the first ${limits.metricPlacesMax} by name`), total: z.int() });

export const metricSummary = z.object({
  metric: z.string().describe("our name; names that begin with an engine's prefix are the engine's own"),
  title: z.string().describe("what it measures; empty for names of an engine's own"),
  kind: z.enum(metricKinds),
  unit: z.string().describe('base units; a ratio is 0 to 1; "" = not known'),
  over: z.enum(["sum", "average"]).nullable().describe("how gauges of several series become one; null for the other kinds"),
  engines: z.array(z.string()).describe(`the first ${limits.metricPlacesMax} by name`),
  hosts: places,
  models: places,
  series: z.int().describe("distinct (engine, host, model, labels) but for the label since; of a distribution without its buckets"),
  points: z.int(),
  firstSeen: z.iso.datetime(),
  lastSeen: z.iso.datetime(),
});
export type MetricSummary = z.infer<typeof metricSummary>;

export const metricsList = dataExtent.extend({ metrics: z.array(metricSummary).describe("by name; ranges over 6 h by whole hours") });

export const metricSeriesQuery = metricsFilter.extend({
  metric: text.meta({ examples: ["ttft_seconds"] }),
  step: z.coerce.number().int().min(1).max(limits.timeRangeDaysMax * 86_400).meta({ examples: [60] }).optional().describe(`seconds; default: the range in at most ${limits.metricStepsDefault} round steps; at most ${limits.metricStepsMax} steps`),
});

const column = z.array(z.number().nullable());

// Columns of equal length; those that the kind does not have are left out. Steps without a point are not there.
export const metricSteps = z.object({
  t: z.array(z.int()).describe("Unix seconds at which the step begins, a multiple of the step"),
  points: z.array(z.int()),
  min: column.optional().describe("gauge. Summed gauges: the sum of each series' own minimum, a bound of the true one"),
  max: column.optional().describe("gauge; likewise"),
  avg: column.optional().describe("gauge: average over time of each series, then summed or averaged over the series. Distribution: mean of the observations"),
  last: column.optional().describe("gauge"),
  increase: column.optional().describe("counter: how much was counted"),
  count: column.optional().describe("distribution: observations"),
  rate: column.optional().describe("counter and distribution: increase or count, per second of the step inside the range; absent for counts since the process started"),
  bound: column.optional().describe("distribution: the highest finite bound of its buckets; a quantile that equals it lies anywhere above"),
  p50: column.optional(),
  p90: column.optional(),
  p95: column.optional(),
  p99: column.optional(),
});
export type MetricSteps = z.infer<typeof metricSteps>;

export const engineSteps = z.object({
  engine: z.string().describe('"" = not known'),
  since: z.enum(["point", "start"]).describe("start: nothing but a single dump is in the range, whose counts are since the engine's process started"),
  series: z.int().describe("most series in one step"),
  estimate: z.enum(["buckets", "engine"]).nullable().describe("where quantiles come from. buckets: interpolated in the histogram, from the bounds that all series share. engine: its own quantiles, averaged over series. null: there are none"),
  steps: metricSteps,
});
export type EngineSteps = z.infer<typeof engineSteps>;

export const metricSeries = dataExtent.extend({
  metric: z.string(),
  title: z.string(),
  kind: z.enum(metricKinds),
  unit: z.string(),
  over: z.enum(["sum", "average"]).nullable(),
  stepS: z.int(),
  engines: z.array(engineSteps).describe("each by itself: a front end counts the requests of the engines behind it too"),
});
export type MetricSeries = z.infer<typeof metricSeries>;
