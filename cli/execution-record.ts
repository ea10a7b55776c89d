// The record of an execution, from the server, or of a profile file read right here, without a server.
import { existsSync } from "node:fs";
import { basename } from "node:path";
import { executionRecordOf } from "#core/trace/execution-record.ts";
import type { ExecutionRecord } from "#schema/api/execution-record.ts";
import { CliError } from "./cli-error.ts";
import { findExecution } from "./find-execution.ts";
import { apiOf, type Globals } from "./globals.ts";
import { ProgressLine } from "./progress-line.ts";
import { readProfile, type ReadOptions } from "./read-profile.ts";
import { checkFile } from "./trace-file.ts";

export type NamedRecord = { readonly name: string; readonly executionId: string | null; readonly record: ExecutionRecord }; // executionId: null of a file

// `wanted`: "latest", 8 or more digits of an id, else a file (./latest and ./deadbeef are files).
export async function recordOf(globals: Globals, wanted: string, reading: Pick<ReadOptions, "step" | "captures"> = {}): Promise<NamedRecord> {
  if (wanted !== "latest" && !/^[0-9a-f]{8,64}$/.test(wanted)) return await recordOfFile(wanted, reading);
  if (reading.step !== undefined || (reading.captures ?? []).length > 0) throw new CliError("--step and --capture are for files; what is stored was imported with or without them.", "parameter_invalid");
  const api = apiOf(globals);
  const { id, name } = await findExecution(api, wanted);
  return { name, executionId: id, record: await api.call("executionRecord", { params: { id } }) };
}

async function recordOfFile(path: string, reading: Pick<ReadOptions, "step" | "captures">): Promise<NamedRecord> {
  if (!existsSync(path)) throw new CliError(`"${path}" is neither a file nor an execution: name one by 8 or more digits of its id, see \`lamella executions\`, or as latest.`, "not_found");
  const line = new ProgressLine(basename(path), checkFile(path));
  const read = await readProfile(path, { ...reading, onRead: (bytes) => line.read(bytes) }).finally(() => line.end());
  if ("kernels" in read) throw new CliError(`${path} is a table of Nsight Compute: figures of kernels, no execution. \`lamella import --no-upload\` shows it.`, "file_refused");
  return { name: basename(path), executionId: null, record: executionRecordOf(read.execution) };
}
