// The digest of an ExecutionUpload → the execution's record (schema/api/execution-record.ts), every index in its range, or why the upload is refused. Null where
// a client sends none: an empty digest, or format 1, which had no modules in it.
import { type ExecutionRecord, executionRecord } from "#schema/api/execution-record.ts";
import { firstIssue } from "#schema/first-issue.ts";
import { isNestedTooDeep, nestingProblem } from "#core/json-nesting.ts";
import { err, ok, type Result } from "#core/result.ts";
import { decodeUtf8Strict } from "#core/utf8.ts";
import type { UploadProblem } from "./upload-problem.ts";

export function readRecord(digest: Uint8Array): Result<ExecutionRecord | null, UploadProblem> {
  if (digest.length === 0) return ok(null);
  if (isNestedTooDeep(digest)) return err({ code: "limit_exceeded", detail: `digest: ${nestingProblem}` });
  const value = parsed(digest);
  if (value === undefined) return refused("is not JSON in UTF-8");
  const format = (value as { format?: unknown } | null)?.format;
  if (format === 1) return ok(null);
  if (format !== 2) return refused(`has the format ${JSON.stringify(format)?.slice(0, 40) ?? "none"}; 1 and 2 are known here. A newer client needs a newer server`);
  const issue = firstIssue(executionRecord, value) ?? outOfRange(value as ExecutionRecord);
  // Parsed again: keys that this version does not know are not kept, nor "__proto__", which would be a prototype to a careless reader.
  return issue === null ? ok(executionRecord.parse(value)) : refused(`is no record: ${issue}`);
}

function parsed(digest: Uint8Array): unknown {
  try {
    return JSON.parse(decodeUtf8Strict(digest) ?? "");
  } catch {
    return undefined;
  }
}

function refused(why: string): Result<never, UploadProblem> {
  return err({ code: "body_undecodable", detail: `digest ${why}` });
}

type Column = { name: string; values: readonly number[]; below?: number }; // below: its values are indices of something so long

function outOfRange({ modules, operations, kernels, kernelMetrics, texts }: ExecutionRecord): string | null {
  const count = modules.parent.length;
  const early = modules.parent.findIndex((parent, row) => parent >= row);
  if (early >= 0) return `modules.parent[${early}] is ${modules.parent[early]}; a parent comes before its children`;
  const text = (table: object, names: readonly string[]): Column[] => names.map((name) => ({ name, values: (table as Record<string, number[]>)[name]!, below: texts.length }));
  const plain = (table: object, names: readonly string[], at = ""): Column[] => names.map((name) => ({ name: `${at}${name}`, values: (table as Record<string, number[]>)[name]! }));
  const outside = (table: { outside?: number[] | undefined }): Column[] => (table.outside === undefined ? [] : [{ name: "outside", values: table.outside, below: 4 }]);
  const perCall = ["min", "median", "max", "slowest"];
  return columnsIssue("modules", count, [...text(modules, ["name", "path", "class"]), ...plain(modules, ["calls", "kernels", "value"]), ...plain(modules.gpu, perCall, "gpu."), ...plain(modules.cpu, [...perCall, "total"], "cpu.")])
    ?? columnsIssue("operations", operations.module.length, [{ name: "module", values: operations.module, below: count }, ...text(operations, ["op"]), ...plain(operations, ["calls", "cpuNs"]), ...outside(operations)])
    ?? columnsIssue("kernels", kernels.module.length, [
      { name: "module", values: kernels.module, below: count }, { name: "metrics", values: kernels.metrics, below: kernelMetrics.length }, ...text(kernels, ["op", "kernel", "category", "fused", "grid", "block", "dims", "dtypes"]), ...plain(kernels, ["count", "value"]), ...outside(kernels),
    ]);
}

function columnsIssue(table: string, rows: number, columns: readonly Column[]): string | null {
  for (const { name, values, below = Number.POSITIVE_INFINITY } of columns) {
    if (values.length !== rows) return `${table}.${name} has ${values.length} rows of ${rows}`;
    const row = values.findIndex((value) => value >= below);
    if (row >= 0) return `${table}.${name}[${row}] is ${values[row]}, of ${below}`;
  }
  return null;
}
