// What executions did module by module: the record, two of them compared, one module over many.
import { executionRecord as storedRecord, moduleHistory as historyOf } from "#clickhouse/execution-records.ts";
import { executionById } from "#clickhouse/executions.ts";
import { compareRecords } from "#core/trace/compare-records.ts";
import type { ExecutionRecord } from "#schema/api/execution-record.ts";
import { limits } from "#schema/limits.ts";
import { ApiError, notFound } from "../problem.ts";
import { type AnyContext, type Handler, rowsOf } from "../route-context.ts";
import { asExecution, cursorOf, nextOf } from "./executions.ts";
import { extentOf, rangeOf } from "./selection.ts";

// An execution id names the bytes of its file, so its record stays as it is once all of it is stored; for the one who asked only, since it belongs to a tenant.
export const executionRecord: Handler<"executionRecord"> = async (context) => {
  const { record, uploadId, complete } = await recordOf(context, context.params.id);
  const etag = `"${uploadId}"`;
  const headers = { etag, "cache-control": complete ? "private, max-age=31536000, immutable" : "private, no-cache", vary: "authorization, cookie" };
  if (context.request.headers.get("if-none-match") === etag) return new Response(null, { status: 304, headers });
  return new Response(record, { headers: { "content-type": "application/json", ...headers } });
};

export const executionCompare: Handler<"executionCompare"> = async (context) => {
  const [a, b] = await Promise.all([recordOf(context, context.params.id), recordOf(context, context.query.with)]);
  const { modules, ...comparison } = compareRecords(JSON.parse(a.record) as ExecutionRecord, JSON.parse(b.record) as ExecutionRecord);
  return { ...comparison, modules: modules.slice(0, context.query.limit) };
};

export const moduleHistory: Handler<"moduleHistory"> = async (context) => {
  const { path, model_name: modelName, cursor } = context.query;
  const range = rangeOf(context.query, context.nowMs);
  const selection = { ...range, path, modelName, limit: limits.executionsPerPage + 1, ...cursorOf(cursor) };
  const [extent, rows] = await Promise.all([extentOf(context, range), rowsOf(context, historyOf(selection), "module-history")]);
  const { page, next } = nextOf(rows);
  const executions = page.map((row) => ({
    execution: asExecution(row), class: row.module_class, calls: row.node_calls, kernels: row.node_kernels, value: row.node_value,
    gpu: { min: row.gpu_min, median: row.gpu_median, max: row.gpu_max }, cpu: { min: row.cpu_min, median: row.cpu_median, max: row.cpu_max, total: row.cpu_total },
  }));
  return { ...extent, path, modelName, executions, next };
};

export async function recordOf(context: AnyContext, id: string): Promise<{ record: string; uploadId: string; complete: boolean }> {
  const [[execution], [stored]] = await Promise.all([rowsOf(context, executionById(id), "execution"), rowsOf(context, storedRecord(id), "record")]);
  if (execution === undefined) throw notFound();
  if (stored === undefined) {
    throw new ApiError("record_not_stored", { detail: `Execution ${id.slice(0, 12)}… was imported by a client that sent no record. Import its file again: lamella import FILE --again.` });
  }
  return { record: stored.record, uploadId: stored.upload_id, complete: execution.parts_stored >= execution.parts };
}
