// Files of engine metrics → the server. The same files again are sent as the same bytes, so they count once: the label import of every series finds where they were filed.
import { createHash } from "node:crypto";
import { statSync } from "node:fs";
import { hostname } from "node:os";
import { encodeMetrics } from "#core/upload/encode-metrics.ts";
import { filedReadings, type SavedFile } from "#core/workload/prometheus/filed-readings.ts";
import { readMetricsFile } from "#core/workload/timeseries/read-metrics-file.ts";
import { limits } from "#schema/limits.ts";
import type { Api } from "./api.ts";
import { CliError } from "./cli-error.ts";
import { checkFile, fileSha256, traceChunks } from "./trace-file.ts";
import { untilStored } from "./until-stored.ts";

export type MetricsImportOptions = {
  readonly host?: string | undefined; // where the engine ran; default: this machine
  readonly agentVersion: string;
  readonly progress: (line: string) => void;
};

export type MetricsImported = {
  readonly importId: string; // the label `import` of every series
  readonly kinds: readonly string[]; // what each file is
  readonly alreadyImported: boolean;
  readonly readings: number;
  readonly points: number;
  readonly firstAt: string; // as filed
  readonly lastAt: string;
  readonly moved: boolean; // filed at the time of the import, not at the file's own
  readonly ownNames: readonly string[];
  readonly notes: readonly string[];
};


// Several paths: dumps of the same engines, which together tell increases; they may be given in any order.
export async function importMetrics(api: Api, paths: string | readonly string[], options: MetricsImportOptions): Promise<MetricsImported> {
  const all = typeof paths === "string" ? [paths] : paths;
  const hostName = options.host ?? hostname();
  const read = await Promise.all(all.map(readFile));
  const importId = createHash("sha256").update([hostName, ...read.map(({ sha256 }) => sha256).sort()].join("\0")).digest("hex").slice(0, 16);
  const nowS = Math.floor(Date.now() / 1_000);
  const filed = filedReadings(read, nowS);
  if (!filed.ok) throw new CliError(`${all.join(", ")}: ${filed.error}.`, "metrics_unreadable");
  const { readings, notes } = filed.value;
  const before = await storedImport(api, importId, nowS);
  const firstFileS = Math.floor(readings[0]?.atS ?? 0);
  const shiftS = before === null ? filed.value.shiftS : before.firstS - firstFileS;
  const encoded = encodeMetrics(readings, { agentVersion: options.agentVersion, hostName, importId, shiftS });
  if (encoded.points === 0) throw new CliError(`${all.join(", ")}: no metrics in it that can be stored${[...read.flatMap(({ file }) => file.notes), ...notes, ...encoded.notes].map((note) => `; ${note}`).join("")}.`, "metrics_unreadable");
  if (before?.points !== encoded.points) {
    for (const [i, part] of encoded.parts.entries()) {
      options.progress(`sending part ${i + 1} of ${encoded.parts.length}`);
      await api.upload("metrics", part);
    }
    options.progress("waiting until it is stored");
    await untilStored("metrics file", async () => (await storedImport(api, importId, nowS))?.points === encoded.points);
  }
  return {
    importId, kinds: read.map(({ file }) => file.kind), alreadyImported: before?.points === encoded.points, readings: readings.length, points: encoded.points,
    firstAt: iso(encoded.firstS!), lastAt: iso(encoded.lastS!), moved: shiftS !== 0, ownNames: [...new Set(read.flatMap(({ file }) => file.ownNames))],
    notes: [...read.flatMap(({ file }) => file.notes), ...notes, ...encoded.notes],
  };
}

async function readFile(path: string): Promise<SavedFile & { file: NonNullable<ReturnType<typeof readMetricsFile>>; sha256: string }> {
  checkFile(path);
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of traceChunks(path)) {
    bytes += chunk.length;
    if (bytes > limits.metricsFileBytesMax) throw new CliError(`${path} has more than ${limits.metricsFileBytesMax / 2 ** 20} MiB, the bound of one file of metrics (metricsFileBytesMax); cut it into shorter ones.`, "limit_exceeded");
    chunks.push(chunk);
  }
  const file = readMetricsFile(Buffer.concat(chunks));
  if (file === null) throw new CliError(`${path} has no engine metrics: neither Prometheus text (curl http://ENGINE/metrics), nor vLLM metrics or nvidia-smi as CSV, nor a vLLM server log.`, "metrics_unreadable");
  return { file, savedAtS: Math.floor(statSync(path).mtimeMs / 1_000), sha256: await fileSha256(path) };
}

async function storedImport(api: Api, importId: string, nowS: number): Promise<{ points: number; firstS: number } | null> {
  const query = { labels: `import=${importId}`, from: "-30d", to: String(nowS + limits.sampleFutureSecondsMax + 1) };
  const { metrics } = await api.call("metrics", { query });
  if (metrics.length === 0) return null;
  return { points: metrics.reduce((sum, one) => sum + one.points, 0), firstS: Math.min(...metrics.map((one) => Date.parse(one.firstSeen))) / 1_000 };
}

function iso(seconds: number): string {
  return new Date(seconds * 1_000).toISOString();
}
