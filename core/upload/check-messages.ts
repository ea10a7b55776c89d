// The small upload kinds: decoded messages checked against their bounds. Each answers null, or why the upload is refused.
import type { ExecutionUpload } from "#schema/gen/lamella/v1/execution_pb.ts";
import type { MetricsUpload } from "#schema/gen/lamella/v1/metrics_pb.ts";
import type { Sighting, SightingsUpload } from "#schema/gen/lamella/v1/sighting_pb.ts";
import { limits } from "#schema/limits.ts";
import { profileTypeNames } from "#schema/frame-kinds.ts";
import { labelsOf } from "#core/workload/prometheus/label-text.ts";
import { tooLong, tooLongIn, tooLongTogether } from "./too-long.ts";
import { outside, over, undecodable, type UploadProblem } from "./upload-problem.ts";

const hex32 = /^[0-9a-f]{32}$/;
const hex64 = /^[0-9a-f]{64}$/;
const daySeconds = 86_400;
const itself = (text: string) => text;

export function checkSightings(upload: SightingsUpload, receivedAtS: number): UploadProblem | null {
  const { source, sightings, agentVersion } = upload;
  if (source < 1 || source > 3) return undecodable(`source is ${source}; 1 live, 2 import and 3 walk exist`);
  if (sightings.length === 0) return undecodable("the upload has no sightings");
  if (sightings.length > limits.sightingsPerUploadMax) return over("sightings", sightings.length, "sightingsPerUploadMax");
  for (const [row, sighting] of sightings.entries()) {
    const problem = checkSighting(sighting, `sightings[${row}]`, receivedAtS);
    if (problem !== null) return problem;
  }
  return tooLong({ agent_version: agentVersion }, "labelBytesMax");
}

function checkSighting(sighting: Sighting, row: string, receivedAtS: number): UploadProblem | null {
  if (!hex32.test(sighting.modelKey)) return undecodable(`${row}.model_key is not 32 hex digits`);
  if (sighting.partHash !== "" && !hex64.test(sighting.partHash)) return undecodable(`${row}.part_hash is not 64 hex digits, nor empty`);
  if (sighting.runId !== "" && !hex32.test(sighting.runId)) return undecodable(`${row}.run_id is not 32 hex digits, nor empty`);
  const first = Number(sighting.firstSeenS);
  const last = Number(sighting.lastSeenS);
  if (last < first) return undecodable(`${row} was last seen (${last}) before it was first seen (${first})`);
  if (first < 0) return undecodable(`${row}.first_seen_s is ${first}, before 1970`);
  const late = atReceipt(`${row}.last_seen_s`, last, receivedAtS);
  if (late !== null) return late;
  for (const [name, rank, size] of [["tp", sighting.tpRank, sighting.tpSize], ["pp", sighting.ppRank, sighting.ppSize]] as const) {
    if (size > 65_535) return undecodable(`${row}.${name}_size is ${size}, over 65,535`);
    if (rank >= Math.max(1, size)) return undecodable(`${row}.${name}_rank is ${rank}; ranks of ${size} count from 0`);
  }
  if (sighting.ppSize > limits.pipelineStagesMax) return over(`${row}.pp_size`, sighting.ppSize, "pipelineStagesMax");
  if (sighting.userTags.length > limits.userTagsMax) return over(`${row}.user_tags`, sighting.userTags.length, "userTagsMax");
  const { servedName, nameOrPath, architecture, rootClass, ...labels } = sighting;
  const named = (texts: object) => Object.fromEntries(Object.entries(texts).flatMap(([name, value]) => (typeof value === "string" ? [[`${row}.${snake(name)}`, value]] : [])));
  return tooLong(named({ servedName, nameOrPath, architecture, rootClass }), "nameBytesMax")
    ?? tooLong(named(labels), "labelBytesMax")
    ?? tooLongIn(sighting.userTags, "labelBytesMax", (index) => `${row}.user_tags[${index}]`, itself);
}

