import { describe, expect, test } from "vitest";
import { ProfileComparer, intervalSeconds, intervalsOf, joined, paired, type Series } from "#core/flamegraph/compare/compare-profiles.ts";
import { noTokens } from "#core/flamegraph/compare/token-basis.ts";
import { compareProfilesText } from "#core/flamegraph/compare/compare-profiles-text.ts";
import type { FlamegraphComparison } from "#schema/api/flamegraph-comparison.ts";

const series = (values: Record<number, [value: number, count: number]>): Series => ({
  intervals: Object.keys(values).map(Number), values: Object.values(values).map(([value]) => String(value)), counts: Object.values(values).map(([, count]) => String(count)),
});
const totals = (values: Record<number, number>, seconds = 60) => ({
  tokens: noTokens, seconds: new Map(Object.keys(values).map((at) => [Number(at), seconds])), values: new Map(Object.entries(values).map(([at, value]) => [Number(at), value])),
  value: Object.values(values).reduce((sum, value) => sum + value, 0), count: 0,
});

describe("what a value is divided by", () => {
  // attn takes 30 of 100 in each minute of A, 60 of 200 in each of B; its launches are 3 and 4 a minute.
  const [a, b] = [totals({ 1: 100, 2: 100 }), totals({ 5: 200, 6: 200 })];
  const [ofA, ofB] = [series({ 1: [30, 3], 2: [30, 3] }), series({ 5: [60, 4], 6: [60, 4] })];

  test("the selection: twice the load is the same share", () => {
    expect(new ProfileComparer("share", a, b, 1).row(ofA, ofB)).toEqual({ a: { value: 60, count: 6 }, b: { value: 120, count: 8 }, perBasis: { a: 0.3, b: 0.3 }, relative: 0, interval: [0, 0], clear: false });
  });

  test("launches: 10 each became 15 each", () => {
    expect(new ProfileComparer("launch", a, b, 1).row(ofA, ofB)).toMatchObject({ perBasis: { a: 10, b: 15 }, relative: 0.5, clear: true });
  });

  test("time, in the unit of the answer, minutes without the key counted as nothing", () => {
    expect(new ProfileComparer("time", a, b, 1_000).row(ofA, series({ 5: [120_000, 8] }))).toMatchObject({ b: { value: 120, count: 8 }, perBasis: { a: 0.0005, b: 1 } });
  });

  test("tokens, several intervals as one where they were counted together, the rest left out", () => {
    // A: 30 + 70 over 50 tokens and 60 over 30 → 160 / 80 = 2 ns a token; 1,000 lie at a time without tokens. B: 4 ns a token in both spans.
    const ofTokens = { ...a, tokens: { spanOf: new Map([[2, 3], [3, 3], [4, 4]]), bySpan: new Map([[3, 50], [4, 30]]) } };
    const other = { ...b, tokens: { spanOf: new Map([[5, 5], [6, 6]]), bySpan: new Map([[5, 10], [6, 20]]) } };
    const key = series({ 1: [1_000, 9], 2: [30, 1], 3: [70, 1], 4: [60, 1] });
    expect(new ProfileComparer("token", ofTokens, other, 1).row(key, series({ 5: [40, 1], 6: [80, 1] })))
      .toEqual({ a: { value: 1_160, count: 12 }, b: { value: 120, count: 2 }, perBasis: { a: 2, b: 4 }, relative: 1, interval: [1, 1], clear: true });
    // Spans of 40 and of 80 over 50 and 30 tokens: 1.5 a token; residuals −35 and 35 → variance 2 · 2,450 / 80² = 0.765625, one degree of freedom: 12.7062 · 0.875 = 11.118.
    const noisy = new ProfileComparer("token", ofTokens, other, 1_000).row(series({ 3: [40, 1], 4: [80, 1] }), series({ 5: [40, 1], 6: [80, 1] }));
    expect([noisy.perBasis, noisy.clear]).toEqual([{ a: 0.0015, b: 0.004 }, false]);
    expect(noisy.interval![0]).toBeCloseTo((2.5 - 11.118) / 1.5, 3);
    expect(new ProfileComparer("token", a, other, 1).row(key, key)).toMatchObject({ perBasis: { a: null }, relative: null, interval: null });
  });

  test("what one side does not have", () => {
    expect(new ProfileComparer("share", a, b, 1).row(null, ofB)).toMatchObject({ a: { value: 0, count: 0 }, perBasis: { a: 0, b: 0.3 }, relative: null, interval: null, clear: false });
    expect(new ProfileComparer("launch", a, b, 1).row(ofA, null)).toMatchObject({ perBasis: { a: 10, b: null }, relative: null });
  });

  test("rows that clearly differ come first, then by how much of the whole they moved; the rest is counted", () => {
    const rows = [
      { key: "same", a: ofA, b: ofB },
      { key: "noisy", a: series({ 1: [10, 1], 2: [50, 1] }), b: series({ 5: [160, 1], 6: [20, 1] }) },
      { key: "worse", a: series({ 1: [1, 1], 2: [1, 1] }), b: series({ 5: [4, 1], 6: [4, 1] }) },
    ];
    const found = new ProfileComparer("share", a, b, 1).rows(rows, 2);
    expect([found.rows.map(({ key, clear }) => [key, clear]), found.left]).toEqual([[["worse", true], ["noisy", false]], 1]);
  });
});

