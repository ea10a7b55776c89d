// Workload → what is sent: WorkloadUpload parts, each inside the bounds of schema/limits.ts. A number the file does not give is 0 with its bit of `known` clear, so that
// nobody takes it for a measured 0.
import { create, toBinary } from "@bufbuild/protobuf";
import { WorkloadFigureSchema, WorkloadUploadSchema, type WorkloadFigure } from "#schema/gen/lamella/v1/workload_pb.ts";
import type { EngineAggregate } from "#schema/api/workloads.ts";
import { limits } from "#schema/limits.ts";
import { err, ok, type Result } from "#core/result.ts";
import { encodeUtf8 } from "#core/utf8.ts";
import { figureEntries } from "#core/workload/figures.ts";
import type { Requests } from "#core/workload/requests.ts";
import type { Workload } from "#core/workload/workload.ts";
import { knownColumns } from "./known-columns.ts";
import type { UploadProblem } from "./upload-problem.ts";

export type WorkloadHead = {
  agentVersion: string; // e.g. "lamella-cli 0.1.0"
  workloadId: string; // 64 hex digits: sha256(tenant, file bytes, number of the run in the file, options)
  name: string; // shown, e.g. the file's name
  layers?: number | undefined; // of the model
  aggregates?: readonly EngineAggregate[] | undefined;
};

const errorBytesPerPart = 1024 * 1024; // beside at most 150 bytes of numbers a request, together below bodyBytesMax

// Bodies of kind workloads, not yet gzipped.
export function encodeWorkload(workload: Workload, head: WorkloadHead): Result<Uint8Array[], UploadProblem> {
  const { tool, toolVersion, label, engine, modelName, dateText, load, requests } = workload;
  const { agentVersion, workloadId, name, layers = 0, aggregates = [] } = head;
  const labels = { agentVersion, workloadId, name, tool, toolVersion, label, engine, modelName, dateText, loadStrategy: load.strategy ?? "" };
  for (const [what, text] of Object.entries(labels)) {
    const bytes = encodeUtf8(text).length;
    if (bytes <= limits.labelBytesMax) continue;
    return err({ code: "limit_exceeded", detail: `${what} "${text.slice(0, 40)}…" has ${bytes} bytes: over the bound of ${limits.labelBytesMax} (labelBytesMax)` });
  }
  const { errors, shortened } = shortErrors(requests.errors);
  const starts = partStarts(errors);
  const notes = [...workload.notes];
  if (shortened > 0) notes.push(`Error texts longer than ${limits.nameBytesMax.toLocaleString("en-US")} bytes, their middle left out: ${shortened.toLocaleString("en-US")}`);
  const loadEntries = Object.entries(load).filter((entry): entry is [string, number] => typeof entry[1] === "number");
  const ofFirstPart = { load: figures(loadEntries), stated: figures(figureEntries(workload.stated)), computed: figures(figureEntries(workload.computed ?? {})), notes, layers, aggregates: [...aggregates] };
  return ok(starts.map((from, i) => toBinary(WorkloadUploadSchema, create(WorkloadUploadSchema, {
    ...labels, ...(i === 0 ? ofFirstPart : {}), ...rowsOf(requests, errors, from, starts[i + 1] ?? requests.n), startedAtS: BigInt(Math.floor(workload.startedAtS ?? 0)),
    part: i + 1, parts: starts.length, firstRequest: from, latencyEstimated: requests.latencyEstimated,
  }))));
}

function rowsOf(requests: Requests, allErrors: readonly string[], from: number, to: number) {
  const rows = Array.from({ length: to - from }, (_, i) => from + i);
  const whole = (column: Float64Array, row: number) => (Number.isNaN(column[row]!) ? 0 : Math.round(column[row]!));
  const us = (column: Float64Array) => rows.map((row) => BigInt(whole(column, row)));
  const usOrEmpty = (column: Float64Array) => (rows.some((row) => !Number.isNaN(column[row]!)) ? us(column) : []);
  const { gaps } = requests;
  const hasGaps = rows.some((row) => gaps.count[row]! > 0);
  const { request: spiked, atUs, gapUs } = gaps.spikes;
  const spikes = Array.from(spiked, (_, i) => i).filter((i) => spiked[i]! >= from && spiked[i]! < to && !Number.isNaN(atUs[i]!));
  const texts = new Map([["", 0]]);
  const error = rows.map((row) => {
    const text = allErrors[row]!;
    if (!texts.has(text)) texts.set(text, texts.size);
    return texts.get(text)!;
  });
  return {
    startUs: us(requests.startUs), ttftUs: us(requests.ttftUs), latencyUs: us(requests.latencyUs),
    inputTokens: rows.map((row) => whole(requests.inputTokens, row)), outputTokens: rows.map((row) => whole(requests.outputTokens, row)),
    failed: rows.map((row) => requests.failed[row] === 1), known: rows.map((row) => knownOf(requests, row)),
    clientQueueUs: usOrEmpty(requests.clientQueueUs), queueUs: usOrEmpty(requests.queueUs), prefillUs: usOrEmpty(requests.prefillUs),
    itlCount: hasGaps ? rows.map((row) => gaps.count[row]!) : [],
    itlP50Us: usOrEmpty(gaps.p50Us), itlP90Us: usOrEmpty(gaps.p90Us), itlP99Us: usOrEmpty(gaps.p99Us), itlMaxUs: usOrEmpty(gaps.maxUs),
    spikeRequest: spikes.map((i) => spiked[i]! - from), spikeAtUs: spikes.map((i) => BigInt(Math.round(atUs[i]!))), spikeGapUs: spikes.map((i) => BigInt(Math.round(gapUs[i]!))),
    ...(texts.size === 1 ? {} : { errors: [...texts.keys()], error }),
  };
}

function knownOf(requests: Requests, row: number): number {
  let known = 0;
  for (const [name, bit] of Object.entries(knownColumns)) if (!Number.isNaN(requests[name as keyof typeof knownColumns][row]!)) known |= bit;
  return known;
}

function figures(entries: readonly [string, number][]): WorkloadFigure[] {
  return entries.map(([name, value]) => create(WorkloadFigureSchema, { name, value }));
}

// First requests of the parts: a part ends at workloadRequestsPerUploadMax requests, or when its error texts would fill it. One part when there is no request.
function partStarts(errors: readonly string[]): number[] {
  const starts = [0];
  let seen = new Set<string>();
  let bytes = 0;
  errors.forEach((error, row) => {
    const added = seen.has(error) ? 0 : encodeUtf8(error).length;
    const rows = row - starts.at(-1)!;
    if (rows === limits.workloadRequestsPerUploadMax || (bytes + added > errorBytesPerPart && rows > 0)) {
      starts.push(row);
      seen = new Set();
      bytes = 0;
    }
    if (seen.has(error)) return;
    seen.add(error);
    bytes += encodeUtf8(error).length;
  });
  return starts;
}

function shortErrors(errors: readonly string[]): { errors: string[]; shortened: number } {
  const charactersMax = limits.nameBytesMax / 4; // a character has at most 4 bytes of UTF-8
  let shortened = 0;
  const short = errors.map((error) => {
    if (error.length <= charactersMax || encodeUtf8(error).length <= limits.nameBytesMax) return error;
    shortened++;
    return `${error.slice(0, charactersMax / 2 - 1)}…${error.slice(1 - charactersMax / 2)}`;
  });
  return { errors: short, shortened };
}
