// Rows of the store → answers and texts, computed by hand.
import { describe, expect, test } from "vitest";
import { measureOf } from "#core/flamegraph/measure.ts";
import { copiesOfModule } from "#core/flamegraph/tables/modules.ts";
import { pathPattern } from "#core/flamegraph/tables/path-pattern.ts";
import type { RankedRow } from "#core/flamegraph/tables/ranked-row.ts";
import { defaultStepS, stepsIn, timelinePoints } from "#core/flamegraph/tables/timeline.ts";
import { timelineText } from "#core/flamegraph/tables/timeline-text.ts";
import { topTable } from "#core/flamegraph/tables/top.ts";
import { copiesText, topText } from "#core/flamegraph/tables/top-text.ts";
import { unrankedReason, unrankedRules } from "#core/flamegraph/unranked-frames.ts";
import { regexFault } from "#core/regex.ts";
import { limits } from "#schema/limits.ts";
import { frame } from "#test/rig/stacks.ts";

const head = {
  range: { from: "2026-11-29T14:00:00.000Z", to: "2026-11-29T15:00:00.000Z" }, ingestedThrough: "2026-11-29T14:59:00.000Z", profileType: "cuda" as const, execution: null, executionReason: null,
};
const row = (key: string, figures: Partial<RankedRow>): RankedRow => ({
  key, frame: "2", label: "", total: "0", self: "0", count: "0", samples: "0", without_layer: "0", frames: 1, all_rows: 0, name: key, file: "", mapping: "", module_path: "", module_class: "", model_key: "", ...figures,
});

describe("values", () => {
  test("are ns below 2^53 in all, else µs, each rounded; counts are counts", () => {
    expect(measureOf(2n ** 53n - 1n, "cuda")).toMatchObject({ unit: "ns", total: 2 ** 53 - 1 });
    const us = measureOf(2n ** 53n, "cuda");
    expect([us.unit, us.total, us.of(1_499n), us.of("1500"), us.share(2n ** 52n)]).toEqual(["us", 9_007_199_254_741, 1, 2, 0.5]);
    expect(measureOf(2n ** 53n, "cuda_launch").unit).toBe("count");
    expect(measureOf(0n, "cuda").share(0n)).toBe(0);
  });
});

describe("a top table", () => {
  const rows = [
    row("0", { total: "1000", self: "100", count: "50", samples: "9", without_layer: "125", all_rows: 6, frame: "0", name: "" }),
    row("16", { total: "300", self: "200", count: "3", frames: 2 }),
    row("101", { name: "\u001b[31mred, <b>bold</b>\u202e", total: "700", self: "400", count: "40", frame: "34" }),
    row("102", { name: "b", total: "700", self: "250", count: "7", frame: "33" }),
  ];
  const asked = { by: "function" as const, sort: "total" as const, limit: 2 };
  const table = topTable(rows, asked, "cuda");

  test("has its rows by value, and all that is in none of them", () => {
    expect(table).toMatchObject({ unit: "ns", samples: 9, total: 1000, withoutLayer: 125, without: 100, cut: { rows: 2, self: 50 }, unranked: [{ reason: "idle", total: 300, self: 200, share: 0.3, frames: 2 }] });
    expect(table.rows.map(({ key, kind, frame, total, self, share, count }) => [key, kind, frame, total, self, share, count])).toEqual([
      ["python \u001b[31mred, <b>bold</b>\u202e", "python", "22", 700, 400, 0.7, 40], ["native b", "native", "21", 700, 250, 0.7, 7],
    ]);
    expect(topTable(rows, { ...asked, limit: 1 }, "cuda")).toMatchObject({ rows: [{ total: 700 }], cut: { rows: 3, self: 300 } });
  });

  test("prints, with names that cannot reach the terminal, what is cut, what does not rank and what is in no row", () => {
    expect(topText({ ...head, ...table })).toBe(`GPU time: 1.00 µs in 9 samples
Without a model layer: 125 ns (12.5 %)
Live samples from 2026-11-29T14:00:00.000Z to 2026-11-29T15:00:00.000Z; complete through 2026-11-29T14:59:00.000Z

  time   share    self  calls  kind    function
700 ns  70.0 %  400 ns     40  python  \\u{1b}[31mred, <b>bold</b>\\u{202e}
700 ns  70.0 %  250 ns      7  native  b

… 2 functions more, 50 ns (5.0 %) of their own; ask for more with --limit
Not ranked, idle: 2 frames, 300 ns (30.0 %), of it 200 ns self
Ends in no function: in a kernel, a module or below one: 100 ns (10.0 %)
`);
  });

  test("of simulated frames says so", () => {
    const simulated = topTable([rows[0]!, row("103", { name: "gemm", mapping: "simulated", frame: "37", total: "1" })], { by: "kernel", sort: "total", limit: 5 }, "cuda");
    expect([table.simulated, simulated.simulated]).toEqual([false, true]);
    expect(topText({ ...head, ...simulated }).split("\n")[3]).toBe("Simulated data: no real device was measured.");
  });

  test("of nothing says so", () => {
    expect(topText({ ...head, ingestedThrough: null, ...topTable([], asked, "cuda") })).toBe(`GPU time: 0 ns in 0 samples
Without a model layer: 0 ns (0.0 %)
Live samples from 2026-11-29T14:00:00.000Z to 2026-11-29T15:00:00.000Z; nothing was ever ingested
No samples are stored for this selection.
`);
  });

  test("shows of a long name its beginning", () => {
    const long = topTable([rows[0]!, row("103", { name: "k".repeat(5_000), frame: "37", total: "1" })], { by: "kernel", sort: "total", limit: 5 }, "cuda");
    expect(topText({ ...head, ...long })).toMatch(/ k{159}…\n/);
    expect(long.rows[0]!.name).toHaveLength(5_000);
  });
});

