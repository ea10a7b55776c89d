// Profiles for tests of exports: one drawn, random ones with names that formats stumble over, and the bytes of an export as a whole.
import fc from "fast-check";
import { gzipSync } from "node:zlib";
import type { ExportSource } from "#core/flamegraph/export/export-source.ts";
import { writeExport } from "#core/flamegraph/export/write-export.ts";
import type { Frame, StackProfile } from "#core/flamegraph/stacks.ts";
import type { ExportFormat } from "#schema/export-formats.ts";
import { frameKindNames } from "#schema/frame-kinds.ts";
import { profileTreeOf } from "#test/rig/profile-tree.ts";

export const source: ExportSource = { title: "GPU time of tiny.json", fromNs: 1_700_000_000_000_000_000n, durationNs: 5_000_000_000n, notes: ["Filter: none."] };

export function exported(format: ExportFormat, profile: StackProfile): Buffer {
  return Buffer.concat([...writeExport(format, profileTreeOf(profile), source)]);
}

export const exportedText = (format: ExportFormat, profile: StackProfile): string => exported(format, profile).toString("utf8");
export const exportedGzip = (format: ExportFormat, profile: StackProfile): Buffer => gzipSync(exported(format, profile));

const empty: Frame = { kind: "native", name: "", file: "", line: 0, mapping: "", modulePath: "", moduleClass: "", modelKey: "" };

// serve > Net > Block h.0 > launch > gemm 10,000,000 ns in 1 launch · … > norm 2,000,001 in 4 · serve > load 5 in 5 · nothing 1 in 1
export const drawn: StackProfile = {
  profileType: "cuda",
  frames: [
    { ...empty, kind: "python", name: "serve", file: "serve.py", line: 12 },
    { ...empty, kind: "layer", name: "Net tiny", moduleClass: "Net", modelKey: "ab".repeat(16) },
    { ...empty, kind: "layer", name: "Block h.0", file: "net.py", line: 40, modulePath: "h.0", moduleClass: "Block", modelKey: "ab".repeat(16) },
    { ...empty, kind: "gpu_api", name: "cudaLaunchKernel", mapping: "libcudart.so.12" },
    { ...empty, kind: "gpu_kernel", name: "void gemm<float, 4>(int*)" },
    { ...empty, kind: "gpu_kernel", name: "norm" },
    { ...empty, kind: "native", name: "load" },
  ],
  stacks: [
    { frames: [0, 6], value: 5n, count: 5n },
    { frames: [0, 1, 2, 3, 5], value: 2_000_001n, count: 4n },
    { frames: [], value: 1n, count: 1n },
    { frames: [0, 1, 2, 3, 4], value: 10_000_000n, count: 1n },
  ],
};

export const hostileNames = [
  "", " ", "a;b", "a\nb", "a\r\nb", '"quoted"', "comma, comma", "=cmd|' /C calc'!A0", "+1", "-1", "@sum", "\tx", "\u0000", "\u001b[31mred", "\u0085\u2028\u2029", "\ud800", "\udc00x", "Linear 0", "x 12 34",
  "# comment", "// comment", "_[k]", "f (a.py:3)", "\\", "%s", "</script>", "κόσμε 世界 🚀", "a".repeat(16_384), "operator()<A, B>(int) const", "lamella:{}", "__proto__", "constructor",
];

const text = fc.oneof({ weight: 3, arbitrary: fc.constantFrom("a", "b", "c") }, { weight: 2, arbitrary: fc.constantFrom(...hostileNames) }, { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 12 }) });
const maybe = fc.oneof({ weight: 3, arbitrary: fc.constant("") }, { weight: 1, arbitrary: text }, { weight: 1, arbitrary: fc.constantFrom("a.py", "b (x).py", "c;d.py") });

// What a text is as UTF-8, which has no lone surrogates.
export const asUtf8 = (value: string): string => Buffer.from(value, "utf8").toString("utf8");

// No two frames that a reader may take for one: kind, name, path and file or mapping are what ours tells apart.
export const hostileProfile: fc.Arbitrary<StackProfile> = fc
  .uniqueArray(fc.record({ kind: fc.constantFrom(...frameKindNames), name: text, file: maybe, line: fc.nat(99), mapping: maybe, modulePath: maybe, moduleClass: maybe, modelKey: maybe }), {
    minLength: 1, maxLength: 12, selector: ({ kind, name, file, mapping, modulePath }) => JSON.stringify([kind, asUtf8(name) || "(no name)", asUtf8(file || mapping), asUtf8(modulePath)]),
  })
  .chain((frames) => fc.array(
    fc.record({ frames: fc.array(fc.nat(frames.length - 1), { maxLength: 7 }), value: fc.oneof(fc.bigInt(0n, 3n), fc.bigInt(0n, 2n ** 47n)), count: fc.bigInt(0n, 9n) }), { minLength: 1, maxLength: 20 },
  ).map((stacks) => ({ profileType: "cuda" as const, frames, stacks })));

// 100,000 stacks of depth 44 over 3,000 frames that share their beginnings, as those of a server do: 400,000 nodes.
export function largeProfile(stackCount = 100_000): StackProfile {
  let seed = 1;
  const next = (below: number) => (seed = (seed * 48_271) % 2_147_483_647) % below;
  const frames = Array.from({ length: 3_000 }, (_, i) => ({ ...empty, kind: frameKindNames[i % 7]!, name: `frame ${i} of a name that is as long as names are`, modulePath: i % 7 === 5 ? `model.layers.${i}` : "" }));
  const path = Array.from({ length: 44 }, () => next(frames.length));
  const stacks = Array.from({ length: stackCount }, (_, stack) => {
    for (let at = 44 - 1 - next(8); at < 44; at++) path[at] = next(frames.length);
    return { frames: path.slice(), value: BigInt(1_000 + stack), count: 1n };
  });
  return { profileType: "cuda", frames, stacks };
}
