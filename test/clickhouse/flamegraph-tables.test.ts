// The tables, search, time line and modules beside a flamegraph on a real ClickHouse, against a plain walk over the same stacks.
import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { frameById, frameModules } from "#clickhouse/frame-modules.ts";
import { searchedSums, whereMatching } from "#clickhouse/frame-search.ts";
import { moduleSums, rankedSums } from "#clickhouse/ranked-sums.ts";
import type { Interval, SampleSelection } from "#clickhouse/samples.ts";
import { type TenantScope, tenantScope } from "#clickhouse/scope.ts";
import { selectionSums, timeline } from "#clickhouse/timeline.ts";
import { flamegraphColumns } from "#core/flamegraph/columns.ts";
import { matches, parseSearch, searchTree } from "#core/flamegraph/search.ts";
import type { Frame, StackProfile, WeightedStack } from "#core/flamegraph/stacks.ts";
import { copiesOfModule, modulesOfFrame } from "#core/flamegraph/tables/modules.ts";
import { pathPattern } from "#core/flamegraph/tables/path-pattern.ts";
import { searchHits } from "#core/flamegraph/tables/search-hits.ts";
import { timelinePoints } from "#core/flamegraph/tables/timeline.ts";
import { topTable } from "#core/flamegraph/tables/top.ts";
import { foldStacks } from "#core/flamegraph/tree.ts";
import { indexTree } from "#core/flamegraph/tree-index.ts";
import { functionKinds, unrankedReason } from "#core/flamegraph/unranked-frames.ts";
import { kernelCategory, kernelRules } from "#core/kernel-category.ts";
import { type RankedBy, rankedBy } from "#schema/ranked-by.ts";
import { type FrameKindName, frameKindNames } from "#schema/frame-kinds.ts";
import { openEngine } from "#test/rig/engine.ts";
import { type SampleRow, storeProfile, storedFrameId } from "#test/rig/store-profile.ts";
import { drawProfile, frame as drawFrame } from "#test/rig/stacks.ts";

const engine = openEngine();
afterAll(() => engine.close());

const nowS = Math.floor(Date.now() / 1000);
const hourS = 3_600;
const midnightS = nowS - (nowS % 86_400) - 86_400; // yesterday's: inside every retention
const day = (scope: TenantScope): SampleSelection => ({
  scope, profileType: "cuda", executionId: "", fromS: midnightS, toS: midnightS + 86_400, nowS, where: { sql: "1", params: {} }, rollup: "samples_1h_by_exe",
});

let tenants = 0;
const newTenant = () => tenantScope((tenants++).toString(26).padStart(16, "0").replaceAll(/\d/g, (digit) => "qrstuvwxyz"[Number(digit)]!), 30);

async function stored(profile: StackProfile, row: (stack: number) => SampleRow = () => ({ atS: midnightS }), copies = 1): Promise<TenantScope> {
  const scope = newTenant();
  await storeProfile(engine, scope, profile, row, copies);
  return scope;
}

async function rowsOf<Row>({ sql, params, row }: { sql: string; params: object; row: { parse(one: unknown): Row } }): Promise<Row[]> {
  return (await engine.query(sql, { ...params })).map((one) => row.parse(one));
}

const top = async (selection: SampleSelection, by: RankedBy, sort: "total" | "self" = "total", limit = 1_000) =>
  topTable(await rowsOf(rankedSums(selection, by, sort, limit)), { by, sort, limit }, "cuda");

