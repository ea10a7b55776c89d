// SamplesUploads for tests: one small and readable, and random valid ones. Encoded by the generated encoder, so what our own decoder reads is checked against
// another implementation.
import { create, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import fc from "fast-check";
import { SamplesUploadSchema } from "#schema/gen/lamella/v1/samples_pb.ts";

export type Upload = {
  agentVersion: string; source: number; executionId: string; part: number; parts: number; baseTimeS: bigint; strings: string[];
  frames: { kind: number[]; name: number[]; file: number[]; line: number[]; mapping: number[]; modulePath: number[]; moduleClass: number[]; modelKey: number[] };
  stacks: { depth: number[]; frame: number[] };
  contexts: Record<ContextColumn, number[]>;
  samples: { stack: number[]; context: number[]; timeS: bigint[]; value: bigint[]; count: number[]; step: number[] };
};

export const labelColumns = [
  "clusterName", "hostName", "exeName", "scriptName", "containerName", "k8sNamespace", "k8sDeployment", "k8sPod", "slurmJobId", "slurmJobName", "slurmJobUser",
  "jobTag", "gpuUuid", "gpuName", "threadName",
] as const;
type ContextColumn = "profileType" | (typeof labelColumns)[number] | "tagCount" | "tag";

export function encodeUpload(upload: Upload): Uint8Array {
  return toBinary(SamplesUploadSchema, create(SamplesUploadSchema, upload as MessageInitShape<typeof SamplesUploadSchema>));
}

export const baseTimeS = 1_764_426_720; // 2025-11-29 14:32:00 UTC

const noLabels = () => Object.fromEntries(labelColumns.map((name) => [name, [] as number[]])) as Record<(typeof labelColumns)[number], number[]>;

// Two stacks below one layer, seen by one process on node-7:
//   Qwen3Attention self_attn > flash_fwd_kernel   18,432 ns in 3 launches, 600 ns in 1
//   Qwen3Attention self_attn                      2^64 − 1 ns
export function smallUpload(): Upload {
  const strings = ["", "Qwen3Attention self_attn", "model.layers.0.self_attn", "Qwen3Attention", "0123456789abcdef0123456789abcdef", "flash_fwd_kernel", "libflash.so", "node-7", "env:prod", "a:b"];
  return {
    agentVersion: "lamella-agent 0.1.0", source: 1, executionId: "", part: 0, parts: 0, baseTimeS: BigInt(baseTimeS), strings,
    frames: { kind: [0, 6, 5], name: [0, 1, 5], file: [], line: [0, 312, 0], mapping: [0, 0, 6], modulePath: [0, 2, 0], moduleClass: [0, 3, 0], modelKey: [0, 4, 0] },
    stacks: { depth: [0, 2, 1], frame: [1, 2, 1] },
    contexts: { ...noLabels(), profileType: [0, 1], hostName: [0, 7], tagCount: [0, 2], tag: [8, 9] },
    samples: { stack: [1, 1, 2], context: [1, 1, 1], timeS: [0n, -30n, 12n], value: [18_432n, 600n, 2n ** 48n], count: [3, 1, 0], step: [] },
  };
}

const word = fc.string({ unit: "grapheme", minLength: 1, maxLength: 24 });
const hex = (length: number) => fc.string({ unit: fc.constantFrom(..."0123456789abcdef"), minLength: length, maxLength: length });
const uint32 = fc.nat(0xffff_ffff);

// Rows as objects first, so that everything is consistent by construction; columns that the draw leaves out are written as empty when they hold zeros only.
export const randomUpload: fc.Arbitrary<Upload> = fc
  .record({ words: fc.uniqueArray(word, { minLength: 1, maxLength: 12 }), keys: fc.uniqueArray(hex(32), { minLength: 1, maxLength: 2 }) })
  .chain(({ words, keys }) => {
    const strings = ["", ...words, ...keys];
    const someWord = fc.integer({ min: 1, max: words.length });
    const maybeWord = fc.oneof(fc.constant(0), someWord);
    const row = (rows: number) => fc.integer({ min: 1, max: rows });
    const frame = fc.record({ kind: fc.integer({ min: 1, max: 11 }), name: someWord, file: maybeWord, line: uint32, mapping: maybeWord, modulePath: maybeWord, moduleClass: maybeWord, modelKey: fc.integer({ min: words.length + 1, max: strings.length - 1 }) });
    const context = fc.record({ profileType: fc.integer({ min: 1, max: 5 }), labels: fc.array(maybeWord, { minLength: labelColumns.length, maxLength: labelColumns.length }), tags: fc.array(someWord, { maxLength: 4 }) });
    return fc.record({
      head: fc.oneof(
        fc.record({ executionId: fc.constant(""), part: fc.constant(0), parts: fc.constant(0) }),
        hex(64).chain((executionId) => fc.integer({ min: 1, max: 1_000 }).chain((parts) => fc.integer({ min: 1, max: parts }).map((part) => ({ executionId, part, parts })))),
      ),
      agentVersion: word, source: fc.integer({ min: 1, max: 3 }), baseTimeS: fc.bigInt(0n, 2n ** 40n),
      frames: fc.array(frame, { minLength: 1, maxLength: 8 }), contexts: fc.array(context, { minLength: 1, maxLength: 4 }), sparse: fc.boolean(),
    }).chain((drawn) =>
      fc.array(fc.array(row(drawn.frames.length), { minLength: 1, maxLength: 9 }), { minLength: 1, maxLength: 6 }).chain((stacks) =>
        fc.array(
          fc.record({ stack: row(stacks.length), context: row(drawn.contexts.length), timeS: fc.bigInt(-(2n ** 31n), 2n ** 31n - 1n), value: fc.bigInt(0n, 2n ** 48n), count: uint32, step: uint32 }),
          { maxLength: 12 },
        ).map((samples) => buildUpload(strings, drawn, stacks, samples)),
      ),
    );
  });

type Drawn = {
  head: { executionId: string; part: number; parts: number }; agentVersion: string; source: number; baseTimeS: bigint; sparse: boolean;
  frames: Record<keyof Upload["frames"], number>[]; contexts: { profileType: number; labels: number[]; tags: number[] }[];
};
type Sample = { stack: number; context: number; timeS: bigint; value: bigint; count: number; step: number };

function buildUpload(strings: string[], { head, agentVersion, source, baseTimeS: base, sparse, frames, contexts }: Drawn, stacks: number[][], samples: Sample[]): Upload {
  const column = <T extends number | bigint>(values: T[]): T[] => (sparse && values.every((value) => value === 0 || value === 0n) ? [] : values);
  const isLayer = (kind: number) => kind === 6;
  const frameColumn = (name: keyof Upload["frames"], layersOnly = false) => column([0, ...frames.map((frame) => (layersOnly && !isLayer(frame.kind) ? 0 : frame[name]))]);
  return {
    agentVersion, source, ...head, baseTimeS: base, strings,
    frames: {
      kind: frameColumn("kind"), name: frameColumn("name"), file: frameColumn("file"), line: frameColumn("line"), mapping: frameColumn("mapping"),
      modulePath: frameColumn("modulePath", true), moduleClass: frameColumn("moduleClass", true), modelKey: frameColumn("modelKey", true),
    },
    stacks: { depth: [0, ...stacks.map((stack) => stack.length)], frame: stacks.flat() },
    contexts: {
      ...(Object.fromEntries(labelColumns.map((name, i) => [name, column([0, ...contexts.map(({ labels }) => labels[i]!)])])) as ReturnType<typeof noLabels>),
      profileType: [0, ...contexts.map((context) => context.profileType)], tagCount: column([0, ...contexts.map(({ tags }) => tags.length)]), tag: contexts.flatMap(({ tags }) => tags),
    },
    samples: {
      stack: samples.map(({ stack }) => stack), context: samples.map(({ context }) => context), timeS: column(samples.map(({ timeS }) => timeS)),
      value: column(samples.map(({ value }) => value)), count: column(samples.map(({ count }) => count)), step: column(samples.map(({ step }) => step)),
    },
  };
}
