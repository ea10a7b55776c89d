// Which way a file goes, by its first bytes. Also one that only looks like a benchmark or a model's tree goes that way: its refusal is then in the words of those.
import { fileFormat } from "#core/trace/file-format.ts";
import type { Refusal } from "#core/trace/refusal.ts";
import { benchmarkFormatOf } from "#core/workload/benchmark-format.ts";
import { readMetricsFile } from "#core/workload/timeseries/read-metrics-file.ts";

export type FileKind = { readonly kind: "profile" } | { readonly kind: "benchmark" } | { readonly kind: "metrics" } | { readonly kind: "model-tree" } | { readonly kind: "none"; readonly refusal: Refusal };

// `head`: the first headBytes (core/trace/file-format.ts) of the file, gzip undone, or all of it.
export function fileKindOf(head: Uint8Array, name: string): FileKind {
  if (benchmarkFormatOf(head) !== undefined) return { kind: "benchmark" };
  const format = fileFormat(head, name);
  if (format.door !== "none") return { kind: "profile" };
  if (format.is === "benchmark" || format.is === "model-tree") return { kind: format.is };
  // A CSV or a log is told by its columns or lines.
  if (format.is === "metrics" || (format.is === undefined && readMetricsFile(head) !== null)) return { kind: "metrics" };
  return { kind: "none", refusal: format };
}
