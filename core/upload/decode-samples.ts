// SamplesUpload (schema/proto/lamella/v1/samples.proto): bytes → typed columns, everything checked. After this no index can be out of range, no
// string is over its bound and no column is ragged, so what follows needs no check of its own.
import { limits } from "#schema/limits.ts";
import { err, ok, type Result } from "#core/result.ts";
import { decodeUtf8Strict } from "#core/utf8.ts";
import { checkSamples } from "./check-samples.ts";
import { ColumnTable, type U32 } from "./column-table.ts";
import { exceed, Refusal, type UploadProblem } from "./upload-problem.ts";
import { type Field, fieldsOf, uint64Of, WireError } from "#core/wire.ts";

export type FrameColumns = { rows: number; kind: U32; name: U32; file: U32; line: U32; mapping: U32; modulePath: U32; moduleClass: U32; modelKey: U32 };
export type StackColumns = { rows: number; depth: U32; frame: U32 };
export type ContextColumns = {
  rows: number; profileType: U32; clusterName: U32; hostName: U32; exeName: U32; scriptName: U32; containerName: U32; k8sNamespace: U32;
  k8sDeployment: U32; k8sPod: U32; slurmJobId: U32; slurmJobName: U32; slurmJobUser: U32; jobTag: U32; gpuUuid: U32; gpuName: U32; threadName: U32;
  tagCount: U32; tag: U32;
};
export type SampleColumns = { rows: number; stack: U32; context: U32; timeS: Int32Array<ArrayBuffer>; value: BigUint64Array<ArrayBuffer>; count: U32; step: U32 };

export type SamplesColumns = {
  agentVersion: string;
  source: number; // 1 live, 2 import, 3 walk
  executionId: string;
  part: number;
  parts: number;
  baseTimeS: number; // Unix seconds
  strings: string[];
  frames: FrameColumns;
  stacks: StackColumns;
  contexts: ContextColumns;
  samples: SampleColumns;
};

// Columns in the order of their field numbers.
const frameColumns = ["kind", "name", "file", "line", "mapping", "module_path", "module_class", "model_key"];
const contextColumns = [
  "profile_type", "cluster_name", "host_name", "exe_name", "script_name", "container_name", "k8s_namespace", "k8s_deployment", "k8s_pod", "slurm_job_id",
  "slurm_job_name", "slurm_job_user", "job_tag", "gpu_uuid", "gpu_name", "thread_name", "tag_count",
];
const sampleColumns = ["stack", "context", "time_s", "value", "count", "step"];

export function decodeSamples(bytes: Uint8Array): Result<SamplesColumns, UploadProblem> {
  try {
    const upload = read(bytes);
    checkSamples(upload);
    return ok(upload);
  } catch (error) {
    if (error instanceof Refusal) return err(error.problem);
    if (error instanceof WireError) return err({ code: "body_undecodable", detail: `not a SamplesUpload: ${error.message} at byte ${error.at}` });
    throw error;
  }
}

function read(bytes: Uint8Array): SamplesColumns {
  const upload = { agentVersion: "", source: 0, executionId: "", part: 0, parts: 0, baseTimeS: 0, strings: [] as string[] };
  const frames = new ColumnTable("frames", frameColumns);
  const stacks = new ColumnTable("stacks", ["depth", "frame"]);
  const contexts = new ColumnTable("contexts", [...contextColumns, "tag"]);
  const samples = new ColumnTable("samples", sampleColumns, ["value"]);
  const tables = new Map([[8, frames], [9, stacks], [10, contexts], [11, samples]]);
  const number = (field: Field): number => Number(uint64Of(bytes, field));
  for (const field of fieldsOf(bytes)) {
    if (field.number === 1) upload.agentVersion = text(bytes, field, "agent_version", "labelBytesMax");
    else if (field.number === 2) upload.source = number(field);
    else if (field.number === 3) upload.executionId = text(bytes, field, "execution_id", "labelBytesMax");
    else if (field.number === 4) upload.part = number(field);
    else if (field.number === 5) upload.parts = number(field);
    else if (field.number === 6) upload.baseTimeS = Number(BigInt.asIntN(64, uint64Of(bytes, field)));
    else if (field.number === 7) {
      if (upload.strings.length >= limits.stringsPerUploadMax) exceed("strings", upload.strings.length + 1, "stringsPerUploadMax", limits.stringsPerUploadMax);
      upload.strings.push(text(bytes, field, `strings[${upload.strings.length}]`, "nameBytesMax"));
    } else tables.get(field.number)?.count(bytes, field);
  }
  const frameRows = frames.rows(frameColumns, "framesPerUploadMax");
  const stackRows = stacks.rows(["depth"], "stacksPerUploadMax");
  const contextRows = contexts.rows(contextColumns, "contextsPerUploadMax");
  const sampleRows = samples.rows(sampleColumns, "samplesPerUploadMax");
  const references = stacks.length("frame");
  if (references > limits.frameReferencesMax) exceed("stacks.frame, references", references, "frameReferencesMax", limits.frameReferencesMax);
  const tags = contexts.length("tag");
  if (tags > contextRows * limits.userTagsMax) exceed("contexts.tag, tags of all rows", tags, "userTagsMax", contextRows * limits.userTagsMax);
  for (const field of fieldsOf(bytes)) tables.get(field.number)?.fill(bytes, field);
  return {
    ...upload,
    frames: readFrames(frames, frameRows),
    stacks: { rows: stackRows, depth: stacks.uint32("depth", stackRows), frame: stacks.uint32("frame", 0) },
    contexts: readContexts(contexts, contextRows),
    samples: readSamples(samples, sampleRows),
  };
}

