// Every public profile file (folder LAMELLA_TEST_DATA) and what becomes of it. The figures were computed apart from this code: sums of value columns, hits × period,
// counts of timestamps and lines, durations of dispatches, and for slices the union of the intervals of each thread, by a script on Python's standard library
// (pprof also by `go tool pprof -raw`).
import { readdirSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { gunzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { importFile } from "#core/trace/import-file.ts";

const folder = process.env["LAMELLA_TEST_DATA"];
const suite = folder === undefined ? "public profile files: skipped, LAMELLA_TEST_DATA is not set" : "public profile files";

type Line = [name: string, type: string, value: number, count: number] | [name: string, refused: RegExp];
const memory = /it measures .* a memory profile/;
const legacyHeap = /a legacy pprof heap profile: it measures memory/;
const snapshot = /a snapshot of which threads there are/;

const files: Record<string, Line[]> = {
  pprof: [
    ["parca__alloc_objects.pb.gz", memory], ["parca__alloc_space_delta.pb.gz", memory],
    ["parca__fgprof.pb.gz", "wall", 2_104_393_918_350, 208_335], ["parca__fib.pb.gz", "cpu", 29_740_000_000, 2_974], ["parca__labels.pb.gz", "cpu", 1_730_000_000, 173],
    ...["272337470000", "275338070000", "278338696000", "290338056000", "293338714000", "296350592000", "299337903000"].map((id): Line => [`parca__many__1644509${id}.pb.gz`, memory]),
    ["parca__no-python.pb.gz", "samples", 4, 4], ["parca__profile-with-labels.pb.gz", "samples", 462, 462], ["parca__profile1.pb.gz", "cpu", 480_000_000, 48],
    ["parca__single-stack.pb.gz", "cpu", 52_631_578, 1], ["parca__two-stacks.pb.gz", "cpu", 368_421_046, 2],
    ["pprof__cppbench.contention", /a legacy pprof contention profile/], ["pprof__cppbench.cpu", "cpu", 7_120_000_000, 712], ["pprof__cppbench.growth", /a legacy pprof heap growth profile/],
    ["pprof__cppbench.heap", legacyHeap], ["pprof__cppbench.thread", snapshot], ["pprof__cppbench.thread.all", snapshot], ["pprof__cppbench.thread.none", snapshot],
    ["pprof__fuzz__testdata__7e3c92482f6f39fc502b822ded792c589849cca8", legacyHeap], ["pprof__go.crc32.cpu", "cpu", 2_110_000_000, 211], ["pprof__go.godoc.thread", snapshot],
    ["pprof__gobench.cpu", "cpu", 3_050_000_000, 305], ["pprof__gobench.heap", legacyHeap], ["pprof__internal__driver__testdata__cppbench.cpu", "cpu", 7_120_000_000, 712],
    ["pprof__internal__driver__testdata__go.nomappings.crash", memory], ["pprof__internal__proftest__testdata__large.cpu", "cpu", 240_290_000_000, 24_029],
    ["speedscope__sample__profiles__pprof__simple.prof", "cpu", 1_500_000_000, 150],
  ],
  folded: [
    ["flamegraph__perf-iperf-stacks-pidtid-01-collapsed-kernel.txt", "samples", 200, 200], ["flamegraph__perf-java-stacks-01-collapsed-pid.txt", "samples", 45, 45],
    ["flamegraph__perf-js-stacks-01-collapsed-all.txt", "samples", 2, 2], ["flamegraph__perf-numa-stacks-01-collapsed-tid.txt", "samples", 199, 199],
    ["speedscope__alternating.txt", "samples", 182, 182], ["speedscope__perf-vertx-stacks-01-collapsed-all.txt", "samples", 285, 285], ["speedscope__recursion.txt", "samples", 10, 10],
    ...["simple-crlf", "simple-utf16-be", "simple-utf16-le", "simple-with-invalids", "simple"].map((name): Line => [`speedscope__${name}.txt`, "samples", 14, 14]),
  ],
  otlp: [["sigprofiling__profile.otlp", "samples", 189, 189]],
  rocprof: [["tracelens__tests__rocprof__908_results.json.gz", "cuda", 4_441_741_378, 43_915]],
  trace_event_edge: [
    ["speedscope__Chrome__116__Trace-20230603T221323.json", "wall", 154_495_000, 2_456], ["speedscope__Chrome__141__no-arg-data.json", /no GPU kernel, no operator and no slice/],
    ["speedscope__speedscope__0.0.1__simple-no-pretty-print.speedscope.json", "samples", 14, 14], ["speedscope__speedscope__0.0.1__simple.speedscope.json", "samples", 14, 14],
    ["speedscope__speedscope__0.1.2__simple-sampled.speedscope.json", "wall", 14e9, 5], ["speedscope__speedscope__0.6.0__two-sampled.speedscope.json", "wall", 28e9, 10],
    ["speedscope__speedscope__invalid__incomplete-trace.json", /incomplete: 1 frames are never closed/], ["speedscope__speedscope__invalid__out-of-order-events.json", /not the last one opened \(event 7\)/],
    ...([
      ["bex-interaction", 12, 12], ["end-event-with-empty-stack", 1, 1], ["end-non-top-of-stack", 11, 3], ["event-reordering-name-match", 10, 3], ["hermes-multiple-frames", 14, 4], ["invalid-x-nesting", 15, 2],
      ["matching-x", 10, 5], ["mismatched-args", 10, 1], ["mismatched-name", 10, 1], ["multiprocess", 8, 8], ["must-retain-original-order", 9, 7], ["not-enough-end-events", 11, 3], ["only-begin-events", 2, 3],
      ["out-of-order-unbalanced-name", 10, 2], ["out-of-order", 10, 3], ["simple-hermes", 14, 2], ["simple-object", 14, 3], ["simple-partial-trailing-comma", 14, 4], ["simple-partial-whitespace", 14, 4],
      ["simple-partial", 14, 4], ["simple", 14, 4], ["simultaneous-anonymous-calls", 5, 6], ["too-many-end-events", 14, 2], ["unbalanced-args", 10, 2], ["unbalanced-name", 10, 2], ["x-events-matching-end", 20, 9],
      ["x-events-matching-start", 20, 9], ["zero-duration-events", 10, 4],
    ] as const).map(([name, microseconds, slices]): Line => [`speedscope__trace-event__${name}.json`, "wall", microseconds * 1000, slices]),
    ["speedscope__trace-event__multi-thread-with-samples.json", /"samples" and "stackFrames"/], ["speedscope__trace-event__simple-with-samples.json", /"samples" and "stackFrames"/],
  ],
};

function* chunksOf(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 65_536) yield bytes.subarray(at, at + 65_536);
}

async function importPath(path: string) {
  const raw = readFileSync(path);
  const bytes = raw[0] === 0x1f && raw[1] === 0x8b ? gunzipSync(raw) : raw;
  return await importFile(() => chunksOf(bytes), { fileName: basename(path), frameName: ({ path: module }) => module });
}

describe.skipIf(folder === undefined)(suite, () => {
  describe.each(Object.entries(files))("%s", (name, lines) => {
    test("every file is in this table", () => {
      expect(lines.map(([file]) => file).sort()).toEqual(readdirSync(`${folder}/${name}`).sort());
    });

    test.each(lines)("%s: %s", async (file, outcome, value?: number, count?: number) => {
      const result = await importPath(`${folder}/${name}/${file}`);
      if (outcome instanceof RegExp) return void expect(result).toMatchObject({ ok: false, error: { reason: expect.stringMatching(outcome) } });
      if (!result.ok) throw new Error(result.error.reason);
      const { profileType, totals, samples, gaps } = result.value;
      expect({ profileType, value: totals.value, count: totals.kernels }).toEqual({ profileType: outcome, value, count });
      expect(samples.reduce((sum, sample) => sum + sample.value, 0)).toBe(totals.value);
      if (profileType === "cuda") expect(gaps.reduce((sum, gap) => sum + gap.value, totals.moduleValue)).toBe(totals.value);
    });
  });

  test.each(["bench", "prometheus", "hf_config", "engine_timeseries", "kernel_names"])("nothing under %s is taken for a profile", async (name) => {
    for (const file of readdirSync(`${folder}/${name}`)) {
      const result = await importPath(`${folder}/${name}/${file}`);
      expect([file, result]).toMatchObject([file, { ok: false, error: { reason: expect.stringMatching(/a benchmark result|a Prometheus metrics dump|a model configuration|no profile format that is known/) } }]);
    }
  });
});