export function checkExecution(upload: ExecutionUpload, receivedAtS: number): UploadProblem | null {
  if (!hex64.test(upload.executionId)) return undecodable("execution_id is not 64 hex digits");
  if (upload.modelKey !== "" && !hex32.test(upload.modelKey)) return undecodable("model_key is not 32 hex digits, nor empty");
  if (upload.profileType < 1 || upload.profileType > profileTypeNames.length) return undecodable(`profile_type is ${upload.profileType}; 1…${profileTypeNames.length} exist`);
  if (upload.pathSource < 0 || upload.pathSource > 3) return undecodable(`path_source is ${upload.pathSource}; 0…3 exist`);
  if (upload.parts < 1) return undecodable("parts is 0: an execution has at least one part of samples");
  if (upload.parts > limits.partsPerExecutionMax) return over("parts", upload.parts, "partsPerExecutionMax");
  if (upload.digest.length > limits.executionDigestBytesMax) return over("digest, bytes", upload.digest.length, "executionDigestBytesMax");
  if (upload.durationNs < 0n) return undecodable("duration_ns is negative");
  const { durationNs, totalValue, moduleValue, kernels, events, gaps, notes } = upload;
  for (const [name, list] of Object.entries({ gaps, notes })) if (list.length > limits.executionNotesMax) return over(name, list.length, "executionNotesMax");
  const inexact = rounded({ duration_ns: durationNs, total_value: totalValue, module_value: moduleValue, kernels, events })
    ?? gaps.map((gap, row) => rounded({ [`gaps[${row}].kernels`]: gap.kernels, [`gaps[${row}].value`]: gap.value })).find((problem) => problem !== null) ?? null;
  if (inexact !== null) return inexact;
  if (moduleValue > totalValue) return undecodable(`module_value is ${moduleValue}, more than the total_value of ${totalValue} that it is a part of`);
  const importedAt = Number(upload.importedAtS);
  if (Math.abs(importedAt - receivedAtS) > limits.sampleAgeDaysMax * daySeconds) {
    return outside("imported_at_s", importedAt, `${limits.sampleAgeDaysMax} days around ${receivedAtS}`);
  }
  return tooLong({ agent_version: upload.agentVersion }, "labelBytesMax")
    ?? tooLongTogether("name, device, model_name, gaps and notes, bytes", [upload.name, upload.device, upload.modelName, ...gaps.map(({ reason }) => reason), ...upload.notes], "executionTextBytesMax")
    ?? tooLong({ name: upload.name, device: upload.device, model_name: upload.modelName }, "nameBytesMax")
    ?? tooLongIn(gaps, "nameBytesMax", (row) => `gaps[${row}].reason`, ({ reason }) => reason)
    ?? tooLongIn(upload.notes, "nameBytesMax", (row) => `notes[${row}]`, itself);
}

function rounded(counts: Readonly<Record<string, bigint>>): UploadProblem | null {
  const [name, count] = Object.entries(counts).find(([, one]) => one > BigInt(Number.MAX_SAFE_INTEGER)) ?? [];
  return name === undefined ? null : undecodable(`${name} is ${count}; beyond 2^53 an answer would round it`);
}

export function checkMetrics(upload: MetricsUpload, receivedAtS: number): UploadProblem | null {
  const { strings } = upload;
  if (strings[0] !== "") return undecodable('strings[0] must be ""; index 0 means "not set"');
  const series = upload.seriesMetric.length;
  if (strings.length > limits.stringsPerUploadMax) return over("strings", strings.length, "stringsPerUploadMax");
  if (series > limits.samplesPerUploadMax) return over("series", series, "samplesPerUploadMax");
  const columns = {
    series_metric: upload.seriesMetric, series_engine: upload.seriesEngine, series_host_name: upload.seriesHostName, series_model_name: upload.seriesModelName,
    series_labels: upload.seriesLabels,
  };
  for (const [name, column] of Object.entries(columns)) {
    if (column.length !== series) return undecodable(`${name} has ${column.length} rows where series_metric has ${series}`);
    const row = column.findIndex((index) => index >= strings.length);
    if (row >= 0) return undecodable(`${name} row ${row} points at ${column[row]} of ${strings.length} strings`);
  }
  const nameless = upload.seriesMetric.indexOf(0);
  if (nameless >= 0) return undecodable(`series_metric row ${nameless} has no metric`);
  const unlabelled = [...new Set(upload.seriesLabels)].find((index) => labelsOf(strings[index]!) === null); // each text once: many series may point at one long text
  if (unlabelled !== undefined) return undecodable(`strings[${unlabelled}], labels of a series, is "${strings[unlabelled]!.slice(0, 40)}", not "k=v,k=v" with % , = in keys and values written %25 %2C %3D`);
  const points = upload.pointSeries.length;
  if (points > limits.samplesPerUploadMax) return over("points", points, "samplesPerUploadMax");
  if (upload.pointTimeS.length !== points || upload.pointValue.length !== points) return undecodable("point_series, point_time_s and point_value have different lengths");
  const base = Number(upload.baseTimeS);
  for (let row = 0; row < points; row++) {
    if (upload.pointSeries[row]! >= series) return undecodable(`point_series row ${row} points at ${upload.pointSeries[row]} of ${series} series`);
    const late = atReceipt(`point row ${row}`, base + Number(upload.pointTimeS[row]!), receivedAtS);
    if (late !== null) return late;
    // One of them would be the sum, the average and the maximum of its hour.
    const value = upload.pointValue[row]!;
    if (!Number.isFinite(value)) return undecodable(`point_value row ${row} is ${value}; leave out what is no finite number`);
    if (Math.abs(value) > limits.measuredValueMax) return over(`point_value row ${row}`, value, "measuredValueMax");
  }
  return tooLong({ agent_version: upload.agentVersion }, "labelBytesMax") ?? tooLongIn(strings, "nameBytesMax", (row) => `strings[${row}]`, itself);
}

// What is measured now must be from now: agents spool a few days at most.
function atReceipt(what: string, at: number, receivedAtS: number): UploadProblem | null {
  const earliest = receivedAtS - limits.sampleAgeDaysMax * daySeconds;
  const latest = receivedAtS + limits.sampleFutureSecondsMax;
  return at >= earliest && at <= latest ? null : outside(what, at, `${earliest} to ${latest}`);
}

function snake(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
