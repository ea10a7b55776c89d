// The SQL of clickhouse/stacks.ts on a real ClickHouse, against the plain view and fold of core/flamegraph.
import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import type { SampleSelection } from "#clickhouse/samples.ts";
import { type TenantScope, tenantScope } from "#clickhouse/scope.ts";
import { stackRows } from "#clickhouse/stacks.ts";
import { treeOfStackRows } from "#core/flamegraph/stack-rows.ts";
import { type StackView, viewStacks, wholeStacks } from "#core/flamegraph/stack-view.ts";
import { foldStacks } from "#core/flamegraph/tree.ts";
import { frameKindNames } from "#schema/frame-kinds.ts";
import { openEngine } from "#test/rig/engine.ts";
import { profileTreeText } from "#test/rig/profile-tree.ts";
import { drawProfile, frame, randomProfile, treeText } from "#test/rig/stacks.ts";
import { storedFrameId, storeProfile } from "#test/rig/store-profile.ts";

const engine = openEngine();
afterAll(() => engine.close());

const nowS = Math.floor(Date.now() / 1000);
const midnightS = nowS - (nowS % 86_400) - 86_400;
const plenty = { stacksMax: 1_000, nodesMax: 1_000 };

let tenants = 0;
const newTenant = () => tenantScope(`t${String(tenants++).padStart(15, "0")}`.replaceAll(/\d/g, (digit) => "qrstuvwxyz"[Number(digit)]!), 30);
const day = (scope: TenantScope): SampleSelection => ({ scope, profileType: "cuda", executionId: "", fromS: midnightS, toS: midnightS + 86_400, nowS, where: { sql: "1", params: {} }, rollup: null });

async function ask(scope: TenantScope, view: StackView<string> = wholeStacks, bounds = plenty) {
  const { sql, params, row } = stackRows(day(scope), view, bounds);
  return (await engine.query(sql, { ...params })).map((one) => row.parse(one));
}

const drawn = drawProfile(`
  serve             serve             serve             load
  Block h.0:layer   Block h.1:layer   Block h.0:layer   5
  gemm:gpu_kernel   gemm:gpu_kernel   norm:gpu_kernel
  10/1              8/1               2/4
`);

test("the tree of the stacks, heaviest first, and how many they are", async () => {
  const scope = newTenant();
  await storeProfile(engine, scope, drawn, () => ({ atS: midnightS }));
  const rows = await ask(scope);
  expect(profileTreeText(treeOfStackRows(rows, "cuda"))).toBe(`
all 25/0 ×11
  serve 20/0 ×6
    Block h.0 12/0 ×5
      gemm 10/10 ×1
      norm 2/2 ×4
    Block h.1 8/0 ×1
      gemm 8/8 ×1
  load 5/5 ×5`.trim());
  expect(rows.every(({ all_stacks, all_nodes }) => all_stacks === 4 && all_nodes === 7)).toBe(true);
});

test("of random stacks, in every view", async () => {
  const views = fc.record({ hide: fc.subarray(frameKindNames), foldLayers: fc.boolean(), layersByPath: fc.constant(false), invert: fc.boolean(), at: fc.nat(), around: fc.constantFrom(null, "callers" as const, "callees" as const) });
  await fc.assert(fc.asyncProperty(randomProfile, fc.array(views, { minLength: 1, maxLength: 4 }), async (profile, several) => {
    const scope = newTenant();
    await storeProfile(engine, scope, profile, () => ({ atS: midnightS }));
    for (const { hide, around, at, ...rest } of several) {
      const view = { ...rest, hide: new Set(hide), focus: [] };
      const number = at % profile.frames.length;
      const expected = viewStacks(profile, { ...view, around: around === null ? null : { frame: number, side: around } }).profile;
      const rows = await ask(scope, { ...view, around: around === null ? null : { frame: storedFrameId(profile, number).toString(), side: around } });
      expect(profileTreeText(treeOfStackRows(rows, "cuda"))).toBe(treeText(foldStacks(expected), expected.frames));
    }
  }), { numRuns: 20 });
});

test("values and counts of 64 bits keep every digit", async () => {
  const scope = newTenant();
  await storeProfile(engine, scope, { profileType: "cuda", frames: [frame("a"), frame("b")], stacks: [{ frames: [0], value: 2n ** 63n + 1n, count: 2n ** 32n - 1n }, { frames: [1, 0], value: 2n ** 53n + 1n, count: 3n }] }, () => ({ atS: midnightS }));
  expect(profileTreeText(treeOfStackRows(await ask(scope), "cuda"))).toBe("all 9232379236109516802/0 ×4294967298\n  a 9223372036854775809/9223372036854775809 ×4294967295\n  b 9007199254740993/0 ×3\n    a 9007199254740993/9007199254740993 ×3");
});

test("no stacks, no rows", async () => {
  const rows = await ask(newTenant());
  expect(rows).toEqual([]);
  expect(profileTreeText(treeOfStackRows(rows, "cuda"))).toBe("all 0/0 ×0");
});

test.each([{ stacksMax: 3, nodesMax: 7 }, { stacksMax: 4, nodesMax: 6 }])("over a bound the answer is short and says how many there are: %o", async (bounds) => {
  const scope = newTenant();
  await storeProfile(engine, scope, drawn, () => ({ atS: midnightS }));
  const rows = await ask(scope, wholeStacks, bounds);
  expect(rows.map(({ all_stacks, all_nodes, ends }) => [all_stacks, all_nodes, ends.length])).toEqual(expect.arrayContaining([[4, 7, 1]]));
  expect(rows.flatMap(({ ends }) => ends)).toEqual([1]);
});
