import { executionById, executionsBetween, type ExecutionRow, type ExecutionsPage } from "#clickhouse/executions.ts";
import type { ExecutionSummary } from "#schema/api/executions.ts";
import type { ProfileTypeName } from "#schema/frame-kinds.ts";
import { limits } from "#schema/limits.ts";
import { ApiError, notFound } from "../problem.ts";
import { type Handler, rowsOf } from "../route-context.ts";
import { extentOf, iso, rangeOf } from "./selection.ts";

export const executions: Handler<"executions"> = async (context) => {
  const range = rangeOf(context.query, context.nowMs);
  const selection = { ...range, prefix: context.query.prefix, limit: limits.executionsPerPage + 1, ...cursorOf(context.query.cursor) };
  const [extent, rows] = await Promise.all([extentOf(context, range), rowsOf(context, executionsBetween(selection), "executions")]);
  const { page, next } = nextOf(rows);
  return { ...extent, executions: page.map(asExecution), next };
};

export function cursorOf(text: string | undefined): Pick<ExecutionsPage, "after"> {
  if (text === undefined) return {};
  const [, seconds, id] = /^(\d{1,10})\.([0-9a-f]{64})$/.exec(text) ?? [];
  if (id === undefined || Number(seconds) > 4_294_967_295) throw new ApiError("parameter_invalid", { detail: "`cursor` is not the `next` of an answer of this route." });
  return { after: { importedAtS: Number(seconds), id } };
}

// One execution more than a page was asked for: if it came, there is a next page. `rows`: latest first; those of one execution lie together.
export function nextOf<Row extends ExecutionRow>(rows: readonly Row[]): { page: Row[]; next: string | null } {
  const ids = [...new Set(rows.map((row) => row.execution_id))].slice(0, limits.executionsPerPage);
  const page = rows.filter((row) => ids.includes(row.execution_id));
  const last = page.at(-1);
  return { page, next: rows.length > page.length && last ? `${last.imported_at_s}.${last.execution_id}` : null };
}

export const execution: Handler<"execution"> = async (context) => {
  const [row] = await rowsOf(context, executionById(context.params.id), "execution");
  if (row === undefined) throw notFound();
  return asExecution(row);
};

export function asExecution(row: ExecutionRow): ExecutionSummary {
  return {
    id: row.execution_id, name: row.name, device: row.device, profileType: row.profile_type as ProfileTypeName, pathSource: row.path_source,
    modelName: row.model_name, modelKey: row.model_key, recordedAt: row.recorded_at_ns === "0" ? null : iso(Number(BigInt(row.recorded_at_ns) / 1_000_000n)),
    importedAt: iso(row.imported_at_s * 1000), durationNs: row.duration_ns, totalValue: row.total_value, moduleValue: row.module_value,
    kernels: row.kernels, events: row.events, gaps: row.gap_reasons.map((reason, i) => ({ reason, kernels: row.gap_kernels[i] ?? 0, value: row.gap_values[i] ?? 0 })),
    notes: row.notes, parts: { stored: row.parts_stored, of: row.parts }, complete: row.parts_stored >= row.parts,
  };
}
