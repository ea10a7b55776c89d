// The rules of samples.proto over decoded columns. Throws a Refusal that names the table, the column and the row.
import { frameKinds, frameKindNames, profileTypeNames } from "#schema/frame-kinds.ts";
import { limits } from "#schema/limits.ts";
import { encodeUtf8 } from "#core/utf8.ts";
import type { U32 } from "./column-table.ts";
import type { ContextColumns, FrameColumns, SamplesColumns, StackColumns } from "./decode-samples.ts";
import { exceed, refuse } from "./upload-problem.ts";

const notSet = 'index 0 means "not set"';

export function checkSamples({ strings, frames, stacks, contexts, samples, ...head }: SamplesColumns): void {
  checkHead(head, strings);
  checkFrames(frames, strings);
  checkStacks(stacks, frames.rows);
  checkContexts(contexts, strings);
  indices("samples.stack", samples.stack, stacks.rows, "stacks");
  indices("samples.context", samples.context, contexts.rows, "contexts");
  const halves = new Uint32Array(samples.value.buffer, samples.value.byteOffset, samples.rows * 2); // no BigInt per row
  const highMax = limits.sampleValueMax / 2 ** 32;
  for (let row = 0; row < samples.rows; row++) {
    const [low, high] = [halves[row * 2]!, halves[row * 2 + 1]!];
    if (high > highMax || (high === highMax && low > 0)) exceed(`samples.value row ${row}`, samples.value[row]!, "sampleValueMax", limits.sampleValueMax);
    if (samples.stack[row] === 0) refuse(`samples row ${row} has no stack`);
    if (samples.context[row] === 0) refuse(`samples row ${row} has no context`);
  }
}

function checkHead({ source, executionId, part, parts }: Pick<SamplesColumns, "source" | "executionId" | "part" | "parts">, strings: readonly string[]): void {
  if (source < 1 || source > 3) refuse(`source is ${source}; 1 live, 2 import and 3 walk exist`);
  if (strings[0] !== "") refuse(`strings[0] must be ""; ${notSet}`);
  if (executionId !== "" && !/^[0-9a-f]{64}$/.test(executionId)) refuse("execution_id is 64 hex digits, or empty for live samples");
  if ((executionId === "") !== (parts === 0) || part > parts || (parts > 0 && part === 0)) {
    refuse(`part ${part} of ${parts}: an execution has parts 1…n, live samples have 0 of 0`);
  }
  if (parts > limits.partsPerExecutionMax) exceed("parts", parts, "partsPerExecutionMax", limits.partsPerExecutionMax);
}

function checkFrames(frames: FrameColumns, strings: readonly string[]): void {
  const { rows, line, kind, ...texts } = frames;
  indices("frames.kind", kind, frameKindNames.length + 1, "frame kinds");
  for (const [name, column] of Object.entries(texts)) indices(`frames.${snake(name)}`, column, strings.length, "strings");
  for (const [name, column] of Object.entries({ kind, line, ...texts })) if ((column[0] ?? 0) !== 0) refuse(`frames.${snake(name)} row 0 is ${column[0]}; ${notSet}`);
  const keys = new Set<number>();
  for (let row = 1; row < rows; row++) {
    if (kind[row] === 0) refuse(`frames row ${row} has no kind; only row 0 means "not set"`);
    if (frames.name[row] === 0) refuse(`frames row ${row} has no name`);
    if (kind[row] !== frameKinds.layer.number && (frames.modulePath[row] !== 0 || frames.moduleClass[row] !== 0 || frames.modelKey[row] !== 0)) {
      refuse(`frames row ${row} has a module_path, module_class or model_key and is no layer (kind ${kind[row]}); only layer frames have them`);
    }
    if (frames.modelKey[row] !== 0) keys.add(frames.modelKey[row]!);
  }
  for (const key of keys) if (!/^[0-9a-f]{32}$/.test(strings[key]!)) refuse(`frames.model_key "${strings[key]!.slice(0, 40)}" is not 32 hex digits`);
}

function checkStacks(stacks: StackColumns, frames: number): void {
  indices("stacks.frame", stacks.frame, frames, "frames");
  let references = 0;
  for (let row = 0; row < stacks.rows; row++) {
    const depth = stacks.depth[row]!;
    if (depth > limits.stackDepthMax) exceed(`stacks row ${row}, depth`, depth, "stackDepthMax", limits.stackDepthMax);
    if (row === 0 && depth !== 0) refuse(`stacks row 0 has ${depth} frames; ${notSet}`);
    if (row > 0 && depth === 0) refuse(`stacks row ${row} is empty; only row 0 means "not set"`);
    references += depth;
  }
  if (references !== stacks.frame.length) refuse(`stacks.depth adds up to ${references} frames, stacks.frame has ${stacks.frame.length}`);
  for (let i = 0; i < stacks.frame.length; i++) if (stacks.frame[i] === 0) refuse(`stacks.frame[${i}] is 0; ${notSet}`);
}

function checkContexts({ rows, profileType, tagCount, tag, ...labels }: ContextColumns, strings: readonly string[]): void {
  indices("contexts.profile_type", profileType, profileTypeNames.length + 1, "profile types");
  for (let row = 1; row < rows; row++) if (profileType[row] === 0) refuse(`contexts row ${row} has no profile type`);
  for (const [name, column] of Object.entries(labels)) label(`contexts.${snake(name)}`, column, strings);
  label("contexts.tag", tag, strings);
  for (const [name, column] of Object.entries({ profileType, ...labels, tagCount })) {
    if ((column[0] ?? 0) !== 0) refuse(`contexts.${snake(name)} row 0 is ${column[0]}; ${notSet}`);
  }
  let tags = 0;
  for (let row = 0; row < rows; row++) {
    if (tagCount[row]! > limits.userTagsMax) exceed(`contexts row ${row}, tags`, tagCount[row]!, "userTagsMax", limits.userTagsMax);
    tags += tagCount[row]!;
  }
  if (tags !== tag.length) refuse(`contexts.tag_count adds up to ${tags} tags, contexts.tag has ${tag.length}`);
  for (let i = 0; i < tag.length; i++) if (tag[i] === 0) refuse(`contexts.tag[${i}] is 0; ${notSet}`);
}

// Names as the contract writes them: modulePath → module_path, k8sPod → k8s_pod.
function snake(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function indices(name: string, column: U32, length: number, table: string): void {
  for (let row = 0; row < column.length; row++) {
    if (column[row]! >= length) refuse(`${name} row ${row} points at ${column[row]} of ${length} ${table}`);
  }
}

function label(name: string, column: U32, strings: readonly string[]): void {
  indices(name, column, strings.length, "strings");
  // A UTF-16 unit is at most three bytes: short labels need no count.
  for (const value of new Set(column)) {
    const text = strings[value]!;
    if (text.length * 3 <= limits.labelBytesMax) continue;
    const bytes = encodeUtf8(text).length;
    if (bytes > limits.labelBytesMax) exceed(`${name} "${text.slice(0, 40)}…", bytes`, bytes, "labelBytesMax", limits.labelBytesMax);
  }
}