// Names and files that are recognised, kernels of several categories, layers of both kinds of paths.
const keyA = "a".repeat(32);
const someFrame: fc.Arbitrary<Frame> = fc.oneof(
  fc.record({ kind: fc.constantFrom<FrameKindName>("native", "os_kernel"), name: fc.constantFrom("a", "b", "native_safe_halt"), mapping: fc.constantFrom("", "/usr/lib/libcupti.so.12") }),
  fc.record({ kind: fc.constant<FrameKindName>("python"), name: fc.constantFrom("a", "wait"), file: fc.constantFrom("", "threading.py", "torch/autograd/profiler.py") }),
  fc.record({ kind: fc.constant<FrameKindName>("gpu_kernel"), name: fc.constantFrom("nvjet_tst", "ncclKernel", "at::native::reduce_kernel", "odd", "a"), mapping: fc.constantFrom("", "m.so") }),
  fc.record({
    kind: fc.constant<FrameKindName>("layer"), name: fc.constantFrom("A x", "a"), moduleClass: fc.constantFrom("", "A", "B"), modelKey: fc.constantFrom("", keyA),
    modulePath: fc.constantFrom("", "model", "model.layers.0", "model.layers.1", "model.layers.1.mlp.experts.3", "0.fc", "x.07", "N[0]", "N[0].B[0]", "N[0].B[1]", "N[0].B[1].L[0]", "N[0].L[0]", "N[0].L[1]"),
  }),
  fc.record({ kind: fc.constantFrom(...frameKindNames.filter((kind) => kind !== "layer")), name: fc.constantFrom("a", "ProfilerStep#3") }),
).map((drawn) => ({ ...drawFrame("x"), ...drawn }));

const someProfile: fc.Arbitrary<StackProfile> = fc.uniqueArray(someFrame, { minLength: 1, maxLength: 14, selector: (one) => JSON.stringify(one) }).chain((frames) =>
  fc.array(fc.record({ frames: fc.array(fc.nat(frames.length - 1), { maxLength: 9 }), value: fc.oneof(fc.bigInt(0n, 5n), fc.bigInt(0n, 10n ** 9n)), count: fc.bigInt(0n, 4n) }), { maxLength: 25 })
    .map((stacks) => ({ profileType: "cuda" as const, frames, stacks })));

// What a frame of the profile is ranked as: null where it is not.
function keyOf(profile: StackProfile, number: number, by: RankedBy): string | null {
  const frame = profile.frames[number]!;
  const isFunction = (functionKinds as readonly FrameKindName[]).includes(frame.kind);
  const reason = isFunction ? unrankedReason(frame) : null;
  switch (by) {
    case "frame": return reason === null ? storedFrameId(profile, number).toString(16) : `unranked ${reason}`;
    case "function": return !isFunction ? null : reason === null ? `${frame.kind} ${frame.name}` : `unranked ${reason}`;
    case "kernel": return frame.kind === "gpu_kernel" ? frame.name : null;
    case "category": return frame.kind === "gpu_kernel" ? kernelCategory(frame.name) : null;
    case "module": return frame.kind === "layer" ? `${frame.modelKey} ${frame.modulePath} ${frame.moduleClass}` : null;
    case "class": return frame.kind === "layer" ? frame.moduleClass : null;
    case "layer": {
      const block = frame.kind === "layer" ? blockOf(profile, frame) : null;
      return block === null ? null : `${frame.modelKey} ${block}`;
    }
  }
}

function blockOf(profile: StackProfile, { modulePath, modelKey }: Frame): string | null {
  const paths = profile.frames.filter((one) => one.kind === "layer" && one.modelKey === modelKey).map((one) => one.modulePath);
  const steps = modulePath.split(".");
  for (let length = 1; length <= steps.length; length++) {
    const prefix = steps.slice(0, length).join(".");
    if (/^(0|[1-9]\d*)$/.test(steps[length - 1]!)) return prefix;
    const stem = /^(.*)\[\d+\]$/.exec(prefix)?.[1];
    if (stem !== undefined && paths.some((path) => path.startsWith(`${stem}[`) && /^\[[1-9]\d*\]\./.test(path.slice(stem.length)))) return prefix;
  }
  return null;
}

const isLayerTable = (by: RankedBy) => by === "module" || by === "class" || by === "layer";
const hasKind = (kind: FrameKindName, by: RankedBy) =>
  isLayerTable(by) ? kind === "layer" : by === "kernel" || by === "category" ? kind === "gpu_kernel" : by === "frame" || (functionKinds as readonly FrameKindName[]).includes(kind);

