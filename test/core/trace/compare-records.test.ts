// Two records compared, every expected number worked out by hand.
import { describe, expect, test } from "vitest";
import { compareRecords } from "#core/trace/compare-records.ts";
import { executionComparison } from "#schema/api/execution-comparison.ts";
import { drawnStep, drawRecord } from "#test/rig/draw-record.ts";

const two = (mlp0: number, mlp1: number, calls = 1) => drawRecord(`
  .             Net    ${calls}  ${2_000 + mlp0 + mlp1}  ${6 * calls}
    layers.0    Layer  ${calls}  ${1_000 + mlp0}  ${3 * calls}
      attn      Attn   ${calls}  900  ${2 * calls}
      mlp       Mlp    ${calls}  ${mlp0}  ${calls}
    layers.1    Layer  ${calls}  ${1_000 + mlp1}  ${3 * calls}
      attn      Attn   ${calls}  900  ${2 * calls}
      mlp       Mlp    ${calls}  ${mlp1}  ${calls}`);
const lines = (comparison: ReturnType<typeof compareRecords>) => comparison.modules.map(({ path, a, b, difference, ownDifference }) => [path, a?.value ?? null, b?.value ?? null, difference, ownDifference]);

describe("by module path", () => {
  test("inclusive and own differences, the largest first; equal times of both are there too", () => {
    const found = compareRecords(two(400, 400), two(400, 300));
    expect(executionComparison.parse(found)).toEqual(found);
    expect(lines(found)).toEqual([
      ["", 2_800, 2_700, -100, 0], ["layers.1", 1_400, 1_300, -100, 0], ["layers.1.mlp", 400, 300, -100, -100],
      ["layers.0", 1_400, 1_400, 0, 0], ["layers.0.attn", 900, 900, 0, 0], ["layers.0.mlp", 400, 400, 0, 0], ["layers.1.attn", 900, 900, 0, 0],
    ]);
    expect(found).toMatchObject({ basis: "total", difference: -100, modulesTotal: 7, modulesOnlyInA: 0, modulesOnlyInB: 0, notes: [] });
    expect(found.modules[2]).toMatchObject({ relative: -0.25, a: { class: "Mlp", calls: 1, kernels: 1, own: 400, median: 400, cpuTotal: 4_000, cpuMedian: 4_000 } });
    // A layer's own: 1,400 − 900 − 400; the model's: nothing beside its layers.
    expect(found.modules[3]!.a!.own).toBe(100);
    expect(found.modules[0]!.a!.own).toBe(0);
  });

  test("copies that are built alike have one fold", () => {
    const { modules } = compareRecords(two(400, 400), two(400, 300));
    const foldOf = (path: string) => modules.find((one) => one.path === path)!.fold;
    expect([foldOf("layers.0"), foldOf("layers.0.mlp")]).toEqual([foldOf("layers.1"), foldOf("layers.1.mlp")]);
    expect(new Set(modules.map(({ fold }) => fold)).size).toBe(4);
  });

  test("where the root ran 1 time in A and 4 in B, differences are of values per call of it", () => {
    const found = compareRecords(two(400, 400), two(1_600, 400, 4));
    // 2,800 per call in A; (2,000 + 1,600 + 400) / 4 = 1,000 in B.
    expect(found).toMatchObject({ basis: "root call", difference: -1_800, relative: 1_000 / 2_800 - 1, a: { valuePerCall: 2_800 }, b: { valuePerCall: 1_000 } });
    expect(found.modules.find(({ path }) => path === "layers.0.mlp")).toMatchObject({ a: { value: 400 }, b: { value: 1_600 }, difference: 0, relative: 0 });
    expect(found.modules.find(({ path }) => path === "layers.1.mlp")).toMatchObject({ difference: 100 - 400, relative: -0.75 });
  });

  test("models with different layer counts match by path; what only one has is listed as such", () => {
    const a = drawRecord(".  Net 1 300 3\n  layers.0 Layer 1 100 1\n  layers.1 Layer 1 100 1\n  norm Norm 1 100 1");
    const b = drawRecord(".  Net 1 400 4\n  layers.0 Layer 1 110 1\n  layers.1 Layer 1 120 1\n  layers.2 Layer 1 130 1\n  head Head 1 40 1");
    const found = compareRecords(a, b);
    expect(lines(found)).toEqual([["layers.2", null, 130, 130, 130], ["", 300, 400, 100, 0], ["norm", 100, null, -100, -100], ["head", null, 40, 40, 40], ["layers.1", 100, 120, 20, 20], ["layers.0", 100, 110, 10, 10]]);
    expect(found.modules.map(({ relative }) => relative)).toEqual([null, 400 / 300 - 1, -1, null, 120 / 100 - 1, 110 / 100 - 1]);
    expect(found).toMatchObject({ modulesTotal: 6, modulesOnlyInA: 1, modulesOnlyInB: 2 });
  });

  test("inferred paths compare with inferred ones only", () => {
    const inferred = (value: number) => drawRecord(`Net[0] Net 1 ${value} 1`, { pathSource: "inferred" });
    expect(lines(compareRecords(inferred(10), inferred(30)))).toEqual([["Net[0]", 10, 30, 20, 20]]);
    const found = compareRecords(inferred(10), drawRecord("Net[0] Net 1 30 1"));
    expect(lines(found)).toEqual([["Net[0]", null, 30, 30, 30], ["Net[0]", 10, null, -10, -10]]);
    expect(found.notes).toEqual(["The module paths of A are inferred (Class[n]), the other's are real: no module of one is found in the other"]);
  });

  test("a path that is there twice pairs by class, then in order", () => {
    const found = compareRecords(drawRecord("m Eager 1 10 1\nm Fast 1 20 1\nn Linear 1 5 1"), drawRecord("m Fast 1 21 1\nm Slow 1 50 1\nn FP8Linear 1 2 1"));
    expect(found.modules.map(({ a, b }) => [a?.class, b?.class])).toEqual([["Eager", "Slow"], ["Linear", "FP8Linear"], ["Fast", "Fast"]]);
  });

  test("a record without modules compares by the rest", () => {
    const found = compareRecords(drawRecord("", { pathSource: "none", totals: { kernels: 2, value: 50, moduleValue: 0, busyNs: 50 } }), two(400, 400));
    expect(found).toMatchObject({ basis: "total", difference: 2_750, a: { root: null, valuePerCall: null }, notes: [], modulesOnlyInB: 7 });
  });
});

