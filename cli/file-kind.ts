// Which way a file of `lamella import` goes. What is none of these goes the way of profiles: its refusal is then in their words.
import { basename } from "node:path";
import { fileKindOf } from "#core/file-view/file-kind.ts";
import { headBytes } from "#core/trace/file-format.ts";
import { checkFile, headOf } from "./trace-file.ts";

export type FileKind = "profile" | "benchmark" | "model-tree";

export async function fileKind(path: string): Promise<FileKind> {
  checkFile(path);
  const { kind } = fileKindOf(await headOf(path, headBytes), basename(path));
  return kind === "benchmark" || kind === "model-tree" ? kind : "profile";
}