type Figures = { total: bigint; self: bigint; count: bigint; frames: Set<number> };

function walk(profile: StackProfile, by: RankedBy): { rows: Map<string, Figures>; without: bigint } {
  const rows = new Map<string, Figures>();
  let without = 0n;
  for (const { frames, value, count } of profile.stacks) {
    const ranked = frames.filter((number) => hasKind(profile.frames[number]!.kind, by));
    for (const number of ranked) {
      const key = keyOf(profile, number, by);
      if (key === null) continue;
      if (!rows.has(key)) rows.set(key, { total: 0n, self: 0n, count: 0n, frames: new Set() });
      rows.get(key)!.frames.add(number);
    }
    for (const key of new Set(ranked.map((number) => keyOf(profile, number, by)))) {
      if (key === null) continue;
      rows.get(key)!.total += value;
      rows.get(key)!.count += count;
    }
    const last = isLayerTable(by) ? ranked.at(-1) : frames.at(-1);
    const own = last === undefined || !hasKind(profile.frames[last]!.kind, by) ? null : keyOf(profile, last, by);
    if (own === null) without += value;
    else rows.get(own)!.self += value;
  }
  return { rows, without };
}

const sumOf = (stacks: readonly WeightedStack[]) => stacks.reduce((sum, { value }) => sum + value, 0n);
// Of stacks that have no layer frame, here, whatever the table.
const withoutLayerOf = (profile: StackProfile, stacks = profile.stacks) => sumOf(stacks.filter(({ frames }) => frames.every((number) => profile.frames[number]!.kind !== "layer")));
const figures = ({ total, self, count, frames }: Figures) => ({ total: Number(total), self: Number(self), count: Number(count), frames: frames.size });