test("by category: also what only one of them has, e.g. eager against compiled", () => {
  const eager = drawRecord(".  Net 1 100 9", { categories: [{ category: "GEMM", kernels: 3, value: 60 }, { category: "elementwise", kernels: 6, value: 40 }] });
  const compiled = drawRecord("GraphModule[0]  GraphModule 1 80 5", { pathSource: "inferred", categories: [{ category: "GEMM", kernels: 3, value: 66 }, { category: "norm", kernels: 2, value: 14 }] });
  const none = { kernels: 0, value: 0 };
  expect(compareRecords(eager, compiled).categories).toEqual([
    { category: "elementwise", a: { kernels: 6, value: 40 }, b: none, difference: -40, relative: -1 },
    { category: "norm", a: none, b: { kernels: 2, value: 14 }, difference: 14, relative: null },
    { category: "GEMM", a: { kernels: 3, value: 60 }, b: { kernels: 3, value: 66 }, difference: 6, relative: 66 / 60 - 1 },
  ]);
});

test("by phase: per step, and per token where steps say theirs; a capture's tokens are no tokens", () => {
  const steps = (scale: number) => [
    drawnStep(1, { phase: "capture", decodeRequests: 8, decodeTokens: 8, value: 999 }), drawnStep(2, { phase: "prefill", prefillRequests: 1, prefillTokens: 100, value: 2_000 * scale, busyNs: 1_500, durationNs: 9_000 }),
    drawnStep(3, { phase: "decode", decodeRequests: 4, decodeTokens: 4, value: 300 * scale }), drawnStep(4, { phase: "decode", decodeRequests: 4, decodeTokens: 4, value: 501 * scale }), drawnStep(5, { value: 7 }),
  ];
  const found = compareRecords(drawRecord(".  Net 5 3000 9", { steps: steps(1) }), drawRecord(".  Net 5 6000 9", { steps: steps(2).slice(0, 4) }));
  const row = (phase: string) => found.phases.find((one) => one.phase === phase);
  expect(row("prefill")).toMatchObject({ a: { steps: 1, tokens: 100, valuePerStep: 2_000, valuePerToken: 20, busyNs: 1_500, durationPerStepNs: 9_000 }, b: { valuePerStep: 4_000, valuePerToken: 40 }, difference: 2_000 });
  expect(row("decode")).toMatchObject({ a: { steps: 2, tokens: 8, value: 801, valuePerStep: 401, valuePerToken: 100 }, b: { valuePerStep: 801 }, difference: 400 });
  expect(row("")).toMatchObject({ a: { steps: 1, valuePerStep: 7, valuePerToken: null }, b: null, difference: null });
  expect(found.a).toMatchObject({ tokens: 108, valuePerToken: 26 }); // (2,000 + 300 + 501) / 108 = 25.9
});

test("GPU time against CPU time is compared with a warning; so are roots that differ in class and calls", () => {
  const { notes } = compareRecords(drawRecord("Net[0] Net 2 10 1", { pathSource: "inferred" }), drawRecord("Graph[0] Graph 6 10 1", { pathSource: "inferred", profileType: "cpu_op", modulesLeftOut: 3 }));
  expect(notes).toEqual([
    "A measures GPU time, B CPU operator time: their values do not compare, calls and structure do",
    "The outermost modules differ, and so do their calls (Net 2, Graph 6): totals are compared as they are",
    "The record of B has no room for its 3 shortest modules: they count in what holds them",
  ]);
});
