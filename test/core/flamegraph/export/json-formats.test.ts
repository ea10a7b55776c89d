// The JSON exports as their formats are published: speedscope's file-format schema, and the Trace Event Format with what Perfetto makes of it.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { drawn, exportedText, hostileProfile, source } from "#test/rig/export-profiles.ts";

type Speedscope = { $schema: string; shared: { frames: { name: string; file?: string; line?: number; lamella?: object }[] }; profiles: { type: string; name: string; unit: string; startValue: number; endValue: number; samples: number[][]; weights: number[] }[] };

describe("speedscope", () => {
  test("the drawn profile", () => {
    expect(JSON.parse(exportedText("speedscope", drawn))).toEqual({
      $schema: "https://www.speedscope.app/file-format-schema.json", exporter: "lamella", name: source.title, activeProfileIndex: 0, lamella: { profileType: "cuda", notes: ["Filter: none."] },
      shared: {
        frames: [
          { name: "serve", file: "serve.py", line: 12, lamella: { kind: "python", file: "serve.py", line: 12 } },
          { name: "Net tiny", lamella: { kind: "layer", moduleClass: "Net", modelKey: "ab".repeat(16) } },
          { name: "Block h.0", file: "h.0", lamella: { kind: "layer", file: "net.py", line: 40, modulePath: "h.0", moduleClass: "Block", modelKey: "ab".repeat(16) } },
          { name: "cudaLaunchKernel", lamella: { kind: "gpu_api", mapping: "libcudart.so.12" } },
          { name: "void gemm<float, 4>(int*)", lamella: { kind: "gpu_kernel" } },
          { name: "norm", lamella: { kind: "gpu_kernel" } },
          { name: "load", lamella: { kind: "native" } },
          { name: "(no frames)" },
        ],
      },
      profiles: [{ type: "sampled", name: source.title, unit: "nanoseconds", startValue: 0, endValue: 12_000_007, samples: [[7], [0, 1, 2, 3, 4], [0, 1, 2, 3, 5], [0, 6]], weights: [1, 10_000_000, 2_000_001, 5] }],
    });
  });

  // What the schema requires, by hand: names are texts, numbers are numbers, samples name frames that exist and are as many as weights.
  test("random stacks with hostile names keep to the schema", () => {
    fc.assert(fc.property(hostileProfile, fc.constantFrom("cuda" as const, "samples" as const), (profile, profileType) => {
      const file = JSON.parse(exportedText("speedscope", { ...profile, profileType })) as Speedscope;
      for (const { name, file: source = "", line = 1 } of file.shared.frames) expect([typeof name, name === "", typeof source, Number.isInteger(line)]).toEqual(["string", false, "string", true]);
      const [{ samples, weights, unit, startValue, endValue }] = file.profiles as [Speedscope["profiles"][0]];
      expect([unit, startValue, samples.length]).toEqual([profileType === "cuda" ? "nanoseconds" : "none", 0, weights.length]);
      expect(endValue).toBe(weights.reduce((sum, weight) => sum + weight, 0));
      for (const sample of samples) for (const frame of sample) expect(file.shared.frames[frame]).toBeDefined();
    }), { numRuns: 100 });
  });
});

type TraceEvent = { ph: string; name: string; ts?: number; cat?: string; args?: Record<string, unknown> };

describe("Chrome trace", () => {
  const read = (text: string) => JSON.parse(text) as { otherData: Record<string, string>; traceEvents: TraceEvent[] };

  test("the drawn profile: nested slices, and the word that it is no timeline", () => {
    const { otherData, traceEvents, ...rest } = read(exportedText("chrome", drawn));
    expect(rest).toEqual({});
    expect(otherData).toEqual({ title: source.title, profileType: "cuda", layout: "Aggregate: widths are sums, left to right is no order in time", notes: "Filter: none." });
    expect(traceEvents.slice(0, 2).map(({ name, args }) => [name, args])).toEqual([["process_name", { name: "Lamella: GPU time" }], ["thread_name", { name: "aggregate, not a timeline" }]]);
    expect(traceEvents.slice(2).map(({ ph, name, ts }) => `${ph} ${ts} ${name}`)).toEqual([
      "B 0 serve", "B 0 Net tiny", "B 0 Block h.0", "B 0 cudaLaunchKernel", "B 0 void gemm<float, 4>(int*)", "E 10000 void gemm<float, 4>(int*)", "B 10000 norm", "E 12000.001 norm",
      "E 12000.001 cudaLaunchKernel", "E 12000.001 Block h.0", "E 12000.001 Net tiny", "B 12000.001 load", "E 12000.006 load", "E 12000.006 serve",
    ]);
    expect(traceEvents[4]).toEqual({ ph: "B", pid: 1, tid: 1, ts: 0, name: "Block h.0", cat: "layer", args: { module: "h.0", class: "Block", file: "net.py:40", self: 0, calls: 5 } });
  });

  test("counts are whole microseconds, and the file says what one is", () => {
    const { otherData, traceEvents } = read(exportedText("chrome", { ...drawn, profileType: "pc" }));
    expect(otherData["unit"]).toBe("1 µs is drawn for each count");
    expect(traceEvents.at(-1)).toMatchObject({ ph: "E", ts: 12_000_006, name: "serve" });
  });

  // As Perfetto reads it: a decimal becomes a double, times 1000, cut to whole nanoseconds.
  test("random stacks with hostile names: events in order of time, each end that of the slice opened last", () => {
    fc.assert(fc.property(hostileProfile, (profile) => {
      const open: string[] = [];
      let last = 0;
      for (const { ph, name, ts } of read(exportedText("chrome", profile)).traceEvents.slice(2)) {
        const ns = Math.trunc(ts! * 1000);
        expect(ns).toBeGreaterThanOrEqual(last);
        last = ns;
        if (ph === "B") open.push(name);
        else expect([ph, name]).toEqual(["E", open.pop()]);
      }
      expect(open).toEqual([]);
    }), { numRuns: 100 });
  });
});
