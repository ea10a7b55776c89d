// Any profile file → Execution: what it is, is told by its first bytes, then it goes through the door of its format. Chrome traces of any size stream through;
// the others are held in memory whole, up to limits.profileFileBytesMax (protobuf: profileMessageBytesMax). The bytes come from a function, because a Chrome
// trace that turns out to hold neither kernels nor operators is read a second time for its slices.
import { limits } from "#schema/limits.ts";
import { err, type Result } from "#core/result.ts";
import type { Execution } from "./execution.ts";
import { type Door, fileFormat, headBytes, readable } from "./file-format.ts";
import { readFolded } from "./folded/read-folded.ts";
import { importLargeTrace, type ImportOptions, importTrace } from "./import-trace.ts";
import { readModelExecution } from "./mapper/read-model-execution.ts";
import { readOtlp, readOtlpJson } from "./otlp/read-otlp.ts";
import { legacyCpuWords, readLegacyCpu } from "./pprof/legacy-cpu.ts";
import { readPprof } from "./pprof/read-pprof.ts";
import { protobufKind } from "./protobuf-kind.ts";
import type { Refusal } from "./refusal.ts";
import { readRocprof } from "./rocprof/read-rocprof.ts";
import { SliceImport } from "./slices/import-slices.ts";
import { readSpeedscope } from "./speedscope/read-speedscope.ts";

export type Chunks = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
export type FileOptions = ImportOptions & {
  fileName?: string | undefined; // a hint where bytes do not tell
  large?: boolean | undefined; // a Chrome trace is read twice, seldom three times, so that memory does not grow with it
  sampleType?: string | undefined; // of a profile with several, e.g. "cpu"; default: the file's own, else the last that is time
};

const noSteps: Refusal = { reason: "it has no steps, so none of them can be imported alone; leave out --step", at: 0 };

// `open`: the file's bytes from their beginning, gzip undone, each time it is called.
export async function importFile(open: () => Chunks, options: FileOptions): Promise<Result<Execution, Refusal>> {
  const head = await readUpTo(open(), headBytes);
  const format = fileFormat(head.subarray(0, headBytes), options.fileName);
  if (format.door === "none") return err(format);
  if (format.door === "chrome") return await importChrome(open, options, format.lacking);
  if (format.door === "nsys") return err({ reason: "an SQLite database, which is read as a file and not as bytes: undo its gzip, and use the command line", at: 0 });
  if (format.door === "ncu") return err({ reason: "Nsight Compute's table of kernels, which describes kernels of an execution and is none itself", at: 0 });
  if (options.step !== undefined) return err(noSteps);
  const bound = format.door === "protobuf" ? "profileMessageBytesMax" : "profileFileBytesMax";
  const bytes = await readUpTo(open(), limits[bound] + 1);
  if (bytes.length > limits[bound]) {
    return err({ reason: `over ${limits[bound] / 2 ** 20} MiB (${bound}), the bound of its format, which must be held in memory whole; record a shorter time`, at: 0 });
  }
  return readWhole(format.door, bytes, options);
}

function readWhole(door: Exclude<Door, "chrome" | "nsys" | "ncu"> | "protobuf", bytes: Uint8Array, options: FileOptions): Result<Execution, Refusal> {
  switch (door) {
    case "pprof":
      return readPprof(bytes, options);
    case "pprof-legacy":
      return readLegacyCpu(bytes, legacyCpuWords(bytes)!);
    case "folded":
      return readFolded(bytes);
    case "otlp":
      return readOtlp(bytes, options);
    case "otlp-json":
      return readOtlpJson(bytes, options);
    case "rocprof":
      return readRocprof(bytes, options);
    case "speedscope":
      return readSpeedscope(bytes);
    case "model-execution":
      return readModelExecution(bytes);
    case "protobuf": {
      const kind = protobufKind(bytes);
      return kind === undefined ? err({ reason: `binary data of no profile format that is known. ${readable}`, at: 0 }) : readWhole(kind, bytes, options);
    }
  }
}

async function importChrome(open: () => Chunks, options: FileOptions, lacking: string | undefined): Promise<Result<Execution, Refusal>> {
  const asTrace = await (options.large === true ? importLargeTrace(open, options) : importTrace(open(), options));
  if (asTrace.ok || asTrace.error.is === "trace") return asTrace;
  const slices = new SliceImport();
  for await (const chunk of open()) slices.push(chunk);
  const asSlices = slices.finish();
  if (asSlices.ok && options.step !== undefined) return err(noSteps);
  if (asSlices.ok || (lacking === undefined && slices.hasEvents)) return asSlices;
  return lacking === undefined ? asTrace : err({ reason: lacking, at: 0 });
}

// The first bytes, at least `length` where there are as many.
async function readUpTo(chunks: Chunks, length: number): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of chunks) {
    parts.push(chunk.slice()); // a source may fill the same buffer again
    bytes += chunk.length;
    if (bytes >= length) break;
  }
  const whole = new Uint8Array(bytes);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
