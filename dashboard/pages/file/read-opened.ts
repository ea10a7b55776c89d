// A file → what is shown of it, by the same readers that the command line imports with.
import { fileKindOf } from "#core/file-view/file-kind.ts";
import { openTrace, type OpenedTrace } from "#core/file-view/file-flamegraph.ts";
import { metricRows } from "#core/file-view/metrics-rows.ts";
import { err, ok, type Result } from "#core/result.ts";
import { layerFrameName } from "#core/shape/frame-name.ts";
import { fileFormat, headBytes } from "#core/trace/file-format.ts";
import { importFile } from "#core/trace/import-file.ts";
import { reportLines } from "#core/trace/report.ts";
import { readBenchmark } from "#core/workload/read-benchmark.ts";
import { reportOf } from "#core/workload/report.ts";
import { readMetricsFile } from "#core/workload/timeseries/read-metrics-file.ts";
import { type Limit, limits } from "#schema/limits.ts";
import type { FileChunks } from "./file-chunks.ts";
import type { OpenedFile, Refused } from "./file-messages.ts";

// Below this a trace is read once; a larger one twice, so that memory does not grow with it.
const largeBytes = 128e6;
const usualGzip = 15; // how much larger traces are than their gzip
const outgrownBytes = 4 * largeBytes; // more than this out of a gzip that looked small: it is read anew, as a large one

class Outgrown extends Error {}

type Read = { readonly opened: OpenedFile; readonly trace: OpenedTrace | null };

export async function readOpened(chunks: FileChunks, smallMax = outgrownBytes): Promise<Result<Read, Refused>> {
  const { name } = chunks.file;
  const head = await chunks.upTo(headBytes);
  const { kind, ...other } = fileKindOf(head, name);
  if (kind === "benchmark") return await benchmark(chunks);
  if (kind === "metrics") return await metrics(chunks);
  if (kind === "model-tree") return refuse("A model's structure without times (model_tree.json)", "npx lamella import FILE puts it on the Models page");
  if ("refusal" in other) return refuse(other.refusal.reason, other.refusal.is === "model" ? "python -m lamella.walk --config FILE sends the model's structure" : "");
  return await trace(chunks, head, smallMax);
}

async function trace(chunks: FileChunks, head: Uint8Array, smallMax: number): Promise<Result<Read, Refused>> {
  const { name, size, lastModified } = chunks.file;
  const { door } = fileFormat(head, name);
  if (door === "nsys") return refuse("An Nsight Systems database, which a browser cannot read piece by piece", "npx lamella import FILE reads it");
  if (door === "ncu") return refuse("Nsight Compute's table of kernels, which describes kernels of another file", "npx lamella import --no-upload FILE prints it");
  const large = size > largeBytes / ((await chunks.isGzip()) ? usualGzip : 1);
  const asLarge = () => importFile(() => chunks.open(), { frameName: layerFrameName, fileName: name, large: true });
  const read = await (large ? asLarge() : importFile(() => within(chunks.open(), smallMax), { frameName: layerFrameName, fileName: name }).catch((error: unknown) => {
    if (error instanceof Outgrown) return asLarge();
    throw error;
  }));
  if (!read.ok) return refuse(read.error.reason, "");
  return ok({ opened: { kind: "trace", report: reportLines(read.value) }, trace: openTrace(read.value, name, new Date(lastModified).toISOString()) });
}

async function benchmark(chunks: FileChunks): Promise<Result<Read, Refused>> {
  const bytes = await wholeOf(chunks, "benchmarkBytesMax");
  if (!bytes.ok) return bytes;
  const read = readBenchmark(bytes.value);
  if (!read.ok) return refuse(read.error.reason, "");
  const { name } = chunks.file;
  const runs = read.value.map((workload, i) => ({
    report: reportOf(workload, { name: read.value.length === 1 ? name : `${name} #${i + 1}`, goodput: { ttftMs: null, tpotMs: null, e2eMs: null } }),
    requests: workload.requests,
  }));
  return ok({ opened: { kind: "benchmark", runs }, trace: null });
}

async function metrics(chunks: FileChunks): Promise<Result<Read, Refused>> {
  const bytes = await wholeOf(chunks, "metricsFileBytesMax");
  if (!bytes.ok) return bytes;
  const file = readMetricsFile(bytes.value);
  if (file === null || file.readings.length === 0) return refuse("It looks like engine metrics, and none are in it", "");
  return ok({ opened: { kind: "metrics", what: file.kind, readings: file.readings.length, notes: file.notes, table: metricRows(file.readings) }, trace: null });
}

async function* within(chunks: AsyncGenerator<Uint8Array>, max: number): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const chunk of chunks) {
    if ((bytes += chunk.length) > max) throw new Outgrown();
    yield chunk;
  }
}

async function wholeOf(chunks: FileChunks, limit: Limit): Promise<Result<Uint8Array, Refused>> {
  const bytes = await chunks.upTo(limits[limit] + 1);
  return bytes.length <= limits[limit] ? ok(bytes) : refuse(`More than ${limits[limit] / 2 ** 20} MiB of what is read as a whole (${limit})`, "Save a shorter run");
}

function refuse(reason: string, instead: string): { readonly ok: false; readonly error: Refused } {
  return err({ reason, instead });
}
