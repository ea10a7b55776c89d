// pprof (perftools.profiles.Profile), gzip left to the edge. Two sample types: the value, and the calls behind it. A frame is a function and one location of it;
// inlining is not known. What pprof has no field for, a frame's kind and module, stands in the function's system name, which also keeps `go tool pprof` from
// shortening C++ names: it demangles only functions whose two names are equal. Stacks carry labels for -tagfocus and -tags: the innermost module, the leaf's kind.
import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import { profileTypes } from "#schema/frame-kinds.ts";
import { frameMarkText, profileTypeText } from "../../frame-mark.ts";
import type { Frame } from "../stacks.ts";
import type { ExportSource } from "./export-source.ts";
import { hasEmptyStack, noFrames, noName, ownStacks, type ProfileTree } from "./profile-tree.ts";

const profile = { sampleType: 1, sample: 2, mapping: 3, location: 4, function: 5, stringTable: 6, timeNs: 9, durationNs: 10, periodType: 11, period: 12, comment: 13, defaultSampleType: 14 };
const int64Max = 2n ** 63n - 1n;
const stacksPerPart = 1_000;

// The parts follow one another.
export function* pprofParts(tree: ProfileTree, source: ExportSource): Generator<Uint8Array> {
  const texts = new TextNumbers();
  const type = texts.of(tree.profileType);
  const unit = texts.of(profileTypes[tree.profileType].unit === "ns" ? "nanoseconds" : "count");
  const head = new BinaryWriter();
  valueType(head, profile.sampleType, type, unit);
  valueType(head, profile.sampleType, texts.of(callsOf(tree)), texts.of("count"));
  valueType(head, profile.periodType, type, unit);
  head.tag(profile.period, WireType.Varint).int64(1); // the sums are whole: one sample stands for one
  head.tag(profile.timeNs, WireType.Varint).int64(source.fromNs);
  head.tag(profile.durationNs, WireType.Varint).int64(source.durationNs);
  head.tag(profile.defaultSampleType, WireType.Varint).int64(type);
  for (const comment of [profileTypeText(tree.profileType), source.title, ...source.notes]) head.tag(profile.comment, WireType.Varint).int64(texts.of(comment));
  yield head.finish();
  yield* sampleParts(tree, texts);
  yield* frameParts(hasEmptyStack(tree) ? [...tree.frames, emptyStack] : tree.frames, texts);
  yield* texts.table();
}

const emptyStack: Frame = { kind: "native", name: noFrames, file: "", line: 0, mapping: "", modulePath: "", moduleClass: "", modelKey: "" };

// What the counts of a profile count.
function callsOf({ profileType }: ProfileTree): string {
  return profileType === "cuda" || profileType === "cuda_launch" ? "launches" : "calls";
}

function valueType(writer: BinaryWriter, field: number, type: number, unit: number): void {
  writer.tag(field, WireType.LengthDelimited).fork();
  writer.tag(1, WireType.Varint).int64(type).tag(2, WireType.Varint).int64(unit).join();
}

function* sampleParts(tree: ProfileTree, texts: TextNumbers): Generator<Uint8Array> {
  const { frames, self, selfCount } = tree;
  const [moduleKey, kindKey] = [texts.of("module"), texts.of("kind")];
  let [writer, stacks] = [new BinaryWriter(), 0];
  for (const { node, path } of ownStacks(tree)) {
    const kind = path.length === 0 ? 0 : texts.of(frames[path.at(-1)!]!.kind);
    const module = texts.of(frames[path.findLast((frame) => frames[frame]!.modulePath !== "") ?? -1]?.modulePath ?? "");
    // A value is signed here and not in the store: what is over 2^63 − 1 stands in several samples.
    let [value, count] = [self[node]!, selfCount[node]!];
    do {
      const [part, countPart] = [value > int64Max ? int64Max : value, count > int64Max ? int64Max : count];
      writer.tag(profile.sample, WireType.LengthDelimited).fork();
      writer.tag(1, WireType.LengthDelimited).fork();
      if (path.length === 0) writer.uint32(frames.length + 1);
      for (let at = path.length - 1; at >= 0; at--) writer.uint32(path[at]! + 1);
      writer.join();
      writer.tag(2, WireType.LengthDelimited).fork().int64(part).int64(countPart).join();
      label(writer, moduleKey, module);
      label(writer, kindKey, kind);
      writer.join();
      value -= part;
      count -= countPart;
    } while (value > 0n || count > 0n);
    if (++stacks % stacksPerPart > 0) continue;
    yield writer.finish();
    writer = new BinaryWriter();
  }
  yield writer.finish();
}

function label(writer: BinaryWriter, key: number, text: number): void {
  if (text > 0) writer.tag(3, WireType.LengthDelimited).fork().tag(1, WireType.Varint).int64(key).tag(2, WireType.Varint).int64(text).join();
}

// Mappings, locations and functions; a frame's number + 1 is the id of both. The first mapping is the program that was profiled, which we do not know.
function* frameParts(frames: readonly Frame[], texts: TextNumbers): Generator<Uint8Array> {
  const mappings = new Map([["", 1]]);
  for (const { mapping } of frames) if (!mappings.has(mapping)) mappings.set(mapping, mappings.size + 1);
  const writer = new BinaryWriter();
  for (const [mapping, id] of mappings) {
    writer.tag(profile.mapping, WireType.LengthDelimited).fork().tag(1, WireType.Varint).uint64(id).tag(5, WireType.Varint).int64(texts.of(mapping || "lamella"));
    for (const has of [7, 8, 9]) writer.tag(has, WireType.Varint).bool(true); // functions, files, lines: nothing is left to look up
    writer.join();
  }
  yield writer.finish();
  for (const [number, frame] of frames.entries()) {
    const one = new BinaryWriter();
    const id = number + 1;
    one.tag(profile.location, WireType.LengthDelimited).fork().tag(1, WireType.Varint).uint64(id).tag(2, WireType.Varint).uint64(mappings.get(frame.mapping)!);
    one.tag(4, WireType.LengthDelimited).fork().tag(1, WireType.Varint).uint64(id).tag(2, WireType.Varint).int64(frame.line).join().join();
    one.tag(profile.function, WireType.LengthDelimited).fork().tag(1, WireType.Varint).uint64(id);
    for (const [field, text] of [[2, frame.name || noName], [3, frameMarkText(frame)], [4, frame.file]] as const) one.tag(field, WireType.Varint).int64(texts.of(text));
    one.tag(5, WireType.Varint).int64(frame.line).join();
    yield one.finish();
  }
}

// The string table: texts by number, 0 is "".
class TextNumbers {
  private readonly numbers = new Map<string, number>([["", 0]]);

  of(text: string): number {
    let number = this.numbers.get(text);
    if (number === undefined) this.numbers.set(text, (number = this.numbers.size));
    return number;
  }

  *table(): Generator<Uint8Array> {
    for (const text of this.numbers.keys()) yield new BinaryWriter().tag(profile.stringTable, WireType.LengthDelimited).string(text).finish();
  }
}
