// Workloads: the list, and one with its figures. What is asked of all requests is answered by the store; figures were computed where the file was read, since the gaps
// between tokens stay there.
import { failuresOf, type GoodputLimitsUs, goodputOf, representativesOf } from "#clickhouse/workload-requests.ts";
import { workloadById, type WorkloadRow, workloadsBetween, type WorkloadsPage } from "#clickhouse/workloads.ts";
import { figuresOf } from "#core/workload/figures.ts";
import { headlineOf } from "#core/workload/headline.ts";
import type { Load } from "#core/workload/load.ts";
import { goodputAnswer } from "#core/workload/report.ts";
import { representativeRules } from "#core/workload/representatives.ts";
import type { WorkloadLoad, WorkloadSummary } from "#schema/api/workloads.ts";
import { limits } from "#schema/limits.ts";
import { ApiError, notFound } from "../problem.ts";
import { type AnyContext, type Handler, rowsOf } from "../route-context.ts";
import { extentOf, iso, rangeOf } from "./selection.ts";

export const workloads: Handler<"workloads"> = async (context) => {
  const range = rangeOf(context.query, context.nowMs);
  const selection = { ...range, prefix: context.query.prefix, limit: limits.workloadsPerPage + 1, ...cursorOf(context.query.cursor) };
  const [extent, rows] = await Promise.all([extentOf(context, range), rowsOf(context, workloadsBetween(selection), "workloads")]);
  const page = rows.slice(0, limits.workloadsPerPage);
  const last = page.at(-1);
  return { ...extent, workloads: page.map(asSummary), next: rows.length > page.length && last ? `${last.received_ms}.${last.workload_id}` : null };
};

function cursorOf(text: string | undefined): Pick<WorkloadsPage, "after"> {
  if (text === undefined) return {};
  const [, ms, id] = /^(\d{1,15})\.([0-9a-f]{64})$/.exec(text) ?? [];
  if (id === undefined) throw noCursor();
  return { after: { receivedAtMs: Number(ms), id } };
}

export const workload: Handler<"workload"> = async (context) => {
  const { ttft_ms: ttftMs = null, tpot_ms: tpotMs = null, e2e_ms: e2eMs = null } = context.query;
  const row = await completeWorkload(context, context.params.id);
  const { stated, computed } = figuresIn(row);
  const us = (ms: number | null) => (ms === null ? undefined : ms * 1000);
  const limitsUs: GoodputLimitsUs = { ttft: us(ttftMs), tpot: us(tpotMs), e2e: us(e2eMs) };
  const [[counts], representatives, failures] = await Promise.all([
    rowsOf(context, goodputOf(row.workload_id, limitsUs), "goodput"),
    rowsOf(context, representativesOf(row.workload_id, representativeRules.map(({ percentile }) => percentile)), "representatives"),
    rowsOf(context, failuresOf(row.workload_id, limits.workloadErrorsMax), "failures"),
  ]);
  const { good = 0, not_judged: notJudged = 0, missed_ttft: ttft = 0, missed_tpot: tpot = 0, missed_e2e: e2e = 0 } = counts ?? {};
  const judged = { limits: { ttftMs, tpotMs, e2eMs }, good, failed: row.failed, notJudged, missed: { ttft, tpot, e2e } };
  return {
    ...stored(row), ...headOf(row), latencyEstimated: row.latency_estimated, stated, computed,
    failures: failures.map(({ error, requests }) => ({ error, requests })), errors: failures[0]?.errors ?? 0,
    goodput: row.requests === 0 ? null : goodputAnswer(judged, row.requests, stated.durationS ?? computed?.durationS),
    representatives: representatives.map((one) => ({ label: representativeRules.find(({ percentile }) => percentile === one.percentile)!.label, ...one })),
    aggregates: row.aggregate_metrics.map((metric, i) => ({ engine: row.aggregate_engines[i] ?? "", metric, value: row.aggregate_values[i] ?? 0, observations: row.aggregate_observations[i] ?? 0 })),
    notes: row.notes,
  };
};

// 404 while it is still arriving: nothing is told of a part.
export async function completeWorkload(context: AnyContext, id: string): Promise<WorkloadRow> {
  const [row] = await rowsOf(context, workloadById(id), "workload");
  if (row === undefined) throw notFound();
  if (row.parts_stored < row.parts) throw new ApiError("not_found", { detail: `The workload is still arriving: ${row.parts_stored} of ${row.parts} parts are stored. Retry shortly.`, retryAfterS: 2 });
  return row;
}

function asSummary(row: WorkloadRow): WorkloadSummary {
  const { stated, computed } = figuresIn(row);
  return { ...stored(row), ...headOf(row), figures: headlineOf(stated, computed), parts: { stored: row.parts_stored, of: row.parts }, complete: row.parts_stored >= row.parts };
}

function stored(row: WorkloadRow) {
  return { id: row.workload_id, importedAt: iso(row.received_ms) };
}

function headOf(row: WorkloadRow) {
  return {
    name: row.name, tool: row.tool, toolVersion: row.tool_version, label: row.label, engine: row.engine, modelName: row.model_name, layers: row.layers === 0 ? null : row.layers,
    startedAt: row.started_s === null ? null : iso(row.started_s * 1000), dateText: row.date_text, load: loadOf(row), requests: row.requests, failed: row.failed,
  };
}

function loadOf(row: WorkloadRow): WorkloadLoad {
  const { requestsPerS, ...rest } = Object.fromEntries(row.load_names.map((name, i) => [name, row.load_values[i] ?? Infinity])) as Omit<Load, "strategy">;
  const { maxConcurrency, requests, inputTokens, outputTokens } = rest;
  return { requestsPerS: requestsPerS === Infinity ? "inf" : requestsPerS, maxConcurrency, requests, inputTokens, outputTokens, strategy: row.load_strategy === "" ? undefined : row.load_strategy };
}

function figuresIn(row: WorkloadRow) {
  const entries = (names: readonly string[], values: readonly (number | null)[]) => names.map((name, i): [string, number] => [name, values[i]!]);
  return { stated: figuresOf(entries(row.stated_names, row.stated_values)), computed: row.computed_names.length === 0 ? null : figuresOf(entries(row.computed_names, row.computed_values)) };
}

export function noCursor(): ApiError {
  return new ApiError("parameter_invalid", { detail: "`cursor` is not the `next` of an answer of this route." });
}
