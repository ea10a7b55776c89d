import { describe, expect, test } from "vitest";
import { legacyCpuWords, readLegacyCpu } from "#core/trace/pprof/legacy-cpu.ts";
import { readPprof } from "#core/trace/pprof/read-pprof.ts";
import { content, message, number, packed, text } from "#test/rig/wire-writer.ts";
import { accepted, bytesOf, stackLines } from "../stacks-text.ts";

const strings = ["", "samples", "count", "cpu", "nanoseconds", "main", "inlined", "app.py", "/usr/lib/libc.so.6", "[kernel.kallsyms]", "sys_read", "alloc_space", "bytes", "thread", "w1", "w2", "wall", "microseconds"];
const at = (word: string) => strings.indexOf(word);
const type = (name: string, unit: string) => content(1, [...number(1, at(name)), ...number(2, at(unit))]);
const sample = (locations: number[], values: (number | bigint)[], labels: number[][] = []) => content(2, [...packed(1, locations), ...packed(2, values), ...labels.flatMap((label) => content(3, label))]);
const fn = (id: number, name: string, file = "", line = 0) => content(5, [...number(1, id), ...number(2, at(name)), ...number(4, at(file)), ...number(5, line)]);
const body = [
  content(3, [...number(1, 1), ...number(2, 0x1000), ...number(4, 0x200), ...number(5, at("/usr/lib/libc.so.6"))]),
  content(3, [...number(1, 2), ...number(2, 0xffffffff80000000n), ...number(5, at("[kernel.kallsyms]"))]),
  content(4, [...number(1, 1), ...content(4, [...number(1, 2), ...number(2, 40)]), ...content(4, [...number(1, 1), ...number(2, 12)])]), // `inlined` inside `main`
  content(4, [...number(1, 2), ...number(2, 1), ...number(3, 0x1234)]),
  content(4, [...number(1, 3), ...number(3, 0xdeadbeefn)]),
  content(4, [...number(1, 4), ...number(2, 2), ...content(4, number(1, 3))]),
  fn(1, "main", "app.py", 9), fn(2, "inlined"), fn(3, "sys_read"),
  ...strings.map((word) => text(6, word)),
];
const cpu = [type("samples", "count"), type("cpu", "nanoseconds")];

test("locations leaf first, inlined functions as frames, code without symbols by its place", () => {
  const profile = message(...cpu, sample([2, 1], [3, 30]), sample([3], [1, 10]), sample([4, 1], [2, 20]), sample([4, 1], [1, 11]), ...body, number(9, 1_700_000_000_000_000_000n), number(10, 5_000));
  const execution = accepted(readPprof(profile));
  expect(stackLines(execution)).toEqual([
    "python:main (app.py:9) > native:inlined > native:libc.so.6+0x434 (/usr/lib/libc.so.6) | 30 × 3", // 0x1234 − 0x1000 + 0x200
    "native:0xdeadbeef | 10 × 1",
    "python:main (app.py:9) > native:inlined > os_kernel:sys_read ([kernel.kallsyms]) | 31 × 3",
  ]);
  expect(execution).toMatchObject({ profileType: "cpu", recordedAtNs: 1_700_000_000_000_000_000n, durationNs: 5_000, events: 4, totals: { value: 71, kernels: 7, moduleValue: 0 } });
});

describe("which value type", () => {
  const of = (types: number[][], sampleType?: string, ...more: number[][]) => readPprof(message(...types, sample([1], types.map((_, i) => i + 1)), ...body, ...more), { sampleType });
  test.each([
    ["the last that is time", [type("samples", "count"), type("wall", "microseconds"), type("cpu", "nanoseconds")], undefined, "cpu", 3],
    ["another by name", [type("samples", "count"), type("cpu", "nanoseconds")], "samples", "samples", 1],
    ["time that is not called CPU is wall-clock time, in ns", [type("samples", "count"), type("wall", "microseconds")], undefined, "wall", 2_000],
    ["samples where there is no time", [type("alloc_space", "bytes"), type("samples", "count")], undefined, "samples", 2],
  ] as const)("%s", (_, types, sampleType, profileType, value) => {
    expect(accepted(of([...types], sampleType))).toMatchObject({ profileType, totals: { value } });
  });

  test("the file's own default comes before the last", () => {
    expect(accepted(of([type("cpu", "nanoseconds"), type("wall", "microseconds")], undefined, number(14, at("cpu")))).profileType).toBe("cpu");
  });

  test.each([
    [[type("alloc_space", "bytes")], undefined, "it measures alloc_space (bytes): a memory profile"],
    [[type("samples", "count"), type("cpu", "nanoseconds")], "wall", 'it has no sample type "wall"; it has samples (count), cpu (nanoseconds)'],
    [[type("alloc_space", "bytes"), type("samples", "count")], "alloc_space", "its sample type alloc_space (bytes) is neither time nor a count of samples"],
    [[], undefined, "it measures no value type at all"],
  ])("refused, saying what there is", (types, sampleType, reason) => {
    expect(of(types, sampleType)).toMatchObject({ ok: false, error: { reason: expect.stringContaining(reason) } });
  });
});

