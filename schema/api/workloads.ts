// Workloads: runs of serving benchmarks. A figure that is not known is not there; it is never 0.
import { z } from "zod";
import { limits } from "../limits.ts";
import { type WorkloadMetric, workloadMetricNames } from "../workload-metrics.ts";
import { dataExtent, timeRangeQuery } from "./time-range.ts";

const known = z.number().optional();

export const statistics = z.object({
  n: z.int().optional().describe("values behind it"),
  mean: known, std: known, min: known, max: known,
  percentiles: z.record(z.string(), z.number()).describe('"p50", "p99.9"; those computed are interpolated linearly, as numpy does'),
});

const perMetric = Object.fromEntries(workloadMetricNames.map((name) => [name, statistics.optional()])) as Record<WorkloadMetric, z.ZodOptional<typeof statistics>>;

export const workloadFigures = z.object({
  durationS: known, completed: known, failed: known, inputTokens: known, outputTokens: known, requestsPerS: known, goodRequestsPerS: known, inputTokensPerS: known, outputTokensPerS: known,
  totalTokensPerS: known, peakOutputTokensPerS: known, meanConcurrency: known, peakConcurrency: known,
  ...perMetric,
}).describe("times are µs, of requests that did not fail; tokens are of completed requests");
export type WorkloadFigures = z.infer<typeof workloadFigures>;

export const workloadLoad = z.object({
  requestsPerS: z.union([z.number(), z.literal("inf")]).optional().describe("inf: all at once"),
  maxConcurrency: known, requests: known, inputTokens: known, outputTokens: known,
  strategy: z.string().optional().describe('the tool\'s word, e.g. "poisson"'),
});
export type WorkloadLoad = z.infer<typeof workloadLoad>;

const head = {
  name: z.string(),
  tool: z.string(),
  toolVersion: z.string(),
  label: z.string().describe("the person's own name of the run"),
  engine: z.string().describe('"" = the file does not say'),
  modelName: z.string(),
  layers: z.int().nullable().describe("of the model; null: no configuration was given"),
  startedAt: z.iso.datetime().nullable().describe("first request sent; null: the file has no absolute time"),
  dateText: z.string().describe("the file's date where it names no time zone or no start"),
  load: workloadLoad,
  requests: z.int().describe("requests in the file; 0 = it has figures only"),
  failed: z.int().describe("of these"),
};

const goodputLimit = z.coerce.number().positive().max(limits.requestMicrosecondsMax / 1_000).meta({ examples: [200] }).optional();
export const goodputQuery = z.object({
  ttft_ms: goodputLimit.describe("a good request has at most this TTFT"),
  tpot_ms: goodputLimit.describe("a good request has at most this TPOT; an answer of one token has none and keeps it"),
  e2e_ms: goodputLimit.describe("a good request has at most this latency"),
});

const ofLimits = { ttft: z.int(), tpot: z.int(), e2e: z.int() };
export const goodput = z.object({
  limits: z.object({ ttftMs: z.number().nullable(), tpotMs: z.number().nullable(), e2eMs: z.number().nullable() }).describe("as asked; without any, every completed request is good"),
  good: z.int().describe("requests that kept every limit"),
  failed: z.int(),
  notJudged: z.int().describe("the file lacks a number that a limit asks for"),
  missed: z.object(ofLimits).describe("requests over each limit; one can miss several"),
  share: z.number().nullable().describe("good ÷ all that could be judged, failed ones included"),
  goodPerS: z.number().nullable().describe("null: the duration is not known"),
});
export type WorkloadGoodput = z.infer<typeof goodput>;

export const representative = z.object({
  label: z.enum(["Fast", "Typical", "Slow"]),
  percentile: z.int().describe("of latency among completed requests, by nearest rank: always a real request"),
  request: z.int(),
  latencyUs: z.number(),
  ttftUs: z.number().nullable(),
  inputTokens: z.int().nullable(),
  outputTokens: z.int().nullable(),
});

export const engineAggregate = z.object({
  engine: z.string(),
  metric: z.string().describe("a name of GET /api/metrics, e.g. queue_seconds"),
  value: z.number().describe("a level, a count, or the sum of a distribution's observations, in the metric's unit"),
  observations: z.number().describe("of a distribution; else 0"),
});
export type EngineAggregate = z.infer<typeof engineAggregate>;

