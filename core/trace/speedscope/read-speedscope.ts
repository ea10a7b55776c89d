// speedscope's own JSON → Execution: all profiles of the file, evented (frames opened and closed) and sampled (stacks with weights). Times become wall-clock
// time in whole nanoseconds; the unit "none" stays a count of samples, anything else (bytes) is refused. What we exported ourselves says what it measures and what
// its frames are (core/frame-mark.ts).
import { readFrameMark, readProfileType } from "#core/frame-mark.ts";
import { err, type Result } from "#core/result.ts";
import { decodeText } from "../decode-text.ts";
import type { Execution } from "../execution.ts";
import { numberOf, objectsOf, textOf } from "../json-fields.ts";
import { codeKind } from "../mapped-address.ts";
import { OwnExport } from "../own-export.ts";
import type { Refusal } from "../refusal.ts";
import { StackExecution } from "../stack-execution.ts";
import { WholeValues } from "../whole-values.ts";
import { eventedStacks } from "./evented-stacks.ts";

export type SpeedscopeProfile = {
  type?: string;
  name?: string;
  unit?: string;
  startValue?: number;
  endValue?: number;
  samples?: number[][]; // sampled: frames of each stack, root first
  weights?: number[];
  events?: { type?: string; frame?: number; at?: number }[]; // evented: O opens a frame, C closes it
};
type SpeedscopeFile = { name?: string; lamella?: { profileType?: string }; shared?: { frames?: { name?: string; file?: string; line?: number; lamella?: object }[] }; profiles?: SpeedscopeProfile[] };

const nsOfUnit: Record<string, number> = { nanoseconds: 1, microseconds: 1e3, milliseconds: 1e6, seconds: 1e9 };
const refuse = (reason: string): Result<Execution, Refusal> => err({ reason, at: 0 });

export function readSpeedscope(bytes: Uint8Array): Result<Execution, Refusal> {
  let file: SpeedscopeFile;
  try {
    file = JSON.parse(decodeText(bytes)) as SpeedscopeFile;
  } catch (error) {
    return refuse(`a speedscope file that cannot be parsed as JSON (${(error as Error).message})`);
  }
  const profiles = objectsOf(file?.profiles);
  const units = [...new Set(profiles.map(({ unit }) => textOf(unit) || "none"))];
  if (profiles.length === 0) return refuse("a speedscope file without profiles");
  if (units.length > 1) return refuse(`a speedscope file whose profiles measure different things (${units.join(", ")}); save the one you want by itself`);
  const unit = units[0]!;
  const nsPerUnit = nsOfUnit[unit];
  if (nsPerUnit === undefined && unit !== "none") return refuse(`a speedscope file that measures ${unit}; Lamella imports time and counts of samples`);

  const execution = new StackExecution();
  const type = readProfileType(file.lamella?.profileType);
  const own = type === undefined ? undefined : new OwnExport(execution, type);
  const frames = objectsOf(file.shared?.frames).map(({ name, file: source, line, lamella }) => {
    const mark = own && readFrameMark(lamella);
    if (own && mark) return own.frame(textOf(name), mark);
    const first = Math.floor(numberOf(line));
    return execution.frame({ kind: codeKind("", textOf(source)), name: textOf(name), file: textOf(source), line: first > 0 && first < 2 ** 32 ? first : 0 });
  });
  const unknown = execution.frame({ kind: "native", name: "(unknown frame)" });
  const frameOf = (index: number | undefined) => frames[index ?? -1] ?? unknown;
  const values = new WholeValues();
  const notes = profiles.length > 1 ? [`${profiles.length} profiles of the file, merged: ${profiles.slice(0, 8).map(({ name }) => textOf(name)).join(", ")}`] : [];
  let events = 0;
  let duration = 0;
  for (const [number, profile] of profiles.entries()) {
    duration = Math.max(duration, numberOf(profile.endValue) - numberOf(profile.startValue));
    const broken = profile.type === "evented" ? addEvented(profile) : addSampled(profile);
    if (broken !== undefined) return refuse(`a speedscope file whose profile ${number + 1} ("${textOf(profile.name)}") ${broken}`);
  }
  if (own) notes.push(`Exported by Lamella for speedscope, without counts of calls: ${textOf(file.name)}`);
  else if (unit === "none") notes.push("The file gives its values no unit: they are shown as samples");
  return execution.finish({
    profileType: unit === "none" ? "samples" : "wall", events, durationNs: nsPerUnit === undefined || own ? 0 : Math.max(0, Math.round(duration * nsPerUnit)), ...own?.head(), notes: [...notes, ...values.notes()],
  });

  function add(stack: number[], weight: number): void {
    const value = values.of(stack.join(), weight * (nsPerUnit ?? 1));
    const [frames, count] = [stack.length > 0 ? stack : [unknown], unit === "none" ? value : 1];
    if (own) own.add(frames, value, count);
    else execution.add(execution.stack(frames), { value, count });
  }

  function addSampled(profile: SpeedscopeProfile): string | undefined {
    const samples = objectsOf(profile.samples);
    const weights = Array.isArray(profile.weights) ? profile.weights : [];
    if (samples.length !== weights.length) return `has ${samples.length} stacks but ${weights.length} weights`;
    const negative = weights.findIndex((weight) => !(numberOf(weight) === weight && weight >= 0));
    if (negative >= 0) return `has the weight ${weights[negative]} (row ${negative + 1})`;
    for (const [i, stack] of samples.entries()) add(Array.isArray(stack) ? stack.map(frameOf) : [], weights[i]!);
    events += samples.length;
    return undefined;
  }

  function addEvented(profile: SpeedscopeProfile): string | undefined {
    events += objectsOf(profile.events).length;
    return eventedStacks(profile, (stack, weight) => add(stack.map(frameOf), weight));
  }
}