describe("the top table is what a walk over the stacks counts", () => {
  test("of random stacks, by everything there is", async () => {
    await fc.assert(fc.asyncProperty(someProfile, async (profile) => {
      const scope = await stored(profile, (stack) => ({ atS: midnightS + stack * 977, exe: `exe${stack % 3}` }));
      for (const by of rankedBy) {
        const table = await top(day(scope), by);
        const { rows, without } = walk(profile, by);
        const ranked = [...rows].filter(([key]) => !key.startsWith("unranked "));
        expect({ by, rows: new Map(table.rows.map(({ key, total, self, count, frames }) => [key, { total, self, count, frames }])) }).toEqual({ by, rows: new Map(ranked.map(([key, one]) => [key, figures(one)])) });
        expect(table.unranked.map(({ reason, total, self, count, frames }) => [reason, { total, self, count, frames }]))
          .toEqual(["idle", "profiler"].flatMap((reason) => (rows.has(`unranked ${reason}`) ? [[reason, figures(rows.get(`unranked ${reason}`)!)]] : [])));
        expect({ total: table.total, samples: table.samples, withoutLayer: table.withoutLayer, without: table.without, cut: table.cut })
          .toEqual({ total: Number(sumOf(profile.stacks)), samples: profile.stacks.length, withoutLayer: Number(withoutLayerOf(profile)), without: Number(without), cut: { rows: 0, self: 0 } });
        // Each stack gives its value to one row alone, or to none.
        const selfs = [...table.rows, ...table.unranked].reduce((sum, { self }) => sum + self, 0);
        expect(selfs + table.cut.self + table.without).toBe(table.total);
        expect(table.rows.map(({ total }) => total)).toEqual(table.rows.map(({ total }) => total).sort((a, b) => b - a));
      }
    }), { numRuns: 8 });
  });

  test("cut at any limit, the heaviest stay, and what was cut is told with its value", async () => {
    await fc.assert(fc.asyncProperty(someProfile, fc.constantFrom(...rankedBy), fc.constantFrom("total" as const, "self" as const), fc.integer({ min: 1, max: 6 }), async (profile, by, sort, limit) => {
      const scope = await stored(profile);
      const [whole, cut] = [await top(day(scope), by, sort), await top(day(scope), by, sort, limit)];
      expect(cut.rows.map((row) => row[sort])).toEqual(whole.rows.slice(0, limit).map((row) => row[sort]));
      for (const row of cut.rows) expect(whole.rows).toContainEqual(row);
      const left = whole.rows.filter(({ key }) => !cut.rows.some((row) => row.key === key));
      expect(cut.cut).toEqual({ rows: left.length, self: left.reduce((sum, { self }) => sum + self, 0) });
      expect([cut.total, cut.without, cut.unranked]).toEqual([whole.total, whole.without, whole.unranked]);
    }), { numRuns: 10 });
  });

  test("a recursion counts once, and functions of one name in two files are one row of two frames", async () => {
    const profile: StackProfile = {
      profileType: "cuda", frames: [{ ...drawFrame("forward"), file: "a.py" }, { ...drawFrame("forward"), file: "b.py" }, drawFrame("gemm:gpu_kernel")],
      stacks: [{ frames: [0, 1, 0, 2], value: 10n, count: 2n }, { frames: [0, 1], value: 5n, count: 1n }],
    };
    const table = await top(day(await stored(profile)), "function");
    expect(table.rows).toMatchObject([{ name: "forward", kind: "python", frames: 2, total: 15, self: 5, count: 3, share: 1 }]);
    expect(table.without).toBe(10);
  });

  test("blocks of numbered paths and of Class[n] paths; a number without siblings that hold modules says nothing", async () => {
    const profile = drawProfile(`
      m@model:layer                          m@model:layer       N@N[0]:layer            N@N[0]:layer            N@N[0]:layer
      d@model.layers.17:layer                n@model.norm:layer  B@N[0].B[0]:layer       B@N[0].B[1]:layer       L@N[0].L[1]:layer
      e@model.layers.17.mlp.experts.3:layer  3                   L@N[0].B[0].L[0]:layer  L@N[0].B[1].L[1]:layer  9
      5                                                          7                       8
    `);
    const table = await top(day(await stored(profile)), "layer");
    expect(table.rows.map(({ name, total, self }) => [name, total, self])).toEqual([["N[0].B[1]", 8, 8], ["N[0].B[0]", 7, 7], ["model.layers.17", 5, 5]]);
    expect(table.without).toBe(12);
  });

  test("another tenant's stacks, another type and dictionary rows stored twice add nothing", async () => {
    const profile = drawProfile("main\nA@a.0:layer\ngemm:gpu_kernel\n10/1");
    for (const table of ["stacks", "frames"]) await engine.command(`SYSTEM STOP MERGES ${table}`);
    const [ours] = [await stored(profile, undefined, 3), await stored({ ...profile, frames: profile.frames.map((one) => ({ ...one, name: `secret ${one.name}` })) })];
    for (const by of rankedBy) {
      const table = await top(day(ours), by);
      expect([by, table.total, ...table.rows.map(({ total, frames }) => [total, frames])]).toEqual([by, 10, ...Array.from({ length: by === "frame" ? 3 : 1 }, () => [10, 1])]);
      expect(JSON.stringify(table)).not.toContain("secret");
      expect((await top({ ...day(ours), profileType: "cpu" }, by)).rows).toEqual([]);
    }
    for (const table of ["stacks", "frames"]) await engine.command(`SYSTEM START MERGES ${table}`);
  });

  test("frames and stacks that the dictionary does not have are told, never lost", async () => {
    const scope = newTenant();
    const [kernel, python, layer] = ["55", "12", "16"]; // hex ids: kind in the last digit
    await engine.insertRows("stacks", [{ tenant_id: scope.tenantId, stack_id: 7, last_seen: new Date().toISOString().slice(0, 10), frames: [python, layer, kernel].map((id) => String(Number.parseInt(id, 16))) }]);
    await engine.insertRows("samples", [7, 8].map((stack_id) => ({ tenant_id: scope.tenantId, profile_type: "cuda", retention_days: 30, bucket: midnightS, ts: midnightS, stack_id, source: "live", value: 10, count: 1 })));
    for (const [by, name] of [["function", `(frame ${python} is not stored)`], ["kernel", `(frame ${kernel} is not stored)`], ["category", "other"], ["module", `(frame ${layer} is not stored)`], ["class", `(frame ${layer} is not stored)`]] as const) {
      expect(await top(day(scope), by)).toMatchObject({ total: 20, rows: [{ name, total: 10 }] });
    }
    expect((await top(day(scope), "frame")).rows.map(({ key }) => key).sort()).toEqual([python, layer, kernel].sort());
    expect(await top(day(scope), "layer")).toMatchObject({ rows: [], without: 20, withoutLayer: 10 }); // the stack that is not there has none
  });

  test("of nothing, when nothing was stored", async () => {
    for (const by of rankedBy) expect(await top(day(newTenant()), by)).toEqual({ by, sort: "total", unit: "ns", samples: 0, total: 0, withoutLayer: 0, simulated: false, rows: [], cut: { rows: 0, self: 0 }, unranked: [], without: 0 });
  });
});

