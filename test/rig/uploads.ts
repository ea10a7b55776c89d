// Upload bodies for flow tests: what a producer would send, built from drawn or random profiles. The messages are plain objects until encode(), so that a test
// can break one field of one.
import { create, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import fc from "fast-check";
import { randomBytes } from "node:crypto";
import { gzipSync } from "node:zlib";
import type { StackProfile } from "#core/flamegraph/stacks.ts";
import { canonicalShape } from "#core/shape/canonical.ts";
import { singleRank } from "#core/shape/layout.ts";
import type { ShapeLayout } from "#core/shape/part.ts";
import { encodeShape } from "#core/shape/upload/encode.ts";
import { frameKinds, profileTypes } from "#schema/frame-kinds.ts";
import type { ShapeBody } from "#schema/api/models.ts";
import { ExecutionUploadSchema } from "#schema/gen/lamella/v1/execution_pb.ts";
import { MetricsUploadSchema } from "#schema/gen/lamella/v1/metrics_pb.ts";
import { SamplesUploadSchema } from "#schema/gen/lamella/v1/samples_pb.ts";
import { ShapeUploadSchema } from "#schema/gen/lamella/v1/shape_pb.ts";
import { SightingsUploadSchema } from "#schema/gen/lamella/v1/sighting_pb.ts";
import { WorkloadUploadSchema } from "#schema/gen/lamella/v1/workload_pb.ts";
import { drawProfile, randomProfile } from "#test/rig/stacks.ts";

export const nowS = () => Math.floor(Date.now() / 1000);
export const randomId = (hexDigits: 32 | 64) => randomBytes(hexDigits / 2).toString("hex");
export const gzip = (bytes: Uint8Array, level = 6): Uint8Array<ArrayBuffer> => new Uint8Array(gzipSync(bytes, { level }));

// Columns of ContextTable by their name in the message, e.g. { hostName: "node-7" }.
export type Labels = Partial<Record<"clusterName" | "hostName" | "exeName" | "scriptName" | "containerName" | "k8sNamespace" | "k8sDeployment" | "k8sPod" | "jobTag" | "gpuName" | "threadName", string>>;

export type SamplesOptions = Labels & {
  readonly atS?: number; // Unix seconds of the first sample; default: ten seconds ago
  readonly spreadS?: number; // the samples lie evenly over so many seconds before it; default 0: all at once
  readonly tags?: readonly string[];
  readonly executionId?: string;
  readonly part?: number;
  readonly parts?: number;
};

export type SamplesMessage = ReturnType<typeof samplesMessage>;

// One sample per stack of the profile. Row 0 of every table is "not set".
export function samplesMessage(profile: StackProfile, { atS = nowS() - 10, spreadS = 0, tags = [], executionId = "", part = 0, parts = 0, ...labels }: SamplesOptions = {}) {
  const strings = [""];
  const rows = new Map([["", 0]]);
  const text = (word: string): number => {
    if (!rows.has(word)) rows.set(word, strings.push(word) - 1);
    return rows.get(word)!;
  };
  const column = <T>(all: readonly T[], pick: (one: T) => number) => [0, ...all.map(pick)];
  const { frames, stacks } = profile;
  return {
    agentVersion: "flow test 1", source: executionId === "" ? 1 : 2, executionId, part, parts, baseTimeS: BigInt(atS), strings,
    frames: {
      kind: column(frames, (one) => frameKinds[one.kind].number), name: column(frames, (one) => text(one.name)), file: column(frames, (one) => text(one.file)), line: column(frames, (one) => one.line),
      mapping: column(frames, (one) => text(one.mapping)), modulePath: column(frames, (one) => text(one.modulePath)), moduleClass: column(frames, (one) => text(one.moduleClass)), modelKey: column(frames, (one) => text(one.modelKey)),
    },
    stacks: { depth: column(stacks, (one) => one.frames.length), frame: stacks.flatMap((one) => one.frames.map((frame) => frame + 1)) },
    contexts: {
      profileType: [0, profileTypes[profile.profileType].number], tagCount: [0, tags.length], tag: tags.map(text),
      ...Object.fromEntries(Object.entries(labels).map(([name, label]) => [name, [0, text(label)]])),
    },
    samples: {
      stack: stacks.map((_, i) => i + 1), context: stacks.map(() => 1), timeS: stacks.map((_, i) => BigInt(-Math.floor((spreadS * i) / Math.max(1, stacks.length - 1)))),
      value: stacks.map((one) => one.value), count: stacks.map((one) => Number(one.count)), step: stacks.map(() => 0),
    },
  };
}

// Enum columns are plain numbers here, so that a test can write one that does not exist.
export const encodeSamples = (message: SamplesMessage): Uint8Array<ArrayBuffer> =>
  new Uint8Array(toBinary(SamplesUploadSchema, create(SamplesUploadSchema, message as unknown as MessageInitShape<typeof SamplesUploadSchema>)));
export const samplesUpload = (profile: StackProfile, options?: SamplesOptions) => encodeSamples(samplesMessage(profile, options));

// A random profile that the seed alone decides. Empty stacks never leave a producer, and only layers have a module path.
export function seededProfile(seed: number): StackProfile {
  const profile = fc.sample(randomProfile, { seed, numRuns: 20 }).find((one) => one.stacks.filter(({ frames }) => frames.length > 0).length >= 5)!;
  const frames = profile.frames.map((one) => (one.kind === "layer" ? one : { ...one, name: `${one.name}${one.modulePath}`, modulePath: "" }));
  return { ...profile, frames, stacks: profile.stacks.filter(({ frames }) => frames.length > 0) };
}

// The smallest whole profile: one stack, one sample. Different values make different uploads.
export const oneSample = (value: number): StackProfile => drawProfile(`main\nstep\ngemm:gpu_kernel\n${value}/1`);

export const valueOf = (...profiles: readonly StackProfile[]): bigint => profiles.flatMap(({ stacks }) => stacks).reduce((sum, { value }) => sum + value, 0n);

export function shapeUpload(
  body: ShapeBody, modelKey: string, stage: { readonly rank: number; readonly of: number; readonly run?: string } = { rank: 0, of: 1 }, partHash?: string, layout: ShapeLayout = { ...singleRank(), ppSize: stage.of },
): Uint8Array<ArrayBuffer> {
  const part = { agentVersion: "flow test 1", modelKey, ppRank: stage.rank, ppSize: stage.of, partHash: partHash ?? canonicalShape(body).shapeId, runId: stage.run, body, layout };
  return new Uint8Array(toBinary(ShapeUploadSchema, create(ShapeUploadSchema, encodeShape(part))));
}

type SightingInit = NonNullable<MessageInitShape<typeof SightingsUploadSchema>["sightings"]>[number];

export function sightingsUpload(...sightings: SightingInit[]): Uint8Array<ArrayBuffer> {
  const seen = { firstSeenS: BigInt(nowS() - 60), lastSeenS: BigInt(nowS() - 1), hostName: "node-7", machineId: "m1", processKey: 1n, exeName: "python3.11" };
  return new Uint8Array(toBinary(SightingsUploadSchema, create(SightingsUploadSchema, { agentVersion: "flow test 1", source: 1, sightings: sightings.map((one) => ({ ...seen, ...one })) })));
}

export function executionUpload(executionId: string, parts: number, totalValue: bigint, fields: MessageInitShape<typeof ExecutionUploadSchema> = {}): Uint8Array<ArrayBuffer> {
  const message = { agentVersion: "flow test 1", executionId, name: "drawn.json.gz", device: "a drawn device", profileType: 1, importedAtS: BigInt(nowS()), parts, totalValue, ...fields };
  return new Uint8Array(toBinary(ExecutionUploadSchema, create(ExecutionUploadSchema, message as MessageInitShape<typeof ExecutionUploadSchema>)));
}

export function workloadUpload(requests: number, fields: MessageInitShape<typeof WorkloadUploadSchema> = {}): Uint8Array<ArrayBuffer> {
  const column = <T>(of: (i: number) => T) => Array.from({ length: requests }, (_, i) => of(i));
  const message = {
    agentVersion: "flow test 1", workloadId: randomId(64), name: "drawn", engine: "vllm", modelName: "org/net", startedAtS: BigInt(nowS()), startUs: column((i) => BigInt(i * 1000)), ttftUs: column(() => 50n),
    latencyUs: column(() => 900n), inputTokens: column(() => 512), outputTokens: column(() => 128), failed: column(() => false), ...fields,
  };
  return new Uint8Array(toBinary(WorkloadUploadSchema, create(WorkloadUploadSchema, message as MessageInitShape<typeof WorkloadUploadSchema>)));
}

export function metricsUpload(points: number): Uint8Array<ArrayBuffer> {
  const column = <T>(of: (i: number) => T) => Array.from({ length: points }, (_, i) => of(i));
  const message = {
    agentVersion: "flow test 1", baseTimeS: BigInt(nowS() - points), strings: ["", "kv_cache_usage_ratio", "vllm", "node-7"], seriesMetric: [1], seriesEngine: [2], seriesHostName: [3], seriesModelName: [0], seriesLabels: [0],
    pointSeries: column(() => 0), pointTimeS: column((i) => BigInt(i)), pointValue: column((i) => i / 4),
  };
  return new Uint8Array(toBinary(MetricsUploadSchema, create(MetricsUploadSchema, message)));
}
