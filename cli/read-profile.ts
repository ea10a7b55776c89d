// A profile file on disk → what it is: an execution, or Nsight Compute's figures of kernels. Nothing is sent; needs no server.
import { basename } from "node:path";
import { layerFrameName } from "#core/shape/frame-name.ts";
import type { Execution } from "#core/trace/execution.ts";
import { fileFormat, headBytes } from "#core/trace/file-format.ts";
import { importFile } from "#core/trace/import-file.ts";
import { importCapture } from "#core/trace/import-trace.ts";
import { decodeText } from "#core/trace/decode-text.ts";
import type { KernelMetrics } from "#core/trace/ncu/kernel-metrics.ts";
import { readNcuCsv } from "#core/trace/ncu/read-ncu-csv.ts";
import { readNsys } from "#core/trace/nsys/read-nsys.ts";
import { err } from "#core/result.ts";
import type { Refusal } from "#core/trace/refusal.ts";
import { readMetricsFile } from "#core/workload/timeseries/read-metrics-file.ts";
import { CliError } from "./cli-error.ts";
import { checkFile, firstBytes, headOf, traceChunks } from "./trace-file.ts";

export type ReadOptions = {
  readonly sampleType?: string | undefined;
  readonly step?: number | undefined; // only what belongs to this step
  readonly captures?: readonly string[] | undefined; // files recorded while the engine captured its graphs
  readonly onRead?: ((bytes: number) => void) | undefined; // bytes of the file on disk, so far
};

export type ProfileFile = { readonly execution: Execution } | { readonly kernels: KernelMetrics[] };

export const refusedCode = "file_refused";

// Below this a trace is read once: its calls take some 60 bytes each, a tenth of their text.
const largeBytes = 128e6;
const usualGzip = 15; // how much larger traces are than their gzip

const frameName = layerFrameName;

export async function readProfile(path: string, { sampleType, step, captures: captureFiles = [], onRead }: ReadOptions = {}): Promise<ProfileFile> {
  const bytes = checkFile(path);
  const head = await firstBytes(path);
  const large = bytes > largeBytes / (head[0] === 0x1f && head[1] === 0x8b ? usualGzip : 1);
  if (Buffer.from(head).toString("latin1").startsWith("SQLite format 3")) return { execution: accepted(path, await nsysResult(path)) };
  const fileName = basename(path);
  const open = () => traceChunks(path, onRead);
  const format = await formatOf(path);
  if (format.door === "ncu") return { kernels: accepted(path, readNcuCsv(await textOf(open()))) };
  const captures = [];
  if (format.door === "none") accepted(path, err(format));
  captureFiles.forEach(checkFile);
  for (const file of captureFiles) captures.push(...accepted(file, await importCapture(traceChunks(file), { frameName })));
  return { execution: accepted(path, await importFile(open, { frameName, fileName, sampleType, step, captures, large })) };
}

async function nsysResult(path: string) {
  const { withNsysFile } = await import("./nsys-file.ts"); // Node warns of node:sqlite wherever it is loaded
  try {
    return withNsysFile(path, (source) => readNsys(source, { frameName }));
  } catch (error) {
    return { ok: false, error: { reason: `an SQLite database that cannot be read (${error instanceof Error ? error.message : String(error)})`, at: 0 } } as const;
  }
}

function accepted<T>(path: string, result: { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: Refusal }): T {
  if (result.ok) return result.value;
  const { reason, at, is } = result.error;
  const instead = is === "metrics" ? "; `lamella metrics import FILE` stores it" : is === "benchmark" ? "; `lamella import FILE` makes a workload of it" : is === "model-tree" ? "; `lamella import FILE` puts it on the Models page" : "";
  throw new CliError(`${path} is refused: ${reason}${at > 0 ? ` (at byte ${at.toLocaleString("en-US")})` : ""}${instead}.`, refusedCode);
}

async function formatOf(path: string) {
  const start = await headOf(path, headBytes);
  const format = fileFormat(start, basename(path));
  if (format.door !== "none" || format.is !== undefined) return format;
  const metrics = readMetricsFile(start); // a CSV or a log, told by its columns or lines
  return metrics === null ? format : { ...format, reason: `engine metrics (${metrics.kind}), not a profile`, is: "metrics" as const };
}

async function textOf(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const parts: Uint8Array[] = [];
  for await (const chunk of chunks) parts.push(chunk);
  return decodeText(Buffer.concat(parts));
}