// What is told of one run, stored or only read.
export const workloadReport = z.object({
  ...head,
  latencyEstimated: z.boolean().describe("the file has no latency: TTFT plus the gaps"),
  stated: workloadFigures.describe("as the file states them"),
  computed: workloadFigures.nullable().describe("from the requests; null: the file has none"),
  failures: z.array(z.object({ error: z.string(), requests: z.int() })).describe(`the most frequent first, at most ${limits.workloadErrorsMax}; "" = failed without a word`),
  errors: z.int().describe("distinct error texts, those left out of failures included"),
  goodput: goodput.nullable().describe("null: the file has no requests"),
  representatives: z.array(representative).describe("of three labels several may name the same request; empty: no request has a latency"),
  aggregates: z.array(engineAggregate).describe("what the engine counted over all of its requests, never of one"),
  notes: z.array(z.string()),
});
export type WorkloadReport = z.infer<typeof workloadReport>;

const stored = { id: z.string().describe("64 hex digits: sha256(tenant, file bytes, number of the run, options)"), importedAt: z.iso.datetime() };

export const workloadDetail = workloadReport.extend(stored);
export type WorkloadDetail = z.infer<typeof workloadDetail>;

export const workloadSummary = z.object({
  ...stored, ...head,
  figures: z.object({
    source: z.enum(["requests", "file"]).describe("computed from the requests, else as the file states them"),
    completed: known, failed: known, requestsPerS: known, outputTokensPerS: known, ttftP50Us: known, ttftP99Us: known, tpotP50Us: known, tpotP99Us: known, latencyP50Us: known, latencyP99Us: known,
  }),
  parts: z.object({ stored: z.int(), of: z.int() }),
  complete: z.boolean().describe("every part is stored; before, the workload cannot be asked for"),
});
export type WorkloadSummary = z.infer<typeof workloadSummary>;

export const workloadsQuery = timeRangeQuery.extend({
  from: z.string().default("-30d"),
  prefix: z.string().regex(/^[0-9a-f]{0,64}$/, "the first hex digits of an id").default("").describe("only those whose id begins so"),
  cursor: z.string().optional().describe("`next` of the page before"),
});
export const workloadsList = dataExtent.extend({ workloads: z.array(workloadSummary), next: z.string().nullable() });

export const requestColumnNames = [
  "request", "startUs", "clientQueueUs", "queueUs", "prefillUs", "ttftUs", "decodeUs", "tpotUs", "latencyUs", "inputTokens", "outputTokens", "itlCount", "itlP50Us", "itlP90Us", "itlP99Us", "itlMaxUs", "failed",
] as const;
export type RequestColumn = (typeof requestColumnNames)[number];
export type RequestSort = RequestColumn | `-${RequestColumn}`;
const requestSorts: readonly RequestSort[] = requestColumnNames.flatMap((column): RequestSort[] => [column, `-${column}`]);

export const workloadRequestsQuery = z.object({
  sort: z.enum(requestSorts).default("request").describe("a column, `-` before it for descending; requests without that number come last"),
  limit: z.coerce.number().int().min(1).max(limits.workloadRequestsPerPageMax).default(limits.workloadRequestsPerPageDefault),
  cursor: z.string().optional().describe("`next` of the page before, with the same sort"),
  format: z.enum(["json", "csv"]).default("json").describe("csv: the same page as text/csv; the next one is in the header Link (rel=next)"),
});

const numbers = z.array(z.number().nullable());
const ints = z.array(z.int().nullable());

// Columns of equal length. Null: the file does not give it.
export const requestColumns = z.object({
  request: z.array(z.int()).describe("number in the file, from 0"),
  startUs: ints.describe("since the first request was sent"),
  clientQueueUs: ints, queueUs: ints, prefillUs: ints, ttftUs: ints,
  decodeUs: ints.describe("latency − TTFT"),
  tpotUs: numbers, latencyUs: ints, inputTokens: ints, outputTokens: ints,
  itlCount: z.array(z.int()).describe("gaps between streamed pieces; 0 = the file has none"),
  itlP50Us: ints, itlP90Us: ints, itlP99Us: ints, itlMaxUs: ints,
  failed: z.array(z.boolean()),
  error: z.array(z.int()).describe("row of errors"),
});
export type RequestColumns = z.infer<typeof requestColumns>;

export const workloadRequests = z.object({
  requests: z.int().describe("of the workload"),
  columns: requestColumns,
  errors: z.array(z.string()).describe('distinct texts of this page; the first is "": none given'),
  spikes: z
    .object({ row: z.array(z.int()).describe("of columns"), atUs: z.array(z.int()).describe("end of the gap, since the request was sent"), gapUs: z.array(z.int()) })
    .describe(`the longest gaps of each request where they stand out, at most ${limits.itlSpikesPerRequestMax}`),
  next: z.string().nullable(),
});
export type WorkloadRequests = z.infer<typeof workloadRequests>;
