// One SamplesUpload of an execution while it fills up: dictionaries of its own, and a size that is never under the encoded one, so a part is closed
// before it goes over a bound.
import { create, toBinary } from "@bufbuild/protobuf";
import {
  ContextTableSchema, type FrameKind, FrameTableSchema, SamplesUploadSchema, SampleTableSchema, Source, StackTableSchema,
} from "#schema/gen/lamella/v1/samples_pb.ts";
import { frameKinds, profileTypes } from "#schema/frame-kinds.ts";
import { limits } from "#schema/limits.ts";
import type { Execution, ExecutionSample } from "#core/trace/execution.ts";
import { encodeUtf8 } from "#core/utf8.ts";

// Where the samples were taken; every label is optional and at most limits.labelBytesMax long.
export type SampleContext = {
  clusterName?: string; hostName?: string; exeName?: string; scriptName?: string; jobTag?: string; gpuName?: string;
  userTags?: readonly string[]; // "key:value"
};

// A part must fit its body bound even when gzip gains nothing; the rest is head-room for the context and the message around the tables.
const partBytesMax = Math.min(limits.bodyBytesMax, limits.inflatedBytesMax) - 256 * 1024;

// Upper bounds of encoded sizes: a row number below 2^21 takes 3 bytes.
const rowBytes = 3;
const frameBytes = 1 + 7 * rowBytes + 2; // kind, six string columns, line
const sampleBytes = 2 * rowBytes + 1 + 9 + 5 + 5; // stack, context, time, value, count, step
const stringBytes = 4; // tag and length

export class SamplesPart {
  private readonly execution: Execution;
  private readonly strings = new Map<string, number>([["", 0]]);
  private readonly frameRow = new Map<number, number>(); // frame of the execution → row
  private readonly stackRow = new Map<number, number>();
  private readonly frames = { kind: [0] as FrameKind[], name: [0], file: [0], line: [0], modulePath: [0], moduleClass: [0], modelKey: [0] };
  private readonly stacks: { depth: number[]; frame: number[] } = { depth: [0], frame: [] };
  private readonly samples = {
    stack: [] as number[], context: [] as number[], timeS: [] as bigint[], value: [] as bigint[], count: [] as number[], step: [] as number[],
  };
  private bytes = 0;

  constructor(execution: Execution) {
    this.execution = execution;
  }

  get isEmpty(): boolean {
    return this.samples.stack.length === 0;
  }

  // Adds the sample; false, with nothing changed, when it does not fit any more.
  add(sample: ExecutionSample): boolean {
    const frames = this.execution.stacks[sample.stack]!;
    const isNew = !this.stackRow.has(sample.stack);
    const newFrames = isNew ? [...new Set(frames)].filter((frame) => !this.frameRow.has(frame)) : [];
    const newStrings = new Set(newFrames.flatMap((frame) => this.words(frame)).filter((word) => !this.strings.has(word)));
    let bytes = this.bytes + sampleBytes + newFrames.length * frameBytes + (isNew ? (frames.length + 1) * rowBytes : 0);
    for (const word of newStrings) bytes += stringBytes + encodeUtf8(word).length;
    const fits =
      bytes <= partBytesMax &&
      this.samples.stack.length < limits.samplesPerUploadMax &&
      this.stacks.depth.length + (isNew ? 1 : 0) <= limits.stacksPerUploadMax &&
      this.stacks.frame.length + (isNew ? frames.length : 0) <= limits.frameReferencesMax &&
      this.frames.kind.length + newFrames.length <= limits.framesPerUploadMax &&
      this.strings.size + newStrings.size + 64 <= limits.stringsPerUploadMax; // 64: labels of the context
    if (!fits) return false;
    this.bytes = bytes;
    for (const frame of newFrames) this.addFrame(frame);
    if (isNew) this.addStack(sample.stack, frames);
    this.samples.stack.push(this.stackRow.get(sample.stack)!);
    this.samples.context.push(1);
    this.samples.timeS.push(0n);
    this.samples.value.push(BigInt(sample.value));
    this.samples.count.push(sample.count);
    this.samples.step.push(sample.step);
    return true;
  }

  encode(head: { agentVersion: string; executionId: string; part: number; parts: number; importedAtS: number }, context: SampleContext): Uint8Array {
    const { agentVersion, executionId, part, parts, importedAtS } = head;
    const label = (value: string | undefined) => [0, this.string(value ?? "")];
    const tags = (context.userTags ?? []).map((tag) => this.string(tag));
    const contexts = create(ContextTableSchema, {
      profileType: [0, profileTypes[this.execution.profileType].number],
      clusterName: label(context.clusterName), hostName: label(context.hostName), exeName: label(context.exeName), scriptName: label(context.scriptName),
      jobTag: label(context.jobTag), gpuName: label(context.gpuName), tagCount: [0, tags.length], tag: tags,
    });
    const [frames, stacks, samples] = [create(FrameTableSchema, this.frames), create(StackTableSchema, this.stacks), create(SampleTableSchema, this.samples)];
    return toBinary(SamplesUploadSchema, create(SamplesUploadSchema, {
      agentVersion, source: Source.IMPORT, executionId, part, parts, baseTimeS: BigInt(importedAtS), strings: [...this.strings.keys()],
      frames, stacks, contexts, samples,
    }));
  }

  private words(frame: number): string[] {
    const { name, file, modulePath, moduleClass, kind } = this.execution.frames[frame]!;
    return [name, file, modulePath, moduleClass, kind === "layer" ? this.execution.modelKey : ""];
  }

  private addFrame(frame: number): void {
    const { frames } = this;
    const { kind, line } = this.execution.frames[frame]!;
    const [name = 0, file = 0, modulePath = 0, moduleClass = 0, modelKey = 0] = this.words(frame).map((word) => this.string(word));
    this.frameRow.set(frame, frames.kind.length);
    frames.kind.push(frameKinds[kind].number);
    frames.name.push(name);
    frames.file.push(file);
    frames.line.push(line);
    frames.modulePath.push(modulePath);
    frames.moduleClass.push(moduleClass);
    frames.modelKey.push(modelKey);
  }

  private addStack(stack: number, frames: Uint32Array): void {
    this.stackRow.set(stack, this.stacks.depth.length);
    this.stacks.depth.push(frames.length);
    for (const frame of frames) this.stacks.frame.push(this.frameRow.get(frame)!);
  }

  private string(text: string): number {
    let row = this.strings.get(text);
    if (row === undefined) this.strings.set(text, (row = this.strings.size));
    return row;
  }
}
