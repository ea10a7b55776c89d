// Execution → what is sent: SamplesUpload parts, each inside the bounds of schema/limits.ts, and the ExecutionUpload that names their number and totals.
// Sums over all parts equal the execution's totals.
import { create, toBinary } from "@bufbuild/protobuf";
import { ExecutionUploadSchema, PathSource } from "#schema/gen/lamella/v1/execution_pb.ts";
import { profileTypes } from "#schema/frame-kinds.ts";
import { limits } from "#schema/limits.ts";
import { err, ok, type Result } from "#core/result.ts";
import type { Execution } from "#core/trace/execution.ts";
import { noKernelDetails, type KernelDetails } from "#core/trace/kernel-details.ts";
import { executionRecordBytes } from "#core/trace/execution-record.ts";
import { encodeUtf8 } from "#core/utf8.ts";
import { SamplesPart, type SampleContext } from "./samples-part.ts";
import type { UploadProblem } from "./upload-problem.ts";

export type ExecutionHead = {
  agentVersion: string; // e.g. "lamella-cli 0.1.0"
  executionId: string; // 64 hex digits: sha256(tenant, file bytes, options)
  name: string; // shown, e.g. the file's name
  importedAtS: number; // Unix seconds the samples are filed at
};

export type EncodedExecution = { parts: Uint8Array[]; execution: Uint8Array }; // bodies of kind samples, then one of kind executions; not yet gzipped

const pathSources = { none: PathSource.UNSPECIFIED, recorded: PathSource.RECORDED, aligned: PathSource.ALIGNED, inferred: PathSource.INFERRED } as const;

// `details`: what other tools know of its kernels. gpu_name is the trace's own where the caller gives none.
export function encodeExecution(execution: Execution, head: ExecutionHead, context: SampleContext, details: KernelDetails = noKernelDetails): Result<EncodedExecution, UploadProblem> {
  const gpuName = context.gpuName ?? execution.gpuNames.join(", ");
  const full = gpuName === "" ? context : { ...context, gpuName };
  const problem = labelProblem(full);
  if (problem !== undefined) return err(problem);
  const filled: SamplesPart[] = [new SamplesPart(execution)];
  for (const sample of execution.samples) {
    if (filled.at(-1)!.add(sample)) continue;
    if (!filled.at(-1)!.isEmpty) filled.push(new SamplesPart(execution));
    if (!filled.at(-1)!.add(sample)) return err(over("the names of one stack's frames do not fit into one upload", "bodyBytesMax"));
  }
  const parts = filled.length;
  if (parts > limits.partsPerExecutionMax) return err(over(`the execution needs ${parts} parts`, "partsPerExecutionMax"));
  return ok({ parts: filled.map((part, i) => part.encode({ ...head, part: i + 1, parts }, full)), execution: encodeSummary(execution, head, parts, details) });
}

function encodeSummary(execution: Execution, head: ExecutionHead, parts: number, details: KernelDetails): Uint8Array {
  const { totals } = execution;
  return toBinary(ExecutionUploadSchema, create(ExecutionUploadSchema, {
    agentVersion: head.agentVersion, executionId: head.executionId, name: head.name, device: execution.device,
    profileType: profileTypes[execution.profileType].number, pathSource: pathSources[execution.pathSource],
    modelName: execution.modelName, modelKey: execution.modelKey, recordedAtNs: execution.recordedAtNs,
    durationNs: BigInt(execution.durationNs), importedAtS: BigInt(head.importedAtS), parts,
    totalValue: BigInt(totals.value), moduleValue: BigInt(totals.moduleValue), kernels: BigInt(totals.kernels), events: BigInt(execution.events),
    gaps: execution.gaps.map((gap) => ({ reason: gap.reason, kernels: BigInt(gap.kernels), value: BigInt(gap.value) })),
    notes: execution.notes, digest: executionRecordBytes(execution, details),
  }));
}

function labelProblem({ userTags = [], ...labels }: SampleContext): UploadProblem | undefined {
  if (userTags.length > limits.userTagsMax) return over(`${userTags.length} user tags`, "userTagsMax");
  for (const [name, value] of [...Object.entries(labels), ...userTags.map((tag) => ["user tag", tag] as const)]) {
    if (name === "user tag" && !/^[^:]+:./.test(value)) return { code: "body_undecodable", detail: `user tag "${value.slice(0, 40)}" is not key:value` };
    if (encodeUtf8(value).length > limits.labelBytesMax) return over(`${name} "${value.slice(0, 40)}…" has ${encodeUtf8(value).length} bytes`, "labelBytesMax");
  }
  return undefined;
}

function over(what: string, limit: keyof typeof limits): UploadProblem {
  return { code: "limit_exceeded", detail: `${what}: over the bound of ${limits[limit]} (${limit})` };
}
