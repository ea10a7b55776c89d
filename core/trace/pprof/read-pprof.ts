// pprof (profile.proto, gzip undone) → Execution: one value type of it, inlined functions as frames of their own, code without symbols by its place in the binary.
// What we exported ourselves says what it measures and what its frames are (core/frame-mark.ts).
import { type FrameMark, readFrameMarkText, readProfileTypeText } from "#core/frame-mark.ts";
import { err, type Result } from "#core/result.ts";
import { WireError } from "#core/wire.ts";
import type { ProfileTypeName } from "#schema/frame-kinds.ts";
import type { Execution } from "../execution.ts";
import { LabelCounts } from "../label-counts.ts";
import { addressFrame, codeKind, type Mapping } from "../mapped-address.ts";
import { chooseMeasure, countColumn, type Measure, shownType } from "../measure.ts";
import { OwnExport } from "../own-export.ts";
import { decodeMessage, type Integer } from "../protobuf-message.ts";
import type { Refusal } from "../refusal.ts";
import { StackExecution, type StackFrame } from "../stack-execution.ts";
import { type PprofProfile, pprofProfile, type PprofValueType } from "./pprof-message.ts";

type Texts = (index: Integer) => string;

export function readPprof(bytes: Uint8Array, { sampleType }: { sampleType?: string | undefined } = {}): Result<Execution, Refusal> {
  try {
    return importProfile(decodeMessage<PprofProfile>(bytes, pprofProfile), sampleType);
  } catch (error) {
    if (error instanceof WireError) return err({ reason: `a pprof profile that cannot be read on: ${error.message}`, at: error.at });
    throw error;
  }
}

function importProfile(profile: PprofProfile, asked: string | undefined): Result<Execution, Refusal> {
  const text = (index: Integer): string => profile.stringTable[Number(index)] ?? "";
  const named = ({ type, unit }: PprofValueType) => ({ name: text(type), unit: text(unit) });
  const types = profile.sampleType.map(named);
  const comments = profile.comment.map(text);
  const type = asked === undefined ? comments.map(readProfileTypeText).find((one) => one !== undefined) : undefined;
  if (type !== undefined) return importOwn(profile, text, comments, type);
  const chosen = chooseMeasure(types, { asked, preferred: text(profile.defaultSampleType) });
  if (!chosen.ok) return err({ reason: `a pprof profile: ${chosen.error}`, at: 0 });
  const measure = chosen.value;
  const execution = new StackExecution();
  const framesOf = locationFrames(profile, text, (frame) => execution.frame(frame));
  const counts = countColumn(types);
  let lost = 0; // samples whose locations the file does not have
  for (const [row, { locationId, value }] of profile.sample.entries()) {
    const weight = Number(value[measure.column] ?? 0) * measure.nsPerUnit;
    if (weight < 0) return err({ reason: `a pprof profile with negative values (sample ${row + 1}): the difference of two profiles, not a recording`, at: 0 });
    const frames: number[] = [];
    for (let i = locationId.length - 1; i >= 0; i--) for (const frame of framesOf.get(locationId[i]!) ?? []) frames.push(frame);
    if (frames.length === 0) {
      lost++;
      frames.push(execution.frame({ kind: "native", name: "(no stack)" }));
    }
    execution.add(execution.stack(frames), { value: weight, count: measure.profileType === "samples" ? weight : counts < 0 ? 1 : Number(value[counts] ?? 0) });
  }
  return execution.finish({
    profileType: measure.profileType, events: profile.sample.length, notes: notesOf(profile, measure, { lost, text, types: types.map(shownType) }),
    recordedAtNs: profile.timeNs > 0 ? BigInt(profile.timeNs) : 0n, durationNs: Math.max(0, Number(profile.durationNs)),
  });
}

// Its two sample types are the value and the calls behind it.
function importOwn(profile: PprofProfile, text: Texts, [, title = ""]: readonly string[], type: ProfileTypeName): Result<Execution, Refusal> {
  const execution = new StackExecution();
  const own = new OwnExport(execution, type);
  const framesOf = locationFrames(profile, text, (frame, mark) => (mark === undefined ? execution.frame(frame) : own.frame(frame.name, mark)));
  for (const [row, { locationId, value }] of profile.sample.entries()) {
    const [weight = 0, count = 0] = value.map(Number);
    if (weight < 0 || count < 0) return err({ reason: `an export of Lamella with negative values (sample ${row + 1}), which it never writes`, at: 0 });
    own.add(locationId.toReversed().flatMap((id) => framesOf.get(id) ?? []), weight, count);
  }
  return execution.finish({ ...own.head(), events: profile.sample.length, notes: [`Exported by Lamella as pprof: ${title}`], ...times(profile) });
}

function times({ timeNs, durationNs }: PprofProfile): { recordedAtNs: bigint; durationNs: number } {
  return { recordedAtNs: timeNs > 0 ? BigInt(timeNs) : 0n, durationNs: Math.max(0, Number(durationNs)) };
}

// Location id → its frames, root first.
function locationFrames(profile: PprofProfile, text: Texts, frameOf: (frame: StackFrame, mark: FrameMark | undefined) => number): Map<Integer, number[]> {
  const functions = new Map(profile.function.map((one) => [one.id, one]));
  const mappings = new Map(profile.mapping.map((one): [Integer, Mapping] => [one.id, { start: BigInt(one.start), offset: BigInt(one.offset), file: text(one.file) }]));
  const frames = new Map<Integer, number[]>();
  for (const { id, mappingId, address, line } of profile.location) {
    const mapping = mappings.get(mappingId);
    const inner = line.flatMap(({ functionId, line: number }) => {
      const found = functions.get(functionId);
      const name = found === undefined ? "" : text(found.name) || text(found.systemName);
      if (found === undefined || name === "") return [];
      const file = text(found.file);
      return [frameOf({ kind: codeKind(mapping?.file ?? "", file), name, file, line: lineOf(found.startLine, number), mapping: mapping?.file ?? "" }, readFrameMarkText(text(found.systemName)))];
    });
    frames.set(id, inner.length > 0 ? inner.reverse() : [frameOf(addressFrame(BigInt(address), mapping), undefined)]);
  }
  return frames;
}

// Where the function begins; older files have only the line that was running, which differs from sample to sample.
function lineOf(startLine: Integer, running: Integer): number {
  const line = Number(startLine) || Number(running);
  return line > 0 && line < 2 ** 32 ? line : 0;
}

function notesOf(profile: PprofProfile, measure: Measure, { lost, text, types }: { lost: number; text: Texts; types: string[] }): string[] {
  const notes: string[] = [];
  if (types.length > 1) notes.push(`Sample type ${measure.shown} of ${types.join(", ")}; choose another with --sample-type`);
  if (measure.profileType === "samples" && profile.periodType !== null && profile.period > 0) {
    notes.push(`One sample stands for ${profile.period.toLocaleString("en-US")} ${text(profile.periodType.unit)} of ${text(profile.periodType.type)}, as the file says`);
  }
  if (lost > 0) notes.push(`Samples without a stack, kept as "(no stack)": ${lost.toLocaleString("en-US")}`);
  const labels = new LabelCounts();
  for (const { label } of profile.sample) for (const { key, str, num } of label) labels.add(text(key), str === 0 ? String(num) : text(str));
  return [...notes, ...labels.notes()];
}
