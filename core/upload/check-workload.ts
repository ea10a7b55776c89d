// One part of a workload, checked before it becomes rows: columns of one length, indices that point at something, numbers that fit the store and JSON.
import type { WorkloadFigure, WorkloadUpload } from "#schema/gen/lamella/v1/workload_pb.ts";
import { limits } from "#schema/limits.ts";
import { knownColumns } from "./known-columns.ts";
import { tooLong, tooLongIn, tooLongTogether } from "./too-long.ts";
import { outside, over, undecodable, type UploadProblem } from "./upload-problem.ts";

const hex64 = /^[0-9a-f]{64}$/;
const secondsMax = 2 ** 32 - 1; // what a DateTime column holds
const requestsMax = limits.workloadPartsMax * limits.workloadRequestsPerUploadMax;
const knownMax = Object.values(knownColumns).reduce((sum, bit) => sum + bit, 0);

// Null, or why the upload is refused.
export function checkWorkload(upload: WorkloadUpload): UploadProblem | null {
  if (!hex64.test(upload.workloadId)) return undecodable("workload_id is not 64 hex digits");
  const startedAt = Number(upload.startedAtS);
  if (startedAt < 0 || startedAt > secondsMax) return outside("started_at_s", startedAt, `0 to ${secondsMax}`);
  const { agentVersion, name, engine, modelName, tool, toolVersion, label, dateText, loadStrategy } = upload;
  const labels = { agent_version: agentVersion, name, engine, model_name: modelName, tool, tool_version: toolVersion, label, date_text: dateText, load_strategy: loadStrategy };
  return checkPart(upload) ?? checkColumns(upload) ?? checkErrors(upload) ?? checkSpikes(upload) ?? checkFigures(upload) ?? tooLong(labels, "labelBytesMax")
    ?? tooLongIn(upload.notes, "nameBytesMax", (row) => `notes[${row}]`, (note) => note)
    ?? tooLongIn(upload.errors, "nameBytesMax", (row) => `errors[${row}]`, (error) => error);
}

function checkPart({ part, parts, firstRequest, startUs }: WorkloadUpload): UploadProblem | null {
  if (parts > limits.workloadPartsMax) return over("parts", parts, "workloadPartsMax");
  const isWhole = part === 0 && parts === 0;
  if (!isWhole && (part < 1 || part > parts)) return undecodable(`part is ${part} of ${parts}; parts count from 1, and 0 of 0 is the whole workload`);
  if (part <= 1 && firstRequest !== 0) return undecodable(`first_request is ${firstRequest} in part ${part}; requests count from 0`);
  if (firstRequest + startUs.length > requestsMax) return undecodable(`first_request is ${firstRequest}: more than ${requestsMax} requests`);
  return null;
}

function checkColumns(upload: WorkloadUpload): UploadProblem | null {
  const requests = upload.startUs.length;
  if (requests > limits.samplesPerUploadMax) return over("requests", requests, "samplesPerUploadMax");
  const times = { start_us: upload.startUs, ttft_us: upload.ttftUs, latency_us: upload.latencyUs };
  const always = { ...times, input_tokens: upload.inputTokens, output_tokens: upload.outputTokens, failed: upload.failed };
  for (const [name, column] of Object.entries(always)) if (column.length !== requests) return undecodable(`${name} has ${column.length} rows where start_us has ${requests}`);
  const gaps = { itl_p50_us: upload.itlP50Us, itl_p90_us: upload.itlP90Us, itl_p99_us: upload.itlP99Us, itl_max_us: upload.itlMaxUs };
  const durations = { client_queue_us: upload.clientQueueUs, queue_us: upload.queueUs, prefill_us: upload.prefillUs, ...gaps };
  for (const [name, column] of Object.entries({ known: upload.known, itl_count: upload.itlCount, ...durations })) {
    if (column.length !== 0 && column.length !== requests) return undecodable(`${name} has ${column.length} rows where start_us has ${requests}; it may also be empty`);
  }
  for (const [name, column] of Object.entries(gaps)) if (column.length !== 0 && upload.itlCount.length === 0) return undecodable(`${name} is there without itl_count`);
  const strange = upload.known.findIndex((known) => known > knownMax);
  if (strange >= 0) return undecodable(`known row ${strange} is ${upload.known[strange]}; its bits add up to ${knownMax}`);
  return firstOf(Object.entries({ ...times, ...durations, spike_at_us: upload.spikeAtUs, spike_gap_us: upload.spikeGapUs }), ([name, column]) => {
    const row = column.findIndex((us) => us > limits.requestMicrosecondsMax);
    return row < 0 ? null : over(`${name} row ${row}`, Number(column[row]), "requestMicrosecondsMax");
  });
}

