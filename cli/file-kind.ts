// Which way a file of `lamella import` goes, by its first bytes. Also one that only looks like a benchmark or a model's tree goes that way: its refusal is then in the
// words of those.
import { basename } from "node:path";
import { fileFormat, headBytes } from "#core/trace/file-format.ts";
import { benchmarkFormatOf } from "#core/workload/benchmark-format.ts";
import { checkFile, headOf } from "./trace-file.ts";

export type FileKind = "profile" | "benchmark" | "model-tree";

export async function fileKind(path: string): Promise<FileKind> {
  checkFile(path);
  const head = await headOf(path, headBytes);
  if (benchmarkFormatOf(head) !== undefined) return "benchmark";
  const format = fileFormat(head, basename(path));
  return format.door === "none" && (format.is === "benchmark" || format.is === "model-tree") ? format.is : "profile";
}
