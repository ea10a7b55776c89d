// Every route of the API, one line each: method, path, who may call it, what it takes, what it answers. The Worker registers exactly these, the OpenAPI
// document is generated from them, and the scope tests walk them: a route that is not here does not exist.
import { z } from "zod";
import type { Flag } from "../flags.ts";
import type { Scope } from "../identity.ts";
import { limits } from "../limits.ts";
import { uploadKinds } from "../upload-message.ts";
import { executionCompareQuery, executionComparison } from "./execution-comparison.ts";
import { executionRecord } from "./execution-record.ts";
import { executionSummary, executionsList, executionsQuery, moduleHistory, moduleHistoryQuery } from "./executions.ts";
import { filterCompleteQuery, filterCompletion } from "./filter.ts";
import { flamegraph, flamegraphQuery } from "./flamegraph.ts";
import { exportContentTypes, flamegraphExportQuery } from "./flamegraph-export.ts";
import * as tables from "./flamegraph-tables.ts";
import { flamegraphCompareQuery, flamegraphComparison } from "./flamegraph-comparison.ts";
import { metricSeries, metricSeriesQuery, metricsList, metricsQuery } from "./metrics.ts";
import { modelDetail, modelsList, modelsQuery, shapeDetail } from "./models.ts";
import * as shapes from "./shapes.ts";
import * as tenant from "./tenant.ts";
import { timeRangeQuery } from "./time-range.ts";
import * as workloads from "./workloads.ts";

export type Route = {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  readonly path: string; // below /t/{tenant}
  readonly scope: Scope | null; // null: any valid token or session of the tenant
  readonly flag?: Flag;
  readonly summary: string;
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType | "upload";
  readonly answer: z.ZodType;
  readonly status?: number;
  readonly text?: boolean; // answers text/plain instead when asked with format=text
  readonly csv?: boolean; // answers text/csv instead when asked with format=csv
  readonly files?: readonly string[]; // answers a file of one of these content types, never JSON
};

const shapeId = z.string().regex(/^[0-9a-f]{64}$/, "64 hex digits");
const modelId = z.string().regex(/^([0-9a-f]{64}|[0-9a-f]{32})$/, "a shape id (64 hex digits) or a model key (32)");
const fieldValuesQuery = timeRangeQuery.extend({
  from: z.string().default("-7d"),
  field: z.string().describe("e.g. host.name"),
  prefix: z.string().max(limits.labelBytesMax).default(""),
});

