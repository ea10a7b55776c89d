import { describe, expect, test } from "vitest";
import { contentIds, frameIds, type Ids, stackIds } from "#core/upload/content-id.ts";
import { decodeSamples, type FrameColumns, type StackColumns } from "#core/upload/decode-samples.ts";
import { encodeUpload, smallUpload } from "#test/rig/samples-uploads.ts";

type Frame = { kind?: number; name?: string; file?: string; line?: number; mapping?: string; modulePath?: string; moduleClass?: string; modelKey?: string };

function idsOf(all: readonly Frame[]): Ids {
  const strings = [""];
  const rows = new Map([["", 0]]);
  const text = (pick: (frame: Frame) => string | undefined) =>
    Uint32Array.from([{}, ...all], (frame) => {
      const value = pick(frame) ?? "";
      if (!rows.has(value)) rows.set(value, strings.push(value) - 1);
      return rows.get(value)!;
    });
  const columns: FrameColumns = {
    rows: all.length + 1, kind: Uint32Array.from([0, ...all.map(({ kind = 5 }) => kind)]), line: Uint32Array.from([0, ...all.map(({ line = 0 }) => line)]),
    name: text(({ name }) => name ?? "gemm"), file: text(({ file }) => file), mapping: text(({ mapping }) => mapping), modulePath: text(({ modulePath }) => modulePath),
    moduleClass: text(({ moduleClass }) => moduleClass), modelKey: text(({ modelKey }) => modelKey),
  };
  return frameIds(columns, strings).slice(1);
}

function stacksOf(all: readonly (readonly number[])[], frames: Ids): Ids {
  const depth = Uint32Array.from([0, ...all.map((stack) => stack.length)]);
  const frame = new Uint32Array(depth.reduce((sum, one) => sum + one, 0));
  for (let row = 0, at = 0; row < all.length; at += all[row++]!.length) frame.set(all[row]!, at);
  const columns: StackColumns = { rows: depth.length, depth, frame };
  return stackIds(columns, frames).slice(1);
}

const id = (frame: Frame) => idsOf([frame])[0]!;

describe("what an id is made of", () => {
  // Rows of earlier versions stay in the store: these values never change.
  test("ids are stable", () => {
    const upload = decodeSamples(encodeUpload(smallUpload()));
    if (!upload.ok) throw new Error(upload.error.detail);
    const { frames, stacks } = contentIds(upload.value);
    expect([...frames].map((one) => one.toString(16))).toEqual(["0", "b8388605209c8b16", "b595078a2dbf7e25"]);
    expect([...stacks].map((one) => one.toString(16))).toEqual(["0", "c55605e9950eeb7c", "78f21fff7bdc327c"]);
  });

  test("every part of the identity counts, the line and the class do not", () => {
    const frame: Frame = { kind: 6, name: "Linear fc", file: "net.py", mapping: "lib.so", modulePath: "fc", modelKey: "0".repeat(32) };
    const changed: Frame[] = [{ kind: 7 }, { name: "Linear fd" }, { file: "net.pz" }, { mapping: "lib.sp" }, { modulePath: "fd" }, { modelKey: `${"0".repeat(31)}1` }];
    expect(new Set(idsOf([frame, ...changed.map((change) => ({ ...frame, ...change }))])).size).toBe(7);
    expect(id({ ...frame, line: 312, moduleClass: "Linear" })).toBe(id(frame));
  });

  test("the same text in another column is another frame", () => {
    expect(new Set(idsOf([{ name: "a", file: "b" }, { name: "b", file: "a" }, { name: "ab" }, { name: "a", mapping: "b" }, { name: "a", modulePath: "b" }])).size).toBe(5);
  });

  test("the kind is in the low 4 bits", () => {
    for (let kind = 1; kind <= 11; kind++) expect(id({ kind }) & 15n).toBe(BigInt(kind));
  });

  test("an id does not depend on the upload's numbering", () => {
    const [a, b] = idsOf([{ name: "a", file: "f" }, { name: "b", file: "f" }]);
    const other = idsOf([{ name: "b", file: "f" }, { name: "c" }, { name: "a", file: "f" }]);
    expect([other[0], other[2]]).toEqual([b, a]);
  });

  test("order, length and repetition of a stack count; row 0 is 0", () => {
    const frames = BigUint64Array.from([0n, ...idsOf([{ name: "a" }, { name: "b" }])]);
    const stacks = stacksOf([[1, 2], [2, 1], [1], [1, 1], [1, 1, 1], [1, 2, 1], [2]], frames);
    expect(new Set(stacks).size).toBe(7);
    expect([...stackIds({ rows: 1, depth: Uint32Array.of(0), frame: new Uint32Array() }, frames)]).toEqual([0n]);
  });
});