test("every kernel category means the same in the store and here", async () => {
  const endings = ["", "\n", " fbgemm::x", "_quant", " moe_gemm", "é", "\u212a", "x".repeat(5_000)];
  const names = kernelRules.flatMap(({ example }) => endings.flatMap((ending) => [example + ending, ending + example, example.toUpperCase()]));
  const profile: StackProfile = {
    profileType: "cuda", frames: [...new Set(names)].map((name) => ({ ...drawFrame("x:gpu_kernel"), name })),
    stacks: [...new Set(names)].map((_name, frame) => ({ frames: [frame], value: BigInt(frame + 1), count: 1n })),
  };
  const expected = walk(profile, "category").rows;
  const table = await top(day(await stored(profile)), "category");
  expect(Object.fromEntries(table.rows.map(({ key, self }) => [key, self]))).toEqual(Object.fromEntries([...expected].map(([key, { self }]) => [key, Number(self)])));
});

describe("search", () => {
  const someText = fc.array(fc.constantFrom("a", "A", "attn", "ncCl", "é", "/^a$/", "/[b-n]/", "/./", "/a|\\d/", "/\\(odd\\)/", "/İ|ſ/", "k", "/k/", "/^\\s*$/"), { maxLength: 3 }).map((terms) => terms.join(", "));
  const named = (profile: StackProfile): StackProfile => ({ ...profile, frames: profile.frames.map((one, number) => (number % 3 === 0 ? { ...one, name: `${one.name}${["ATTN", "É", "\u212a (odd)", "İ\n", "ſ 7"][number % 5]}` } : one)) });

  test("finds what the tree's search finds, of a tree that is not cut", async () => {
    await fc.assert(fc.asyncProperty(someProfile.map(named), someText, async (profile, text) => {
      const scope = await stored(profile, (stack) => ({ atS: midnightS + stack * 977 }));
      const search = parseSearch(text);
      expect(search.problems).toEqual([]);
      const [row] = await rowsOf(searchedSums(day(scope), search));
      const found = searchHits(row!, "cuda");
      const graph = flamegraphColumns({ tree: foldStacks(profile), frames: profile.frames, ids: profile.frames.map((_one, number) => String(number)), whole: sumOf(profile.stacks), samples: 0n, withoutLayer: 0n, cutNodes: 0, cutTotal: 0n }, "cuda");
      const hits = searchTree(graph, indexTree(graph.nodes), search);
      expect({ total: found.hits.total, share: found.hits.share, byKind: new Map(found.hits.byKind.map(({ kind, total, share }) => [kind, { total, share }])) })
        .toEqual({ total: hits.total, share: hits.share, byKind: new Map(hits.byKind.map(({ kind, total, share }) => [kind, { total, share }])) });
      const matching = new Set(profile.stacks.flatMap(({ frames }) => frames).filter((number) => matches(search, profile.frames[number]!.name)));
      expect([found.hits.frames, found.total, found.samples, found.withoutLayer]).toEqual([matching.size, Number(sumOf(profile.stacks)), profile.stacks.length, Number(withoutLayerOf(profile))]);
    }), { numRuns: 30 });
  });

  test("of a multitude of terms, and of none", async () => {
    const scope = await stored(drawProfile("main\ngemm:gpu_kernel\n10/3"));
    const ask = async (text: string) => searchHits((await rowsOf(searchedSums(day(scope), parseSearch(text))))[0]!, "cuda").hits;
    expect(await ask(Array.from({ length: 240 }, (_, i) => String.fromCharCode(0x100 + i)).join(",").slice(0, 250) + ",gemm")).toMatchObject({ total: 10, count: 3, frames: 1 });
    expect(await ask(" , ")).toEqual({ total: 0, share: 0, count: 0, frames: 0, byKind: [] });
  });
});

