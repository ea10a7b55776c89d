// OTLP profiles, protobuf or JSON → Execution. Every profile of the file whose values are of the chosen type, merged; a sample without values counts one for
// each of its timestamps. Drafts before 1.8 of the schema kept stacks in another place and are refused by name.
import { decodeText } from "../decode-text.ts";
import { err, type Result } from "#core/result.ts";
import { WireError } from "#core/wire.ts";
import type { Execution } from "../execution.ts";
import { LabelCounts } from "../label-counts.ts";
import { chooseMeasure, type Measure, shownType, type ValueType } from "../measure.ts";
import { decodeMessage } from "../protobuf-message.ts";
import { messageFromJson } from "../protobuf-json.ts";
import type { Refusal } from "../refusal.ts";
import { StackExecution } from "../stack-execution.ts";
import { stackFrames } from "./dictionary-frames.ts";
import { type OtlpDictionary, type OtlpProfile, type OtlpProfiles, type OtlpResource, profilesRule, sampleRules } from "./otlp-message.ts";
import { schemaOf } from "./schema-version.ts";

type Options = { sampleType?: string | undefined };

const olderDraft = "an OTLP profile of a draft before version 1.8 of the schema (September 2025), which kept stacks elsewhere; export it again with a newer collector";

export function readOtlp(bytes: Uint8Array, options: Options = {}): Result<Execution, Refusal> {
  try {
    const schema = schemaOf(bytes);
    if (schema === undefined) return err({ reason: olderDraft, at: 0 });
    return importProfiles(decodeMessage<OtlpProfiles>(bytes, profilesRule(sampleRules[schema])), options);
  } catch (error) {
    if (error instanceof WireError) return err({ reason: `an OTLP profile that cannot be read on: ${error.message}`, at: error.at });
    throw error;
  }
}

export function readOtlpJson(bytes: Uint8Array, options: Options = {}): Result<Execution, Refusal> {
  let json: unknown;
  try {
    json = JSON.parse(decodeText(bytes));
  } catch (error) {
    return err({ reason: `OTLP profiles as JSON that cannot be parsed (${(error as Error).message})`, at: 0 });
  }
  const message = messageFromJson<OtlpProfiles>(json, profilesRule(sampleRules["1.10"]), { samples: "sample", lines: "line", values: "value" });
  return importProfiles(message, options);
}

function importProfiles({ resourceProfiles, dictionary }: OtlpProfiles, { sampleType }: Options): Result<Execution, Refusal> {
  if (dictionary === null || dictionary.stackTable.length === 0) return err({ reason: olderDraft, at: 0 });
  const text = (index: number | bigint): string => dictionary.stringTable[Number(index)] ?? "";
  const profiles = resourceProfiles.flatMap(({ scopeProfiles }) => scopeProfiles.flatMap((scope) => scope.profiles));
  const typeOf = ({ sampleType: type }: OtlpProfile): ValueType => ({ name: text(type?.typeStrindex ?? 0), unit: text(type?.unitStrindex ?? 0) });
  const types = [...new Map(profiles.map(typeOf).map((type) => [shownType(type), type])).values()];
  const chosen = chooseMeasure(types, { asked: sampleType });
  if (!chosen.ok) return err({ reason: `OTLP profiles: ${chosen.error}`, at: 0 });
  const measure = chosen.value;
  const taken = profiles.filter((profile) => shownType(typeOf(profile)) === measure.shown);
  const execution = new StackExecution();
  const stacks = stackFrames(dictionary, execution);
  const noStack = execution.frame({ kind: "native", name: "(no stack)" });
  let lost = 0;
  let events = 0;
  let firstNs = 0n;
  let lastNs = 0n;
  for (const { samples, timeUnixNano, durationNano } of taken) {
    const start = BigInt(timeUnixNano);
    if (start > 0n) {
      if (firstNs === 0n || start < firstNs) firstNs = start;
      if (start + BigInt(durationNano) > lastNs) lastNs = start + BigInt(durationNano);
    }
    for (const { stackIndex, values, timestampsUnixNano } of samples) {
      const value = values.length > 0 ? values.reduce<number>((sum, one) => sum + Number(one), 0) : timestampsUnixNano.length;
      const frames = stacks[Number(stackIndex)] ?? [];
      if (value < 0) return err({ reason: "OTLP profiles with negative values: a difference, not a recording", at: 0 });
      if (frames.length === 0) lost++;
      events++;
      execution.add(execution.stack(frames.length > 0 ? frames : [noStack]), {
        value: value * measure.nsPerUnit, count: measure.profileType === "samples" ? value : Math.max(1, timestampsUnixNano.length),
      });
    }
  }
  const notes = measureNotes(measure, types, taken[0], text, { lost, profiles: profiles.length, taken: taken.length });
  return execution.finish({
    profileType: measure.profileType, events, recordedAtNs: firstNs, durationNs: Number(lastNs - firstNs),
    notes: [...notes, ...attributesOf(taken, resourceProfiles, dictionary).notes()],
  });
}

function measureNotes(measure: Measure, types: ValueType[], first: OtlpProfile | undefined, text: (index: number | bigint) => string, seen: { lost: number; profiles: number; taken: number }): string[] {
  const notes: string[] = [];
  if (types.length > 1) notes.push(`Sample type ${measure.shown} of ${types.map(shownType).join(", ")}: ${seen.taken} of ${seen.profiles} profiles; choose another with --sample-type`);
  else if (seen.profiles > 1) notes.push(`${seen.profiles} profiles of the file, merged`);
  if (measure.profileType === "samples" && first?.periodType != null && first.period > 0) {
    notes.push(`One sample stands for ${first.period.toLocaleString("en-US")} ${text(first.periodType.unitStrindex)} of ${text(first.periodType.typeStrindex)}, as the file says`);
  }
  if (seen.lost > 0) notes.push(`Samples without a stack, kept as "(no stack)": ${seen.lost.toLocaleString("en-US")}`);
  return notes;
}

function attributesOf(profiles: readonly OtlpProfile[], resources: readonly OtlpResource[], { attributeTable, stringTable }: OtlpDictionary): LabelCounts {
  const labels = new LabelCounts();
  for (const { resource } of resources) for (const { key, value } of resource?.attributes ?? []) labels.add(key, value?.stringValue ?? "");
  for (const index of profiles.flatMap(({ samples }) => samples.flatMap((sample) => sample.attributeIndices))) {
    const attribute = attributeTable[Number(index)];
    if (attribute !== undefined) labels.add(stringTable[Number(attribute.keyStrindex)] ?? "", attribute.value?.stringValue || `#${index}`);
  }
  return labels;
}