export const routes = {
  ingest: { method: "POST", path: "/ingest/{kind}", scope: "ingest", summary: "Send one upload (protobuf, optionally gzip)", params: z.object({ kind: z.enum(uploadKinds) }), body: "upload", answer: tenant.uploadAccepted, status: 202 },
  me: { method: "GET", path: "/api/me", scope: null, summary: "Who is asking, with scopes and flags", answer: tenant.me },
  status: { method: "GET", path: "/api/status", scope: "read", summary: "How far the data reaches, and what arrived", answer: tenant.status },
  flamegraph: { method: "GET", path: "/api/flamegraph", scope: "read", summary: "A flamegraph of a selection", query: flamegraphQuery, answer: flamegraph },
  flamegraphExport: { method: "GET", path: "/api/flamegraph/export", scope: "read", summary: "The stacks of a flamegraph, whole, as a file for another tool", query: flamegraphExportQuery, answer: z.never(), files: exportContentTypes },
  flamegraphCompare: { method: "GET", path: "/api/flamegraph/compare", scope: "read", summary: "What differs between two selections, by module, kernel category, kernel and node", query: flamegraphCompareQuery, answer: flamegraphComparison },
  flamegraphTop: { method: "GET", path: "/api/flamegraph/top", scope: "read", summary: "What a selection's time goes to: functions, kernels, modules, classes, layers, kernel categories or frames, heaviest first", query: tables.topQuery, answer: tables.flamegraphTop },
  flamegraphSearch: { method: "GET", path: "/api/flamegraph/search", scope: "read", summary: "What a search covers of the whole selection", query: tables.flamegraphSearchQuery, answer: tables.flamegraphSearch },
  flamegraphTimeline: { method: "GET", path: "/api/flamegraph/timeline", scope: "read", summary: "A selection over time", query: tables.timelineQuery, answer: tables.flamegraphTimeline },
  frameModules: { method: "GET", path: "/api/flamegraph/modules", scope: "read", summary: "The modules that a frame lies in", query: tables.frameModulesQuery, answer: tables.frameModules },
  moduleFrames: { method: "GET", path: "/api/flamegraph/frames", scope: "read", summary: "The frames of a module, of all its copies, and which copy is the slow one", query: tables.moduleFramesQuery, answer: tables.moduleFrames },
  executions: { method: "GET", path: "/api/executions", scope: "read", summary: "Imported traces and recordings, latest first", query: executionsQuery, answer: executionsList },
  // Before {id}: the router takes the first that fits.
  moduleHistory: { method: "GET", path: "/api/executions/modules", scope: "read", summary: "One module over the executions of a model, latest first", query: moduleHistoryQuery, answer: moduleHistory },
  execution: { method: "GET", path: "/api/executions/{id}", scope: "read", summary: "One execution", params: z.object({ id: shapeId }), answer: executionSummary },
  executionRecord: { method: "GET", path: "/api/executions/{id}/record", scope: "read", summary: "What an execution did, module by module: calls, operators, kernels, steps", params: z.object({ id: shapeId }), answer: executionRecord },
  executionCompare: { method: "GET", path: "/api/executions/{id}/compare", scope: "read", summary: "What differs from this execution to another, by module, kernel category and phase", params: z.object({ id: shapeId }), query: executionCompareQuery, answer: executionComparison },
  models: { method: "GET", path: "/api/models", scope: "read", flag: "models", summary: "Models seen in a time range, latest first", query: modelsQuery, answer: modelsList },
  model: { method: "GET", path: "/api/models/{id}", scope: "read", flag: "models", summary: "One model", params: z.object({ id: modelId }), query: modelsQuery.pick({ from: true, to: true }), answer: modelDetail },
  // Before {id}: the router takes the first that fits.
  shapeCompare: { method: "GET", path: "/api/shapes/compare", scope: "read", flag: "models", summary: "What differs between two stored shapes, by path", query: shapes.compareQuery, answer: shapes.shapeComparison },
  shape: { method: "GET", path: "/api/shapes/{id}", scope: "read", flag: "models", summary: "A stored shape; immutable", params: z.object({ id: shapeId }), query: shapes.shapeQuery, answer: shapeDetail, text: true },
  shapeModule: { method: "GET", path: "/api/shapes/{id}/module", scope: "read", flag: "models", summary: "One module of a shape: totals, copies, precision, tensors", params: z.object({ id: shapeId }), query: shapes.moduleQuery, answer: shapes.moduleDetail },
  shapeFind: { method: "GET", path: "/api/shapes/{id}/find", scope: "read", flag: "models", summary: "Modules by name, class, path or dtype, copies folded", params: z.object({ id: shapeId }), query: shapes.findQuery, answer: shapes.findAnswer },
  shapeMemory: { method: "GET", path: "/api/shapes/{id}/memory", scope: "read", flag: "models", summary: "Weight bytes per rank and KV-cache bytes per token for any TP × PP × EP", params: z.object({ id: shapeId }), query: shapes.memoryQuery, answer: shapes.shapeMemory },
  metrics: { method: "GET", path: "/api/metrics", scope: "read", summary: "Engine metrics seen in a time range", query: metricsQuery, answer: metricsList },
  metricSeries: { method: "GET", path: "/api/metrics/series", scope: "read", summary: "One engine metric over time, in steps", query: metricSeriesQuery, answer: metricSeries },
  workloads: { method: "GET", path: "/api/workloads", scope: "read", summary: "Runs of serving benchmarks, latest import first", query: workloads.workloadsQuery, answer: workloads.workloadsList },
  workload: { method: "GET", path: "/api/workloads/{id}", scope: "read", summary: "One run: figures stated and computed, failures, goodput, representatives", params: z.object({ id: shapeId }), query: workloads.goodputQuery, answer: workloads.workloadDetail },
  workloadRequests: { method: "GET", path: "/api/workloads/{id}/requests", scope: "read", summary: "The requests of a run, in columns or as CSV", params: z.object({ id: shapeId }), query: workloads.workloadRequestsQuery, answer: workloads.workloadRequests, csv: true },
  filterComplete: { method: "GET", path: "/api/filter/complete", scope: "read", summary: "What may stand at the cursor of a filter, values with their counts among it, and what is wrong with the text", query: filterCompleteQuery, answer: filterCompletion },
  fieldValues: { method: "GET", path: "/api/field-values", scope: "read", summary: "Values of a filter field with counts, for completion", query: fieldValuesQuery, answer: tenant.fieldValues },
  flags: { method: "GET", path: "/api/flags", scope: "read", summary: "Feature flags", answer: tenant.flagsList },
  flagSet: { method: "PUT", path: "/api/flags/{flag}", scope: "admin", summary: "Switch a feature flag; answers the fresh list", params: z.object({ flag: z.string() }), body: tenant.flagChange, answer: tenant.flagsList },
  tokens: { method: "GET", path: "/api/tokens", scope: "admin", summary: "Tokens, without their secrets", answer: tenant.tokensList },
  tokenCreate: { method: "POST", path: "/api/tokens", scope: "admin", summary: "Create a token; the answer shows it once", body: tenant.tokenCreate, answer: tenant.tokenCreated, status: 201 },
  tokenRevoke: { method: "DELETE", path: "/api/tokens/{id}", scope: "admin", summary: "Revoke a token; takes effect everywhere within 10 s", params: z.object({ id: z.string() }), answer: tenant.token },
  members: { method: "GET", path: "/api/members", scope: "read", summary: "Members and their roles", answer: tenant.membersList },
  audit: { method: "GET", path: "/api/audit", scope: "admin", summary: "The latest audit events", answer: tenant.auditList },
  quarantine: { method: "GET", path: "/api/quarantine", scope: "read", summary: "Uploads that could not be stored, and why", answer: tenant.quarantineList },
  quarantineReplay: { method: "POST", path: "/api/quarantine/{uploadId}/replay", scope: "write", summary: "Queue a quarantined upload again", params: z.object({ uploadId: shapeId }), answer: tenant.replayed, status: 202 },
} as const satisfies Record<string, Route>;

export type RouteName = keyof typeof routes;
export const routeNames = Object.keys(routes) as RouteName[];
