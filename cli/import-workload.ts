// A benchmark's result file → the server: each run in it a workload, in parts. Read here; what is sent are the requests' numbers and the figures, never the file.
import { createHash } from "node:crypto";
import { basename } from "node:path";
import { isNestedTooDeep, nestingProblem } from "#core/json-nesting.ts";
import { encodeWorkload } from "#core/upload/encode-workload.ts";
import { decodeUtf8 } from "#core/utf8.ts";
import { engineAggregates } from "#core/workload/engine-aggregates.ts";
import { jsonDocuments } from "#core/workload/json-documents.ts";
import { layerCountOf } from "#core/workload/layer-count.ts";
import { readBenchmark } from "#core/workload/read-benchmark.ts";
import { reportOf, type ReportOptions } from "#core/workload/report.ts";
import { readMetricsFile } from "#core/workload/timeseries/read-metrics-file.ts";
import type { Workload } from "#core/workload/workload.ts";
import type { WorkloadDetail, WorkloadReport } from "#schema/api/workloads.ts";
import type { Api } from "./api.ts";
import { CliError } from "./cli-error.ts";
import { refusedCode } from "./read-profile.ts";
import { bytesOf, fileSha256 } from "./trace-file.ts";
import { untilStored } from "./until-stored.ts";

export type WorkloadReadOptions = {
  readonly name?: string | undefined;
  readonly prometheus?: readonly string[] | undefined; // dumps of the engine: one after the run, or one before and one after
  readonly modelConfig?: string | undefined; // the model's config.json, for its number of layers
};

export type WorkloadImportOptions = WorkloadReadOptions & { readonly again?: boolean | undefined; readonly agentVersion: string; readonly progress: (line: string) => void };

export type ImportedWorkload = { readonly workloadId: string; readonly alreadyImported: boolean; readonly report: WorkloadReport };


// Needs no server.
export async function readWorkloads(path: string, options: WorkloadReadOptions): Promise<WorkloadReport[]> {
  return (await runsOf(path, options)).map(({ workload, told }) => reportOf(workload, told));
}

export async function importWorkload(api: Api, path: string, options: WorkloadImportOptions): Promise<ImportedWorkload[]> {
  const { agentVersion, progress } = options;
  const runs = await runsOf(path, options);
  const { tenant } = await api.call("me");
  const salt = JSON.stringify([await fileSha256(path), ...(await Promise.all([...(options.prometheus ?? []), ...(options.modelConfig === undefined ? [] : [options.modelConfig])].map(fileSha256))), options.again ? Date.now() : 0]);
  const imported: ImportedWorkload[] = [];
  const sent: string[] = [];
  for (const [i, { workload, told }] of runs.entries()) {
    const workloadId = createHash("sha256").update(`${tenant.id}\0${salt}\0${i}`).digest("hex");
    const known = await storedWorkload(api, workloadId);
    imported.push({ workloadId, alreadyImported: known !== null, report: known ?? reportOf(workload, told) });
    if (known !== null) continue;
    const parts = encodeWorkload(workload, { agentVersion, workloadId, ...told });
    if (!parts.ok) throw new CliError(`${path} cannot be sent: ${parts.error.detail}.`, refusedCode);
    for (const [part, body] of parts.value.entries()) {
      progress(`sending ${runs.length === 1 ? "" : `run ${i + 1} of ${runs.length}, `}part ${part + 1} of ${parts.value.length}`);
      await api.upload("workloads", body);
    }
    sent.push(workloadId);
  }
  if (sent.length > 0) progress("waiting until it is stored");
  for (const id of sent) await untilStored("workload", async () => (await storedWorkload(api, id)) !== null);
  return imported;
}

async function runsOf(path: string, { name = basename(path), prometheus = [], modelConfig }: WorkloadReadOptions): Promise<{ workload: Workload; told: ReportOptions }[]> {
  const read = readBenchmark(await bytesOf(path, "benchmarkBytesMax", "save it without the generated texts, or in shorter runs"));
  if (!read.ok) throw new CliError(`${path} is refused: ${read.error.reason}.`, refusedCode);
  const layers = modelConfig === undefined ? undefined : await layersIn(modelConfig);
  const { aggregates, notes } = engineAggregates(await Promise.all(prometheus.map(lastReading)));
  const ofSeveral = prometheus.length > 0 && read.value.length > 1 ? ["The engine's own figures are of all runs of the file together"] : [];
  return read.value.map((workload, i) => ({
    workload: { ...workload, notes: [...workload.notes, ...notes, ...ofSeveral] },
    told: { name: read.value.length === 1 ? name : `${name} #${i + 1}`, goodput: { ttftMs: null, tpotMs: null, e2eMs: null }, layers, aggregates },
  }));
}

async function lastReading(path: string) {
  const file = readMetricsFile(await bytesOf(path, "metricsFileBytesMax", "save one scrape of /metrics"));
  if (file?.kind !== "Prometheus dump") throw new CliError(`${path} is no Prometheus dump; save one with \`curl -s http://ENGINE/metrics > after.txt\`.`, "metrics_unreadable");
  const last = file.readings.at(-1);
  if (last === undefined) throw new CliError(`${path}: no metrics in it.`, "metrics_unreadable");
  return last;
}

async function layersIn(path: string): Promise<number> {
  const bytes = await bytesOf(path, "modelConfigBytesMax", "name the model's config.json");
  if (isNestedTooDeep(bytes)) throw new CliError(`${path} is refused: ${nestingProblem}.`, "config_unreadable");
  const documents = jsonDocuments(decodeUtf8(bytes));
  const layers = documents.ok ? layerCountOf(documents.value.values[0]) : undefined;
  if (layers === undefined) throw new CliError(`${path} says no number of layers (num_hidden_layers); name the model's config.json.`, "config_unreadable");
  return layers;
}

async function storedWorkload(api: Api, id: string): Promise<WorkloadDetail | null> {
  try {
    return await api.call("workload", { params: { id } });
  } catch (error) {
    if (error instanceof CliError && error.code === "not_found") return null;
    throw error;
  }
}
