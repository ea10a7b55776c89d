// What other tools wrote about the same run and `lamella import` takes beside the trace: Nsight Compute's CSV, Inductor's debug folder, a forward analysis.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { limits } from "#schema/limits.ts";
import { isNestedTooDeep, nestingProblem } from "#core/json-nesting.ts";
import type { FusedKernel } from "#core/trace/inductor/read-output-code.ts";
import { readOutputCode } from "#core/trace/inductor/read-output-code.ts";
import type { KernelDetails } from "#core/trace/kernel-details.ts";
import type { KernelMetrics } from "#core/trace/ncu/kernel-metrics.ts";
import { readNcuCsv } from "#core/trace/ncu/read-ncu-csv.ts";
import type { JsonValue } from "#core/trace/read/json-value.ts";
import { CliError } from "./cli-error.ts";
import { checkFile } from "./trace-file.ts";

export type BesideOptions = {
  readonly ncu?: readonly string[] | undefined; // CSV files
  readonly inductor?: readonly string[] | undefined; // folders of TORCH_COMPILE_DEBUG, or output_code.py itself
  readonly forward?: string | undefined; // written by python -m lamella.walk --with-forward
};
export type BesideTrace = { readonly details: KernelDetails; readonly forward: JsonValue; readonly hash: string }; // hash: of all bytes read, "" = none

export function readBeside({ ncu = [], inductor = [], forward }: BesideOptions): BesideTrace {
  const hash = createHash("sha256");
  const text = (path: string): string => {
    const bytes = readFileSync(path);
    hash.update(bytes);
    return bytes.toString("utf8");
  };
  const metrics = ncu.flatMap((path): KernelMetrics[] => {
    checkFile(path);
    const read = readNcuCsv(text(path));
    if (!read.ok) throw new CliError(`${path} is refused: ${read.error.reason}.`, "file_refused");
    return read.value;
  });
  const fused = inductor.flatMap((path): FusedKernel[] => {
    const kernels = outputCodeFiles(path).flatMap((file) => readOutputCode(text(file)));
    if (kernels.length === 0) throw new CliError(`${path} has no output_code.py with kernels in it. Run the model with TORCH_COMPILE_DEBUG=1 and name the folder torch_compile_debug.`, "file_refused");
    return kernels;
  });
  const used = ncu.length + inductor.length + (forward === undefined ? 0 : 1) > 0;
  return { details: { fused, metrics }, forward: forward === undefined ? null : forwardOf(forward, text), hash: used ? hash.digest("hex") : "" };
}

function forwardOf(path: string, text: (path: string) => string): JsonValue {
  if (checkFile(path) > limits.forwardBytesMax) throw new CliError(`${path} is refused: over ${limits.forwardBytesMax.toLocaleString("en-US")} bytes (forwardBytesMax).`, "file_refused");
  const json = text(path);
  if (isNestedTooDeep(Buffer.from(json))) throw new CliError(`${path} is refused: ${nestingProblem}.`, "file_refused");
  try {
    return JSON.parse(json) as JsonValue;
  } catch (error) {
    throw new CliError(`${path} is refused: not JSON (${(error as Error).message}); write it with python -m lamella.walk --with-forward -o FILE.`, "file_refused");
  }
}

// In order of their names, so that the same folder gives the same answer.
function outputCodeFiles(path: string): string[] {
  let isFolder: boolean;
  try {
    isFolder = statSync(path).isDirectory();
  } catch {
    throw new CliError(`${path} cannot be read: there is no such folder.`, "file_unreadable");
  }
  if (!isFolder) return [path];
  return readdirSync(path, { recursive: true, encoding: "utf8" }).filter((name) => /(^|[\\/])output_code\.py$/.test(name)).sort().map((name) => join(path, name));
}