describe("over time", () => {
  test("points are the stacks of their interval, from whichever table, and add up to the total of what is searched", async () => {
    await fc.assert(fc.asyncProperty(someProfile, fc.nat(6 * hourS), fc.integer({ min: 1, max: 6 * hourS }), fc.constantFrom(1, 60, 977, hourS, 2 * hourS), fc.option(fc.constantFrom("a", "/^n/"), { nil: undefined }), async (profile, start, length, stepS, text) => {
      const at = (stack: number) => midnightS + ((stack * 4_513) % (8 * hourS));
      const scope = await stored(profile, (stack) => ({ atS: at(stack), exe: `exe${stack % 2}` }));
      const [fromS, toS] = [midnightS + start, midnightS + start + length];
      const search = text === undefined ? undefined : parseSearch(text);
      const inside = profile.stacks.map((stack, number) => ({ ...stack, atS: at(number) })).filter(({ atS, frames }) => atS >= fromS && atS < toS && (search === undefined || frames.some((one) => matches(search, profile.frames[one]!.name))));
      const expected = new Map<number, { value: number; count: number }>();
      for (const { atS, value, count } of inside) {
        const t = Math.floor(atS / stepS) * stepS;
        const before = expected.get(t) ?? { value: 0, count: 0 };
        expected.set(t, { value: before.value + Number(value), count: before.count + Number(count) });
      }
      for (const rollup of ["samples_1h_by_exe", null] as const) {
        const selection = { ...day(scope), fromS, toS, rollup };
        const where = search === undefined ? selection.where : whereMatching(selection.where, search);
        const { points, matched } = timelinePoints(await rowsOf(timeline({ ...selection, where }, { seconds: stepS }, 10_000)), { value: 0n, samples: 0, withoutLayer: 0n }, stepS, "cuda");
        expect(new Map(points.t.map((t, i) => [t, { value: points.value[i], count: points.count[i] }]))).toEqual(expected);
        expect(points.t).toEqual([...points.t].sort((a, b) => a - b));
        expect([matched, points.value.reduce((sum, value) => sum + value, 0)]).toEqual([Number(sumOf(inside)), matched]);
      }
    }), { numRuns: 12 });
  });

  test("the whole of it, whichever table and however the hours are cut", async () => {
    await fc.assert(fc.asyncProperty(someProfile, fc.nat(6 * hourS), fc.integer({ min: 1, max: 6 * hourS }), async (profile, start, length) => {
      const at = (stack: number) => midnightS + ((stack * 4_513) % (8 * hourS));
      const scope = await stored(profile, (stack) => ({ atS: at(stack), exe: `exe${stack % 2}` }));
      const [fromS, toS] = [midnightS + start, midnightS + start + length];
      const inside = profile.stacks.filter((_stack, number) => at(number) >= fromS && at(number) < toS);
      for (const rollup of ["samples_1h_by_exe", null] as const) {
        const [whole] = await rowsOf(selectionSums({ ...day(scope), fromS, toS, rollup }));
        expect(whole).toEqual({ value: String(sumOf(inside)), count: String(inside.reduce((sum, { count }) => sum + count, 0n)), samples: String(inside.length), without_layer: String(withoutLayerOf(profile, inside)) });
      }
    }), { numRuns: 10 });
  });

  test("an execution is told apart by its steps", async () => {
    const scope = newTenant();
    const executionId = "e".repeat(64);
    await engine.insertRows("samples", [3, 3, 5].map((step, i) => ({ tenant_id: scope.tenantId, profile_type: "cuda", execution_id: executionId, retention_days: 30, bucket: midnightS, ts: midnightS, stack_id: i, step, source: "import", value: 10 ** i, count: 1 })));
    const points = async (interval: Interval) => (await rowsOf(timeline({ ...day(scope), executionId }, interval, 10))).map(({ interval, value }) => [interval, value]);
    expect(await points("step")).toEqual([[3, "11"], [5, "100"]]);
    expect(await points({ seconds: 60 })).toEqual([[midnightS / 60, "111"]]);
  });
});

