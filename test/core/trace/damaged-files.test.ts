// Any damage to a profile of any format gives an execution whose sums agree or a refusal with a reason, never an exception.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { importFile } from "#core/trace/import-file.ts";
import { readNcuCsv } from "#core/trace/ncu/read-ncu-csv.ts";
import { content, message, number, packed, text, varint } from "#test/rig/wire-writer.ts";
import { bytesOf } from "./stacks-text.ts";

const words = ["", "samples", "count", "cpu", "nanoseconds", "main", "libc.so"];
const pprof = message(
  content(1, [...number(1, 1), ...number(2, 2)]), content(1, [...number(1, 3), ...number(2, 4)]), content(2, [...packed(1, [1, 2]), ...packed(2, [1, 300]), ...content(3, [...number(1, 1), ...number(2, 5)])]),
  content(3, [...number(1, 1), ...number(2, 4096), ...number(5, 6)]), content(4, [...number(1, 1), ...number(2, 1), ...number(3, 4100)]), content(4, [...number(1, 2), ...content(4, number(1, 1))]), content(5, [...number(1, 1), ...number(2, 5)]),
  ...words.map((word) => text(6, word)), number(9, 1_700_000_000_000_000_000n),
);
const otlp = message(
  content(2, [...content(1, []), ...content(2, []), ...content(2, content(3, number(1, 1))), ...content(3, []), ...content(3, number(1, 5)), ...words.flatMap((word) => text(5, word)), ...content(7, []), ...content(7, packed(1, [1]))]),
  content(1, content(2, content(2, [...content(1, [...number(1, 3), ...number(2, 4)]), ...content(2, [...number(1, 1), ...packed(4, [7])]), ...varint((3 << 3) | 1), 1, 2, 3, 4, 5, 6, 7, 8]))),
);
const legacy = new Uint8Array(new BigUint64Array([0, 3, 0, 10_000, 0, 4, 2, 0x401234, 0x400500, 0, 1, 0].map(BigInt)).buffer);
const span = { thread_id: 7, correlation_id: { internal: 1 }, start_timestamp: 1000, end_timestamp: 1200 };
const files: Record<string, Uint8Array> = {
  pprof, otlp, "legacy pprof": Uint8Array.from([...legacy, ...bytesOf("00400000-00500000 r-xp 00000000 08:01 7 /bin/x\n")]),
  folded: bytesOf("main;run;add_[k] 12\nmain;run (a.py:3) 4\n# end\n"),
  speedscope: bytesOf(JSON.stringify({ $schema: "speedscope", shared: { frames: [{ name: "a" }, { name: "b" }] }, profiles: [{ type: "evented", unit: "seconds", startValue: 0, endValue: 2, events: [{ type: "O", frame: 0, at: 0 }, { type: "C", frame: 0, at: 2 }] }, { type: "sampled", unit: "seconds", samples: [[0, 1]], weights: [0.5] }] })),
  rocprof: bytesOf(JSON.stringify({ "rocprofiler-sdk-tool": [{ metadata: { pid: 1 }, kernel_symbols: [{ kernel_id: 0, formatted_kernel_name: "k" }], strings: { marker_api: [{ key: 1, value: "layers.0.mlp" }] }, buffer_records: { kernel_dispatch: [{ ...span, dispatch_info: { kernel_id: 0, agent_id: { handle: 1 } } }], hip_api: [span], marker_api: [span], memory_copy: [span] } }] })),
  slices: bytesOf(JSON.stringify({ traceEvents: [{ ph: "B", pid: 1, tid: 1, name: "a", ts: 0 }, { ph: "X", pid: 1, tid: 1, name: "b", ts: 1, dur: 2 }, { ph: "E", pid: 1, tid: 1, name: "a", ts: 5 }] })),
};

const damage = fc.array(fc.record({ at: fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }), byte: fc.oneof(fc.nat(255), fc.constantFrom(...bytesOf('"\\{}[],:0-')), fc.constantFrom(0, 1, 0x7f, 0x80, 0xff)) }), { maxLength: 6 });
const frameName = ({ path }: { path: string }) => path;

describe.each(Object.entries(files))("%s", (_, whole) => {
  test("undamaged it is imported", async () => {
    expect(await importFile(() => [whole], { frameName })).toMatchObject({ ok: true });
  });

  test("bytes overwritten, cut off", async () => {
    await fc.assert(
      fc.asyncProperty(damage, fc.nat(whole.length), fc.boolean(), async (overwritten, length, cut) => {
        const bytes = whole.slice();
        for (const { at, byte } of overwritten) bytes[Math.floor(at * whole.length)] = byte;
        const result = await importFile(() => [cut ? bytes.subarray(0, length) : bytes], { frameName });
        if (!result.ok) return void expect(result.error.reason).not.toBe("");
        const { samples, totals, stacks, frames, modules } = result.value;
        expect(samples.reduce((sum, sample) => sum + sample.value, 0)).toBe(totals.value);
        for (const { value, count, stack } of samples) expect([Number.isSafeInteger(value) && value >= 0, Number.isSafeInteger(count) && count >= 0, stack < stacks.length]).toEqual([true, true, true]);
        for (const stack of stacks) for (const frame of stack) expect(frame).toBeLessThan(frames.length);
        for (const { parent } of modules) expect(parent).toBeLessThan(modules.length);
      }),
      { numRuns: 400 },
    );
  });
});

test("a damaged table of Nsight Compute", () => {
  const csv = '"ID","Kernel Name","Metric Name","Metric Unit","Metric Value"\n"0","k<1, 2>","Memory Throughput","%","87.5"\n"0","k<1, 2>","Duration","us","1,853.9"\n';
  fc.assert(fc.property(fc.nat(csv.length), fc.string({ maxLength: 3 }), fc.nat(csv.length), (at, patch, end) => {
    const result = readNcuCsv((csv.slice(0, at) + patch + csv.slice(at + patch.length)).slice(0, end));
    expect(result.ok ? result.value.length : result.error.reason.length).toBeGreaterThan(0);
  }));
});