function checkErrors({ errors, error, startUs }: WorkloadUpload): UploadProblem | null {
  if (error.length === 0 && errors.length === 0) return null;
  if (errors[0] !== "") return undecodable('errors[0] must be ""; index 0 means "none given"');
  if (errors.length > limits.stringsPerUploadMax) return over("errors", errors.length, "stringsPerUploadMax");
  if (error.length !== startUs.length) return undecodable(`error has ${error.length} rows where start_us has ${startUs.length}`);
  const row = error.findIndex((index) => index >= errors.length);
  return row < 0 ? null : undecodable(`error row ${row} points at ${error[row]} of ${errors.length} errors`);
}

function checkSpikes({ spikeRequest, spikeAtUs, spikeGapUs, startUs }: WorkloadUpload): UploadProblem | null {
  if (spikeAtUs.length !== spikeRequest.length || spikeGapUs.length !== spikeRequest.length) return undecodable("spike_request, spike_at_us and spike_gap_us have different lengths");
  const counts = new Uint32Array(startUs.length);
  for (const [row, request] of spikeRequest.entries()) {
    if (request >= startUs.length) return undecodable(`spike_request row ${row} points at ${request} of ${startUs.length} requests`);
    if (++counts[request]! > limits.itlSpikesPerRequestMax) return over(`spikes of request ${request}`, counts[request]!, "itlSpikesPerRequestMax");
  }
  return null;
}

function checkFigures({ load, stated, computed, aggregates, notes }: WorkloadUpload): UploadProblem | null {
  if (notes.length > limits.workloadNotesMax) return over("notes", notes.length, "workloadNotesMax");
  for (const [what, figures] of Object.entries({ load, stated, computed, aggregates })) {
    if (figures.length > limits.workloadFiguresMax) return over(what, figures.length, "workloadFiguresMax");
  }
  const wrong = (what: string, value: number) => {
    if (!Number.isFinite(value)) return undecodable(`${what} is ${value}; leave out what is no finite number`);
    return Math.abs(value) > limits.measuredValueMax ? over(what, value, "measuredValueMax") : null;
  };
  const figure = (what: string, { name, value }: WorkloadFigure) => {
    if (name.endsWith(".n") && !Number.isSafeInteger(value)) return undecodable(`${what} (${name.slice(0, 40)}) is ${value}; it counts values`);
    // Only a rate may be infinite: requests all at once.
    return (what.startsWith("load") && name === "requestsPerS" && value === Infinity ? null : wrong(what, value)) ?? tooLong({ [`${what}.name`]: name }, "labelBytesMax");
  };
  const ofList = (what: string, list: readonly WorkloadFigure[]) => firstOf(list.entries(), ([row, one]) => figure(`${what}[${row}]`, one));
  const texts = [...notes, ...[...load, ...stated, ...computed].map(({ name }) => name), ...aggregates.flatMap(({ engine, metric }) => [engine, metric])];
  return tooLongTogether("notes and names of figures, bytes", texts, "workloadTextBytesMax") ?? ofList("load", load) ?? ofList("stated", stated) ?? ofList("computed", computed)
    ?? firstOf(aggregates.entries(), ([row, one]) => wrong(`aggregates[${row}].value`, one.value) ?? wrong(`aggregates[${row}].observations`, one.observations)
      ?? tooLong({ [`aggregates[${row}].engine`]: one.engine, [`aggregates[${row}].metric`]: one.metric }, "labelBytesMax"));
}

function firstOf<T>(all: Iterable<T>, problemOf: (one: T) => UploadProblem | null): UploadProblem | null {
  for (const one of all) {
    const problem = problemOf(one);
    if (problem !== null) return problem;
  }
  return null;
}