describe("modules", () => {
  test("those of a frame: the innermost around its deepest occurrence; they and what lies in none are the frame", async () => {
    await fc.assert(fc.asyncProperty(someProfile, fc.nat(20), async (profile, pick) => {
      const scope = await stored(profile);
      const number = pick % profile.frames.length;
      const id = storedFrameId(profile, number).toString();
      const answer = modulesOfFrame(await rowsOf(frameModules(day(scope), id, 1_000)), 1_000, { id, kind: "python", name: "" }, "cuda");
      const expected = new Map<string, number>();
      let [total, without, count] = [0, 0, 0];
      for (const { frames, value, count: calls } of profile.stacks) {
        const at = frames.lastIndexOf(number);
        if (at < 0) continue;
        total += Number(value);
        count += Number(calls);
        const module = frames.slice(0, at + 1).findLast((one) => profile.frames[one]!.kind === "layer");
        if (module === undefined) without += Number(value);
        else expected.set(storedFrameId(profile, module).toString(16), (expected.get(storedFrameId(profile, module).toString(16)) ?? 0) + Number(value));
      }
      expect(new Map(answer.modules.map(({ frame, total }) => [frame, total]))).toEqual(expected);
      expect(answer).toMatchObject({ total: Number(sumOf(profile.stacks)), samples: profile.stacks.length, withoutLayer: Number(withoutLayerOf(profile)), without, cut: { modules: 0, total: 0 }, frame: { total, count } });
      const cut = modulesOfFrame(await rowsOf(frameModules(day(scope), id, 1)), 1, { id, kind: "python", name: "" }, "cuda");
      const shown = cut.modules.reduce((sum, one) => sum + one.total, 0);
      expect([cut.modules.length, cut.cut.modules, shown + cut.cut.total + cut.without]).toEqual([Math.min(1, expected.size), Math.max(0, expected.size - 1), total]);
    }), { numRuns: 15 });
  });

  test("a frame by its id, and not another tenant's", async () => {
    const profile = drawProfile("main\nA@a.0:layer\n10/1");
    const scope = await stored(profile);
    const ask = async (id: bigint, tenant: string) => await engine.query(frameById(String(id)).sql, { frame: String(id), tenant });
    expect(await ask(storedFrameId(profile, 1), scope.tenantId)).toEqual([{ kind: "layer", name: "A", file: "", line: 0, mapping: "", module_path: "a.0", module_class: "", model_key: "" }]);
    expect(await ask(storedFrameId(profile, 1), newTenant().tenantId)).toEqual([]);
  });

  async function copies(selection: SampleSelection, text: string, modelKey?: string, limit = 1_000) {
    const pattern = pathPattern(text);
    if (!pattern.ok) throw new Error(pattern.error);
    const which = { pathPattern: pattern.value.regex, modelKey };
    return copiesOfModule(await rowsOf(moduleSums(selection, which, false, 1_000)), await rowsOf(moduleSums(selection, which, true, 1_000)), { pattern: pattern.value, limit }, "cuda");
  }

  test("all copies of a module, which of 64 is the slow one, and what each is", async () => {
    const frames = [drawFrame("main"), ...Array.from({ length: 64 }, (_, i) => ({ ...drawFrame(`Layer layers.${i}@model.layers.${i}:layer`), moduleClass: "Layer", modelKey: keyA })), drawFrame("gemm:gpu_kernel")];
    const profile: StackProfile = { profileType: "cuda", frames, stacks: frames.slice(1, -1).map((_, i) => ({ frames: [0, i + 1, 65], value: i === 17 ? 250n : 100n + BigInt(i), count: 2n })) };
    const { groups, total } = await copies(day(await stored(profile)), "model.layers.*", undefined, 3);
    // Sixty-three of 100 … 163 without 117, and the one of 250.
    expect(total).toBe(64 * 100 + (63 * 64) / 2 - 117 + 250);
    expect(groups).toMatchObject([{
      modelKey: keyA, moduleClass: "Layer", total, self: total, share: 1, count: 128,
      copies: { n: 64, min: { value: 100, path: "model.layers.0", index: ["0"] }, median: 133, max: { value: 250, path: "model.layers.17", index: ["17"] } },
      rows: [{ modulePath: "model.layers.17", index: ["17"], total: 250, self: 250, count: 2, name: "Layer layers.17" }, { index: ["63"], total: 163 }, { index: ["62"], total: 162 }],
      cut: { rows: 61, total: total - 250 - 163 - 162 },
    }]);
  });

  test("are what a walk over the stacks counts, per class and model", async () => {
    await fc.assert(fc.asyncProperty(someProfile, fc.constantFrom("model.layers.*", "N[0].B[*]", "N[*].L[*]", "*", "model.layers.1", "", "*.layers.*.mlp.experts.*"), fc.constantFrom(undefined, keyA), async (profile, text, modelKey) => {
      const answer = await copies(day(await stored(profile)), text, modelKey);
      expect([answer.total, answer.withoutLayer]).toEqual([Number(sumOf(profile.stacks)), Number(withoutLayerOf(profile))]);
      const shape = new RegExp(`^${text.split(".").map((step) => (step === "*" ? "[^.]+" : step.replaceAll(/[[\]]/g, "\\$&").replaceAll("*", "\\d+"))).join("\\.")}$`);
      const isAsked = (one: Frame) => one.kind === "layer" && shape.test(one.modulePath) && (modelKey === undefined || one.modelKey === modelKey);
      const isOf = (group: { moduleClass: string; modelKey: string }, one: Frame) => isAsked(one) && one.moduleClass === group.moduleClass && one.modelKey === group.modelKey;
      const inside = (test: (one: Frame) => boolean) => Number(sumOf(profile.stacks.filter(({ frames }) => frames.some((number) => test(profile.frames[number]!)))));
      const innermost = (test: (one: Frame) => boolean) => Number(sumOf(profile.stacks.filter(({ frames }) => {
        const layer = frames.findLast((number) => profile.frames[number]!.kind === "layer");
        return layer !== undefined && test(profile.frames[layer]!);
      })));
      const used = new Set(profile.stacks.flatMap(({ frames }) => frames));
      const asked = profile.frames.filter((one, number) => used.has(number) && isAsked(one));
      expect(new Set(answer.groups.map((one) => `${one.modelKey} ${one.moduleClass}`))).toEqual(new Set(asked.map((one) => `${one.modelKey} ${one.moduleClass}`)));
      for (const group of answer.groups) {
        expect([group.total, group.self]).toEqual([inside((one) => isOf(group, one)), innermost((one) => isOf(group, one))]);
        expect(new Set(group.rows.map(({ modulePath }) => modulePath))).toEqual(new Set(asked.filter((one) => isOf(group, one)).map((one) => one.modulePath)));
        const totals = group.rows.map(({ modulePath, total }) => {
          expect(total).toBe(inside((one) => isOf(group, one) && one.modulePath === modulePath));
          return total;
        });
        expect([group.copies.n, group.copies.min.value, group.copies.max.value]).toEqual([totals.length, Math.min(...totals), Math.max(...totals)]);
      }
    }), { numRuns: 15 });
  });
});
