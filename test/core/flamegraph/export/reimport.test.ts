// Every export, read again by the importer of its format, is the same stacks with the same values, as far as the format can hold them.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Frame, StackProfile } from "#core/flamegraph/stacks.ts";
import type { Execution } from "#core/trace/execution.ts";
import { readFolded } from "#core/trace/folded/read-folded.ts";
import { importFile } from "#core/trace/import-file.ts";
import type { ExportFormat } from "#schema/export-formats.ts";
import { accepted, stackLines } from "#test/core/trace/stacks-text.ts";
import { asUtf8, drawn, exported, hostileProfile } from "#test/rig/export-profiles.ts";

const frameName = () => "";
const reimported = async (format: ExportFormat, profile: StackProfile) => accepted(await importFile(() => [exported(format, profile)], { frameName, fileName: "x" }));
const measured = (profile: StackProfile) => fc.pre(profile.stacks.some(({ value }) => value > 0n));

// Sums by stack, a stack being what `named` makes of its frames.
function sums(entries: Iterable<readonly [readonly string[], bigint, bigint]>): [string, bigint, bigint][] {
  const all = new Map<string, [bigint, bigint]>();
  for (const [path, value, count] of entries) {
    const [before, countBefore] = all.get(JSON.stringify(path)) ?? [0n, 0n];
    all.set(JSON.stringify(path), [before + value, countBefore + count]);
  }
  return [...all].map(([path, [value, count]]): [string, bigint, bigint] => [path, value, count]).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
}

const ofProfile = ({ frames, stacks }: StackProfile, named: (frame: Frame) => string, none = "native (no frames)") =>
  stacks.map(({ frames: path, value, count }) => [path.length === 0 ? [none] : path.map((frame) => named(frames[frame]!)), value, count] as const);
const ofExecution = ({ frames, stacks, samples }: Execution, named: (frame: Execution["frames"][number]) => string) =>
  samples.map(({ stack, value, count }) => [[...stacks[stack]!].map((frame) => named(frames[frame]!)), BigInt(value), BigInt(count)] as const);
const withoutCount = ([path, value]: readonly [string[], bigint, bigint]) => [path, value, 0n] as const;
const hasValue = ([, value]: readonly [string[], bigint, bigint]) => value > 0n;

// Everything a frame keeps: an execution has no mapping and no model of its own for each.
const whole = (frame: { kind: string; name: string; file: string; mapping?: string; modulePath: string; moduleClass: string }) =>
  [frame.kind, frame.name, frame.file || (frame.mapping ?? ""), frame.modulePath, frame.moduleClass].map(asUtf8).join("|");
const wholeAsWritten = (frame: Frame) => whole({ ...frame, name: frame.name || "(no name)" });

describe("pprof", () => {
  test("keeps kinds, modules, files, lines, values, counts and times", async () => {
    const execution = await reimported("pprof", drawn);
    expect(stackLines(execution)).toEqual([
      "native:(no frames) | 1 × 1",
      "python:serve (serve.py:12) > layer:Net tiny > layer:Block h.0 (net.py:40) > gpu_api:cudaLaunchKernel (libcudart.so.12) > gpu_kernel:void gemm<float, 4>(int*) | 10000000 × 1",
      "python:serve (serve.py:12) > layer:Net tiny > layer:Block h.0 (net.py:40) > gpu_api:cudaLaunchKernel (libcudart.so.12) > gpu_kernel:norm | 2000001 × 4",
      "python:serve (serve.py:12) > native:load | 5 × 5",
    ]);
    expect(execution).toMatchObject({ profileType: "cuda", pathSource: "recorded", recordedAtNs: 1_700_000_000_000_000_000n, durationNs: 5e9, totals: { value: 12_000_007, kernels: 11, moduleValue: 12_000_001 } });
    expect(execution.modules.map(({ frame, parent, depth }) => [execution.frames[frame]!.modulePath, execution.frames[frame]!.moduleClass, parent, depth])).toEqual([["", "Net", -1, 0], ["h.0", "Block", 0, 1]]);
    expect(execution.gaps).toEqual([{ reason: "outside any module", kernels: 6, value: 6 }]);
    expect(execution.notes).toEqual(["Exported by Lamella as pprof: GPU time of tiny.json"]);
  });

  test("random stacks with hostile names", async () => {
    await fc.assert(fc.asyncProperty(hostileProfile, async (profile) => {
      measured(profile);
      const stored = ofProfile(profile, wholeAsWritten, "native|(no frames)|||").filter(([, value, count]) => value > 0n || count > 0n);
      expect(sums(ofExecution(await reimported("pprof", profile), whole))).toEqual(sums(stored));
    }), { numRuns: 200 });
  });

  test.each([["cpu", "cpu"], ["cpu_op", "cpu_op"], ["wall", "wall"], ["samples", "samples"], ["pc", "samples"], ["cuda_launch", "samples"]] as const)("%s comes back as %s", async (profileType, back) => {
    expect(await reimported("pprof", { ...drawn, profileType })).toMatchObject({ profileType: back, totals: { value: 12_000_007 } });
  });
});