describe("the pattern of a module's path", () => {
  test.each([
    ["model.layers.17.self_attn", "model.layers.17.self_attn", []],
    ["model.layers.*.mlp", "model.layers.3.mlp", ["3"]],
    ["model.layers.*.mlp.experts.*", "model.layers.3.mlp.experts.127", ["3", "127"]],
    ["Net[0].Block[*].Linear[0]", "Net[0].Block[11].Linear[0]", ["11"]],
    ["*", "lm_head", ["lm_head"]],
    ["", "", []],
    ["a+(b.é{2}", "a+(b.é{2}", []],
  ])("%s matches %s, with %j", (pattern, path, indices) => {
    const read = pathPattern(pattern);
    if (!read.ok) throw new Error(read.error);
    expect(regexFault(read.value.regex)).toBe(undefined);
    expect(read.value.indices(path)).toEqual(indices);
    expect(new RegExp(read.value.regex.replaceAll(/\\x\{/g, "\\u{"), "u").test(path)).toBe(true);
  });
  test.each([["model.layers.*.mlp", "model.layers.3.mlp.up"], ["model.layers.*", "model.layers.3.4"], ["Block[*]", "Block[x]"], ["a.b", "axb"], ["", "model"]])("%s does not match %s", (pattern, path) => {
    const read = pathPattern(pattern);
    expect(read.ok && new RegExp(read.value.regex.replaceAll(/\\x\{/g, "\\u{"), "u").test(path)).toBe(false);
  });
  test.each(["model.lay*", "**", "*.a*", "B[1*]", "[*"])("%s is refused: * stands for a whole step", (pattern) => expect(pathPattern(pattern).ok).toBe(false));
});

describe("the copies of a module", () => {
  const pattern = pathPattern("h.*");
  if (!pattern.ok) throw new Error(pattern.error);
  const layer = (n: number, total: number) => row(`${n}`, { name: `Block h.${n}`, frame: String(n * 16 + 6), module_path: `h.${n}`, module_class: "Block", total: String(total), self: String(total), count: "1" });
  const whole = row("0", { total: "1000", self: "0", count: "9", samples: "4", without_layer: "400", frame: "0" });
  const together = [whole, row("7", { module_class: "Block", total: "600", self: "500", count: "4" })];

  test("of an even number the median is the mean of the middle two; the least and the most say which they are", () => {
    const found = copiesOfModule([whole, layer(20, 100), layer(21, 103), layer(22, 90), layer(23, 307)], together, { pattern: pattern.value, limit: 2 }, "cuda");
    expect(found).toMatchObject({
      total: 1000, samples: 4, withoutLayer: 400,
      groups: [{ moduleClass: "Block", total: 600, share: 0.6, copies: { n: 4, min: { value: 90, path: "h.22", index: ["22"] }, median: 102, max: { value: 307, path: "h.23", index: ["23"] } }, rows: [{ modulePath: "h.23" }, { modulePath: "h.21" }], cut: { rows: 2, total: 190 } }],
    });
    expect(copiesText({ ...head, modulePath: "h.*", ...found })).toBe(`GPU time: 1.00 µs in 4 samples
Without a model layer: 400 ns (40.0 %)
Live samples from 2026-11-29T14:00:00.000Z to 2026-11-29T15:00:00.000Z; complete through 2026-11-29T14:59:00.000Z

Block: 600 ns (60.0 %), self 500 ns, 4 calls
4 copies: min 90 ns at 22 · median 102 ns · max 307 ns at 23
  time  by median    self  calls  path
307 ns      3.01×  307 ns      1  h.23
103 ns      1.01×  103 ns      1  h.21
… 2 copies more, 190 ns; ask for more with --limit
`);
  });

  test("none are said to be none", () => {
    const found = copiesOfModule([whole], [whole], { pattern: pattern.value, limit: 2 }, "cuda");
    expect(found.groups).toEqual([]);
    expect(copiesText({ ...head, modulePath: "h.*", ...found })).toContain("h.*: this module has no frames in the current flamegraph");
  });
});

describe("a timeline", () => {
  const minute = 60;
  test.each([
    [60 * minute, 60], [16 * 60 * minute, 60], [24 * 60 * minute, 120], [48 * 60 * minute, 300], [48 * 60 * minute + 1, 3_600], [7 * 86_400, 3_600], [30 * 86_400, 3_600], [90 * 86_400, 3 * 3_600],
  ])("of %i s has steps of %i s", (length, stepS) => {
    const range = { fromS: 1_764_426_720, toS: 1_764_426_720 + length };
    expect(defaultStepS(range)).toBe(stepS);
    expect(stepsIn(range, stepS)).toBeLessThanOrEqual(limits.timelinePointsMax);
  });

  test("has a step more where it begins inside one", () => {
    expect([stepsIn({ fromS: 0, toS: 120 }, 60), stepsIn({ fromS: 1, toS: 121 }, 60), stepsIn({ fromS: 59, toS: 61 }, 60)]).toEqual([2, 3, 2]);
  });

  test("adds up exactly, rounded to µs too", () => {
    const rows = [2n ** 53n, 499n, 499n, 499n, 1_000n].map((value, interval) => ({ interval, value: String(value), count: "1", samples: "1" }));
    const whole = 2n ** 53n + 2_497n;
    const { unit, total, withoutLayer, matched, points } = timelinePoints(rows, { value: whole, samples: 5, withoutLayer: 1_500n }, 60, "cuda");
    expect({ unit, total, withoutLayer, matched, sum: points.value.reduce((sum, value) => sum + value, 0) }).toEqual({ unit: "us", total: 9_007_199_254_743, withoutLayer: 2, matched: 9_007_199_254_743, sum: 9_007_199_254_743 });
    expect(points.value.slice(1)).toEqual([0, 1, 0, 1]); // running sums of …740.992, 741.491, 741.990, 742.489 and 743.489, rounded
    expect(points.t).toEqual([0, 60, 120, 180, 240]);
  });

  const points = (values: readonly (readonly [number, number])[], stepS: number | null) =>
    timelinePoints(values.map(([interval, value]) => ({ interval, value: String(value), count: "1", samples: "1" })), { value: 100n, samples: 7, withoutLayer: 20n }, stepS, "cuda");

  test("is bars with blanks where nothing was, its ends and its peak", () => {
    const drawn = timelineText({ ...head, search: "attn", ...points([[10, 5], [11, 40], [13, 20], [14, 0]], 60) }, 120);
    expect(drawn.split("\n").filter((_line, at) => at !== 0 && at !== 2)).toEqual([
      "Without a model layer: 20 ns (20.0 %)", "Search attn: 65 ns, 65.0 % of the total", "", "▂█ ▅▁", "1970-01-01 00:10:00 UTC … 1970-01-01 00:14:00 UTC", "a bar is 60 s, blank where there are no samples; the highest 40 ns at 1970-01-01 00:11:00 UTC", "",
    ]);
  });

  test("joins neighbours where the line is narrower, and knows the steps of an execution", () => {
    const drawn = timelineText({ ...head, search: null, ...points(Array.from({ length: 40 }, (_, i) => [i + 1, i < 20 ? 1 : 2] as const), null) }, 20);
    expect(drawn.split("\n").slice(4)).toEqual(["▅▅▅▅▅▅▅▅▅▅██████████", "step 1       step 39", "a bar is 2 steps, blank where there are no samples; the highest 4 ns at step 21", ""]);
  });
});

describe("what never ranks", () => {
  test.each(unrankedRules.flatMap((rule, at) => rule.kinds.map((kind) => [at, kind, rule] as const)))("line %i, %s: its example, and nothing else of it", (_at, kind, { reason, patterns, example }) => {
    const shown = { ...frame("x"), kind, ...example };
    expect(unrankedReason(shown)).toBe(reason);
    for (const pattern of Object.values(patterns)) expect(regexFault(pattern)).toBe(undefined);
    // A whole name is meant where the pattern has both ends.
    if (/^\^.*\$$/.test(patterns.name ?? "")) expect(unrankedReason({ ...shown, name: `my_${example.name}_too` })).toBe(null);
  });

  test.each([
    ["gpu_kernel", "native_safe_halt", ""], ["layer", "(idle)", ""], ["python", "native_safe_halt", ""], ["python", "wait", "my_threading.py"], ["python", "forward", "home/me/lamella/train.py"], ["python", "select", "orm.py"],
    ["python", "step", "torch/optim/optimizer.py"], ["gpu_api", "cudaStreamSynchronize", ""], ["native", "select_rows", ""], ["native", "futex_wait", ""],
  ] as const)("%s %s of %s ranks", (kind, name, file) => expect(unrankedReason({ ...frame("x"), kind, name, file })).toBe(null));

  test.each([
    ["python", "step", "torch/profiler/profiler.py", "profiler"], ["python", "main", "lamella/record.py", "profiler"], ["python", "main", "/usr/lib/python3/dist-packages/lamella/walk.py", "profiler"],
    ["native", "swapper-?/0", "", "idle"], ["os_kernel", "intel_idle_ibrs", "", "idle"], ["python", "<built-in method _disable_profiler of PyCapsule object>", "", "profiler"],
  ] as const)("%s %s of %s is %s", (kind, name, file, reason) => expect(unrankedReason({ ...frame("x"), kind, name, file })).toBe(reason));
});