test("labels are listed, a period is told and not multiplied in", () => {
  const label = (value: string) => [...number(1, at("thread")), ...number(2, at(value))];
  const profile = message(type("samples", "count"), sample([1], [2], [label("w1")]), sample([1], [3], [label("w2")]), ...body, content(11, [...number(1, at("cpu")), ...number(2, at("nanoseconds"))]), number(12, 50_000_000));
  const { totals, notes } = accepted(readPprof(profile));
  expect(totals.value).toBe(5);
  expect(notes).toEqual(["One sample stands for 50,000,000 nanoseconds of cpu, as the file says", "Labels of the samples, merged: thread (2 values)"]);
});

test.each([
  ["negative values", message(...cpu, sample([1], [1, 0xffffffffffffffffn]), ...body), "the difference of two profiles"],
  ["cut off", message(...cpu, sample([1], [1, 1]), ...body).slice(0, 60), "cannot be read on"],
  ["nothing but zeros", message(...cpu, sample([1], [0, 0]), ...body), "no sample with a value"],
])("%s: refused", (_, profile, reason) => {
  expect(readPprof(profile)).toMatchObject({ ok: false, error: { reason: expect.stringContaining(reason) } });
});

test("a sample whose locations are not in the file keeps its weight", () => {
  const execution = accepted(readPprof(message(...cpu, sample([99], [1, 7]), ...body)));
  expect(stackLines(execution)).toEqual(["native:(no stack) | 7 × 1"]);
  expect(execution.notes).toContain('Samples without a stack, kept as "(no stack)": 1');
});

describe("the legacy binary CPU profile", () => {
  const words = (size: 4 | 8, littleEndian: boolean, ...values: number[]): Uint8Array => {
    const bytes = new Uint8Array(values.length * size);
    const view = new DataView(bytes.buffer);
    values.forEach((value, i) => (size === 8 ? view.setBigUint64(i * 8, BigInt(value), littleEndian) : view.setUint32(i * 4, value, littleEndian)));
    return bytes;
  };
  const records = [0, 3, 0, 10_000, 0, /* 4 hits */ 4, 2, 0x401234, 0x400500, /* 1 hit */ 1, 1, 0x9999, /* end */ 0, 1, 0];
  const maps = bytesOf("00400000-00500000 r-xp 00000100 08:01 77 /bin/server\n00600000-00700000 rw-p 00000000 00:00 0 [heap]\n");

  test.each([[8, true], [8, false], [4, true], [4, false]] as const)("words of %d bytes, low byte first: %s", (size, littleEndian) => {
    const profile = Uint8Array.from([...words(size, littleEndian, ...records), ...maps]);
    const execution = accepted(readLegacyCpu(profile, legacyCpuWords(profile)!));
    expect(stackLines(execution)).toEqual(["native:server+0x600 (/bin/server) > native:server+0x1334 (/bin/server) | 40000000 × 4", "native:0x9999 | 10000000 × 1"]);
    expect(execution.profileType).toBe("cpu");
  });

  test("without its trailer it is used up to the cut; a stack that runs past the end is refused", () => {
    const cut = words(8, true, ...records.slice(0, 12), 0, 0);
    expect(accepted(readLegacyCpu(words(8, true, ...records.slice(0, 12)), legacyCpuWords(cut)!)).notes.join()).toContain("truncated");
    const broken = words(8, true, ...records.slice(0, 6), 900, 1, 2, 3);
    expect(readLegacyCpu(broken, legacyCpuWords(broken)!)).toMatchObject({ ok: false, error: { reason: expect.stringContaining("runs past the end"), at: 40 } });
  });
});