describe("speedscope", () => {
  test("keeps kinds, modules, files, lines and values", async () => {
    const execution = await reimported("speedscope", drawn);
    expect(stackLines(execution).map((line) => line.replace(/ × \d+$/, ""))).toEqual(stackLines(await reimported("pprof", drawn)).map((line) => line.replace(/ × \d+$/, "")));
    expect(execution).toMatchObject({ profileType: "cuda", pathSource: "recorded", totals: { value: 12_000_007, moduleValue: 12_000_001 }, notes: ["Exported by Lamella for speedscope, without counts of calls: GPU time of tiny.json"] });
  });

  test("random stacks with hostile names, without counts", async () => {
    await fc.assert(fc.asyncProperty(hostileProfile, async (profile) => {
      measured(profile);
      const stored = ofProfile(profile, wholeAsWritten, "native|(no frames)|||").filter(hasValue).map(withoutCount);
      expect(sums(ofExecution(await reimported("speedscope", profile), whole).map(withoutCount))).toEqual(sums(stored));
    }), { numRuns: 200 });
  });
});

describe("folded", () => {
  // The rule of docs/exports.md, one character at a time.
  const line = (name: string) => [...asUtf8(name)].map((letter) => (letter === ";" ? ":" : /[\p{Cc}\u2028\u2029]/u.test(letter) ? " " : letter)).join("").trim() || "(no name)";
  const asLine = ({ kind, name, file, line: number }: Frame) => (kind === "os_kernel" ? `${line(name)}_[k]` : kind === "python" && file.endsWith(".py") && !/[()]/.test(file) ? line(`${name} (${file}:${number})`) : line(name));

  test("keeps names and values, and files where Python's profilers write them", async () => {
    expect(stackLines(await reimported("folded", drawn))).toEqual([
      "native:(no frames) | 1 × 1",
      "python:serve (serve.py:12) > native:Net tiny > native:Block h.0 > native:cudaLaunchKernel > native:void gemm<float, 4>(int*) | 10000000 × 10000000",
      "python:serve (serve.py:12) > native:Net tiny > native:Block h.0 > native:cudaLaunchKernel > native:norm | 2000001 × 2000001",
      "python:serve (serve.py:12) > native:load | 5 × 5",
    ]);
  });

  test("random stacks with hostile names: each is one line, its frames are its frames", () => {
    fc.assert(fc.property(hostileProfile, (profile) => {
      const lines = exported("folded", profile).toString("utf8").split("\n").slice(0, -1).map((one) => /^(.*) (\d+)$/s.exec(one)!);
      const stored = ofProfile(profile, asLine, "(no frames)").filter(hasValue).map(([path, value]) => {
        const last = path.length - 1;
        const leaf = path[last]!.replace(/ (\d+(\.\d*)?)$/, "_$1"); // else the number would be a value
        const safe = [...path.slice(0, last), leaf];
        return [[/^(#|\/\/)/.test(safe[0]!) ? `_${safe[0]!}` : safe[0]!, ...safe.slice(1)], value, 0n] as const;
      });
      expect(sums(lines.map(([, stack, value]) => [stack!.split(";"), BigInt(value!), 0n] as const))).toEqual(sums(stored));
    }), { numRuns: 200 });
  });

  test("and our reader makes the same sums of it", () => {
    fc.assert(fc.property(hostileProfile, (profile) => {
      measured(profile);
      const { totals, notes } = accepted(readFolded(exported("folded", profile)));
      expect([BigInt(totals.value), notes]).toEqual([profile.stacks.reduce((sum, { value }) => sum + value, 0n), ["Folded stacks carry counts without a unit: they are shown as samples"]]);
    }), { numRuns: 50 });
  });
});

describe("Chrome trace", () => {
  const asSlice = ({ name }: Frame) => asUtf8(name || "(no name)");

  test("keeps names and self times", async () => {
    const execution = await reimported("chrome", drawn);
    expect(stackLines(execution)).toEqual(expect.arrayContaining([
      "native:serve > native:Net tiny > native:Block h.0 > native:cudaLaunchKernel > native:void gemm<float, 4>(int*) | 10000000 × 1",
      "native:serve > native:Net tiny > native:Block h.0 > native:cudaLaunchKernel > native:norm | 2000001 × 1",
      "native:serve > native:load | 5 × 1",
    ]));
    expect(execution).toMatchObject({ profileType: "wall", totals: { value: 12_000_006 } }); // 1 ns lies in no frame
  });

  test("random stacks with hostile names: slices nest as the frames do", async () => {
    await fc.assert(fc.asyncProperty(hostileProfile, async (profile) => {
      fc.pre(profile.stacks.some(({ frames, value }) => value > 0n && frames.length > 0));
      const stored = ofProfile({ ...profile, stacks: profile.stacks.filter(({ frames }) => frames.length > 0) }, asSlice).filter(hasValue).map(withoutCount);
      const { stacks, frames, samples } = await reimported("chrome", profile);
      // A slice named like torch.profiler names Python calls is read as one: put together again.
      const named = ({ kind, name, file, line }: Execution["frames"][number]) => asUtf8(kind === "python" ? `${file}(${line}): ${name}` : name);
      const read = samples.map(({ stack, value }) => [[...stacks[stack]!].map((frame) => named(frames[frame]!)), BigInt(value), 0n] as const).filter(hasValue);
      expect(sums(read)).toEqual(sums(stored));
    }), { numRuns: 200 });
  });
});