function text(bytes: Uint8Array, field: Field, name: string, limit: "labelBytesMax" | "nameBytesMax"): string {
  if (field.wireType !== 2) throw new WireError("text is expected here", field.start);
  if (field.end - field.start > limits[limit]) exceed(`${name}, bytes`, field.end - field.start, limit, limits[limit]);
  const value = decodeUtf8Strict(bytes.subarray(field.start, field.end));
  if (value === null) throw new WireError("text is not UTF-8", field.start);
  return value;
}

function readFrames(table: ColumnTable, rows: number): FrameColumns {
  const column = (name: string) => table.uint32(name, rows);
  return {
    rows, kind: column("kind"), name: column("name"), file: column("file"), line: column("line"), mapping: column("mapping"), modulePath: column("module_path"),
    moduleClass: column("module_class"), modelKey: column("model_key"),
  };
}

function readContexts(table: ColumnTable, rows: number): ContextColumns {
  const column = (name: string) => table.uint32(name, rows);
  return {
    rows, profileType: column("profile_type"), clusterName: column("cluster_name"), hostName: column("host_name"), exeName: column("exe_name"),
    scriptName: column("script_name"), containerName: column("container_name"), k8sNamespace: column("k8s_namespace"), k8sDeployment: column("k8s_deployment"),
    k8sPod: column("k8s_pod"), slurmJobId: column("slurm_job_id"), slurmJobName: column("slurm_job_name"), slurmJobUser: column("slurm_job_user"),
    jobTag: column("job_tag"), gpuUuid: column("gpu_uuid"), gpuName: column("gpu_name"), threadName: column("thread_name"), tagCount: column("tag_count"),
    tag: table.uint32("tag", 0),
  };
}

function readSamples(table: ColumnTable, rows: number): SampleColumns {
  return {
    rows, stack: table.uint32("stack", rows), context: table.uint32("context", rows), timeS: table.sint32("time_s", rows), value: table.uint64("value", rows),
    count: table.uint32("count", rows), step: table.uint32("step", rows),
  };
}

// Samples must lie inside [received − sampleAgeDaysMax, received + sampleFutureSecondsMax]. Judged against the time of receipt, so that a retry a day later
// judges the same.
export function checkTimes(upload: SamplesColumns, receivedAtS: number): UploadProblem | null {
  const earliest = receivedAtS - limits.sampleAgeDaysMax * 86_400;
  const latest = receivedAtS + limits.sampleFutureSecondsMax;
  const { timeS } = upload.samples;
  for (let row = 0; row < timeS.length; row++) {
    const at = upload.baseTimeS + timeS[row]!;
    if (at < earliest || at > latest) {
      const side = at < earliest ? `older than ${limits.sampleAgeDaysMax} days` : `more than ${limits.sampleFutureSecondsMax} s in the future`;
      return { code: "limit_exceeded", detail: `samples row ${row} is from Unix second ${at}, ${side}; check the clock, or import old files with \`lamella import\`` };
    }
  }
  return null;
}
