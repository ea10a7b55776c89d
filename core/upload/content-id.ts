// Content ids of frames and stacks: 64-bit hashes computed by us from the canonical content, never taken from a sender. A frame id is 60 hash bits and the
// frame's kind in the low 4 bits, so hiding or filtering a kind is arithmetic. They are not secrets and collide only inside one tenant:
// 10 million stacks have a birthday risk of about 3 in a million.
//
// Two 32-bit lanes with different multipliers, mixed into each other at the end: BigInt per character would be some 30 times slower.
import type { FrameColumns, SamplesColumns, StackColumns } from "./decode-samples.ts";

export type Ids = BigUint64Array<ArrayBuffer>;

// Row i = id of frame i; row 0 ("not set") is 0.
export function frameIds(frames: FrameColumns, strings: readonly string[]): Ids {
  const words = hashStrings(strings);
  const ids = new BigUint64Array(frames.rows);
  const halves = new Uint32Array(ids.buffer);
  const lanes = new Uint32Array(2);
  for (let row = 1; row < frames.rows; row++) {
    lanes[0] = 0x9e3779b9;
    lanes[1] = 0x7f4a7c15;
    // The identity of decisions: kind, name, file, mapping, module path, model. The line is shown but not part of it.
    for (const word of [frames.name[row]!, frames.file[row]!, frames.mapping[row]!, frames.modulePath[row]!, frames.modelKey[row]!]) {
      absorb(lanes, words[word * 2]!);
      absorb(lanes, words[word * 2 + 1]!);
    }
    absorb(lanes, frames.kind[row]!);
    finish(lanes);
    halves[row * 2] = ((lanes[0]! << 4) | frames.kind[row]!) >>> 0;
    halves[row * 2 + 1] = ((lanes[1]! << 4) | (lanes[0]! >>> 28)) >>> 0;
  }
  return ids;
}

// Row i = id of stack i, from its frames' ids in order; row 0 is 0.
export function stackIds(stacks: StackColumns, frames: Ids): Ids {
  const ids = new BigUint64Array(stacks.rows);
  const halves = new Uint32Array(ids.buffer);
  const frameHalves = new Uint32Array(frames.buffer);
  const lanes = new Uint32Array(2);
  let at = 0;
  for (let row = 0; row < stacks.rows; row++) {
    const depth = stacks.depth[row]!;
    lanes[0] = 0x85ebca6b;
    lanes[1] = 0xc2b2ae35;
    for (const end = at + depth; at < end; at++) {
      const frame = stacks.frame[at]!;
      absorb(lanes, frameHalves[frame * 2]!);
      absorb(lanes, frameHalves[frame * 2 + 1]!);
    }
    if (row === 0) continue;
    absorb(lanes, depth);
    finish(lanes);
    halves[row * 2] = lanes[0]!;
    halves[row * 2 + 1] = lanes[1]!;
  }
  return ids;
}

export function contentIds(upload: SamplesColumns): { frames: Ids; stacks: Ids } {
  const frames = frameIds(upload.frames, upload.strings);
  return { frames, stacks: stackIds(upload.stacks, frames) };
}

// Two lanes per string, each string once.
function hashStrings(strings: readonly string[]): Uint32Array {
  const out = new Uint32Array(strings.length * 2);
  const lanes = new Uint32Array(2);
  for (let i = 0; i < strings.length; i++) {
    const text = strings[i]!;
    lanes[0] = 0x165667b1;
    lanes[1] = 0x27d4eb2f;
    for (let c = 0; c < text.length; c++) absorb(lanes, text.charCodeAt(c));
    absorb(lanes, text.length);
    finish(lanes);
    out[i * 2] = lanes[0]!;
    out[i * 2 + 1] = lanes[1]!;
  }
  return out;
}

function absorb(lanes: Uint32Array, word: number): void {
  let a = lanes[0]! ^ Math.imul(word, 0xcc9e2d51);
  a = Math.imul((a << 13) | (a >>> 19), 0x1b873593);
  let b = lanes[1]! ^ Math.imul(word, 0x85ebca77);
  b = Math.imul((b << 17) | (b >>> 15), 0xc2b2ae3d);
  lanes[0] = a + 0x52dce729;
  lanes[1] = b ^ (a >>> 16);
}

function finish(lanes: Uint32Array): void {
  const a = avalanche(lanes[0]! ^ avalanche(lanes[1]! + 0x38495ab5));
  lanes[1] = avalanche(lanes[1]! ^ Math.imul(a, 0x9e3779b1));
  lanes[0] = a;
}

function avalanche(value: number): number {
  let x = value;
  x = Math.imul(x ^ (x >>> 16), 0x85ebca6b);
  x = Math.imul(x ^ (x >>> 13), 0xc2b2ae35);
  return (x ^ (x >>> 16)) >>> 0;
}