test("keys of both sides meet; equal ones of a side are one", () => {
  const row = (name: string, values: Record<number, [number, number]>) => ({ name, ...series(values) });
  const found = paired([row("gemm_a", { 1: [1, 1] }), row("gemm_b", { 1: [2, 1], 2: [4, 1] })], [row("norm", { 9: [7, 2] })], ({ name }) => name.split("_")[0]!);
  expect(found.map(({ key }) => key)).toEqual(["gemm", "norm"]);
  expect(found[0]).toMatchObject({ a: { intervals: [1, 2], values: ["3", "4"], counts: ["2", "1"] }, b: null });
  expect(joined([])).toEqual({ intervals: [], values: [], counts: [] });
});

test("a range in intervals: whole minutes below an hour, hours above, with what of each lies inside", () => {
  expect([3_600, 3_601, 7_200, 86_400, 90 * 86_400].map((length) => intervalSeconds({ fromS: 0, toS: length }, 60))).toEqual([60, 120, 120, 1_800, 36 * 3_600]);
  expect([...intervalsOf({ fromS: 90, toS: 200 }, 60)]).toEqual([[1, 30], [2, 60], [3, 20]]);
});

test("text: sides, then what differs, with names of processes shown and never obeyed", () => {
  const amount = (value: number, count: number) => ({ value, count });
  const difference = { a: amount(30e6, 3), b: amount(60e6, 4), perBasis: { a: 0.3, b: 0.45 }, relative: 0.5, interval: [0.2, 0.8] as [number, number], clear: true };
  const gone = { a: amount(1e6, 3), b: amount(0, 0), perBasis: { a: 0.01, b: 0 }, relative: null, interval: null, clear: false };
  const side = { range: { from: "2026-11-29T13:00:00Z", to: "2026-11-29T14:00:00Z" }, execution: null, samples: 12, value: 100e6, withoutLayer: 25e6, count: 7, intervals: 60, tokens: null };
  const comparison = {
    profileType: "cuda", unit: "ns", basis: "share", ingestedThrough: null, a: side, b: { ...side, value: 134e6 }, overall: difference,
    modules: [{ ...difference, path: "model.layers.*.self_attn", classes: ["Attn"] }], categories: [{ ...difference, name: "attention" }], kernels: [{ ...gone, name: "evil\u001b[31m|kernel" }],
    left: { modules: 2, kernels: 0 }, truncated: { nodes: 0, total: 0 }, notes: [],
  } as unknown as FlamegraphComparison;
  const text = compareProfilesText(comparison, { top: 5 });
  expect(text).toContain("A  2026-11-29T13:00:00Z to 2026-11-29T14:00:00Z: 100.00 ms (25.0 % without a model layer) in 7 launches, 12 samples, 60 intervals");
  expect(text).toMatch(/model\.layers\.\*\.self_attn +Attn +30\.0 % +45\.0 % +\+50\.0 % +\+20\.0 % … \+80\.0 % +clear +3 +4/);
  expect(text).toContain("and 2 more");
  expect(text).toMatch(/evil\\u\{1b\}\[31m\|kernel .* gone/);
  expect(text).not.toContain("\u001b");
  expect(compareProfilesText(comparison, { top: 5, markdown: true })).toContain("`evil\\u{1b}[31m\\|kernel`");
  const byToken = compareProfilesText({ ...comparison, basis: "token", a: { ...side, tokens: 2_500 }, overall: { ...difference, perBasis: { a: 40_000, b: 60_000.4 } } }, { top: 5 });
  expect(byToken).toContain("GPU time, per token, of prompts and generated\n");
  expect(byToken).toContain("12 samples, 60 intervals, 2,500 tokens\n");
  expect(byToken).toMatch(/all +40\.00 µs +60\.00 µs +\+50\.0 %/);
});
