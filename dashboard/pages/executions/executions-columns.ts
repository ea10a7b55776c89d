// The columns of the Executions table: their words, what they sort by, and what a file of the table holds.
import type { ExecutionSummary } from "#schema/api/executions.ts";
import { profileTypes } from "#schema/frame-kinds.ts";
import type { SortableColumn, TableSort } from "../../parts/table-sort.ts";

export type ExecutionColumn = SortableColumn & { readonly label: string };

export const firstSort: TableSort = { column: "imported", descending: true };

export function executionColumns(executions: readonly ExecutionSummary[]): ExecutionColumn[] {
  const text = (name: string, label: string, value: (one: ExecutionSummary) => string): ExecutionColumn => ({ name, label, numeric: false, firstDescending: false, value: (row) => value(executions[row]!) || null });
  const number = (name: string, label: string, value: (one: ExecutionSummary) => number | null, csvName = name): ExecutionColumn => ({ name, label, numeric: true, firstDescending: true, csvName, value: (row) => value(executions[row]!) });
  return [
    text("name", "Execution", ({ name }) => name),
    text("device", "Device", ({ device }) => device),
    text("model", "Model", ({ modelName }) => modelName),
    text("type", "Measures", ({ profileType }) => profileTypes[profileType].label),
    number("kernels", "Kernels", ({ kernels, profileType }) => (profileType === "cuda" ? kernels : null)),
    number("value", "Time", ({ totalValue, profileType }) => (profileTypes[profileType].unit === "ns" ? totalValue : null), "time_ns"),
    number("share", "In modules", moduleShare, "share_in_modules"),
    text("paths", "Paths", ({ pathSource }) => pathSource),
    number("recorded", "Recorded", ({ recordedAt }) => (recordedAt === null ? null : Date.parse(recordedAt)), "recorded_unix_ms"),
    number("imported", "Imported", ({ importedAt }) => Date.parse(importedAt), "imported_unix_ms"),
  ];
}

// Null where the file names no modules: then nothing can be under one.
export function moduleShare({ pathSource, totalValue, moduleValue }: ExecutionSummary): number | null {
  return pathSource === "none" || totalValue === 0 ? null : moduleValue / totalValue;
}