// Structured inputs are where weak hashes collide: numbered names, permuted stacks, inputs one bit apart. Among a million random 60-bit ids, a collision has
// probability 4·10⁻⁷.
describe("no collision", () => {
  const collisions = (ids: BigUint64Array | Uint32Array): number => {
    const sorted = ids.slice().sort();
    let same = 0;
    for (let i = 1; i < sorted.length; i++) if (sorted[i] === sorted[i - 1]) same++;
    return same;
  };

  test("among 400,000 frames with sequential, repeated and one-bit-apart names", () => {
    const sequential = Array.from({ length: 200_000 }, (_, i) => ({ name: `model.layers.${i % 1_000}.experts.${Math.floor(i / 1_000)}` }));
    const repeated = Array.from({ length: 20_000 }, (_, i) => ({ name: "a".repeat(i % 2_000).concat("b".repeat(Math.floor(i / 2_000)), "!") }));
    const pairs = Array.from({ length: 100_000 }, (_, i) => ({ name: String.fromCharCode(32 + (i % 320), 32 + Math.floor(i / 320)) }));
    const bits = Array.from({ length: 80_000 }, (_, i) => ({ name: String.fromCharCode(...Array.from({ length: 17 }, (_, bit) => 0x60 ^ ((i >> bit) & 1))) }));
    const names = new Set([...sequential, ...repeated, ...pairs, ...bits].map(({ name }) => name));
    expect(names.size).toBeGreaterThan(399_000);
    expect(collisions(idsOf([...names].map((name) => ({ name }))))).toBe(0);
  });

  test("among 600,000 stacks: permutations, every pair, and stacks one frame apart", () => {
    const frames = BigUint64Array.from([0n, ...idsOf(Array.from({ length: 400 }, (_, i) => ({ name: `f${i}` })))]);
    const permutations = (rest: number[]): number[][] => (rest.length <= 1 ? [rest] : rest.flatMap((one, i) => permutations(rest.toSpliced(i, 1)).map((tail) => [one, ...tail])));
    const orders = permutations([1, 2, 3, 4, 5, 6, 7, 8, 9]); // 362,880
    const pairs = Array.from({ length: 160_000 }, (_, i) => [1 + (i % 400), 1 + Math.floor(i / 400)]);
    const base = Array.from({ length: 200 }, (_, i) => 1 + i);
    const oneApart = Array.from({ length: 80_000 }, (_, i) => base.with(i % 200, 201 + Math.floor(i / 400)).concat(new Array(i % 400 < 200 ? 0 : 1).fill(400)));
    expect(collisions(stacksOf([...orders, ...pairs, ...oneApart], frames))).toBe(0);
  });

  // Two frame ids handed in as they are, so that nothing has mixed them before. Each 32-bit half collides as often as chance has it, n²/2³³ ≈ 14 times.
  test("among the 349,633 stacks of two ids that are one, two or three bits away from a stack", () => {
    const flips: number[][] = [[]];
    for (let a = 0; a < 128; a++) for (let b = a; b < 128; b++) for (let c = b; c < 128; c++) if ((a < b && b < c) || a === c || (a < b && b === c)) flips.push([...new Set([a, b, c])]);
    expect(flips.length).toBe(1 + 128 + (128 * 127) / 2 + (128 * 127 * 126) / 6);
    const ids = new BigUint64Array(flips.length * 2);
    flips.forEach((bits, i) => {
      ids[i * 2] = 0x0123_4567_89ab_cdefn;
      ids[i * 2 + 1] = 0xfedc_ba98_7654_3210n;
      for (const bit of bits) ids[i * 2 + (bit >> 6)]! ^= 1n << BigInt(bit & 63);
    });
    const found = stacksOf(flips.map((_, i) => [i * 2, i * 2 + 1]), ids);
    const halves = new Uint32Array(found.buffer);
    expect(collisions(found)).toBe(0);
    expect(collisions(halves.filter((_, i) => i % 2 === 0))).toBeLessThan(40);
    expect(collisions(halves.filter((_, i) => i % 2 === 1))).toBeLessThan(40);
  });
});

// One flipped bit of the input changes each output bit with probability 1/2. Over n trials the share of changes of one bit is within 0.5 ± 5·√(0.25/n).
describe("avalanche", () => {
  function shares(before: Ids, after: Ids, lowBit: number): number[] {
    const flips = new Array<number>(64 - lowBit).fill(0);
    for (let i = 0; i < before.length; i++) {
      const changed = before[i]! ^ after[i]!;
      for (let bit = lowBit; bit < 64; bit++) if ((changed >> BigInt(bit)) & 1n) flips[bit - lowBit]!++;
    }
    return flips.map((count) => count / before.length);
  }
  const expectHalf = (found: readonly number[], trials: number) => {
    const margin = 5 * Math.sqrt(0.25 / trials);
    for (const share of found) expect(Math.abs(share - 0.5)).toBeLessThan(margin);
  };

  test("frames: any bit of any character", () => {
    const names = Array.from({ length: 6_000 }, (_, i) => `void gemm_${i * 7919}<bf16, ${i % 97}>(Params)`);
    const flipped = names.map((name, i) => {
      const at = i % name.length;
      return name.slice(0, at) + String.fromCharCode(name.charCodeAt(at) ^ (1 << (i % 7))) + name.slice(at + 1);
    });
    const before = idsOf(names.map((name) => ({ name })));
    const after = idsOf(flipped.map((name) => ({ name })));
    expectHalf(shares(before, after, 4), names.length);
  });

  test("stacks: any bit of any frame, the last one included", () => {
    const trials = 6_400;
    const ids = BigUint64Array.from({ length: trials * 2 }, (_, i) => {
      const base = (BigInt(i >> 1) * 0x9e3779b97f4a7c15n) & (2n ** 64n - 1n);
      return i % 2 === 0 ? base : base ^ (1n << BigInt((i >> 1) % 64));
    });
    const pairs = Array.from({ length: trials }, (_, i) => i).map((i) => {
      const stack = [0, 2, 4, 6, 8];
      return [stack.with(i % 5, i * 2), stack.with(i % 5, i * 2 + 1)] as const;
    });
    const before = stacksOf(pairs.map(([one]) => one), ids);
    const after = stacksOf(pairs.map(([, one]) => one), ids);
    expectHalf(shares(before, after, 0), trials);
  });
});
