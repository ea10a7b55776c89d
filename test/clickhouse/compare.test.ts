// The SQL of clickhouse/compare.ts on a real ClickHouse, against plain loops over the same stacks.
import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { comparedNodes, hostsOf, kernelSeries, moduleSeries } from "#clickhouse/compare.ts";
import { timeline } from "#clickhouse/timeline.ts";
import type { Query } from "#clickhouse/client.ts";
import type { Interval, SampleSelection } from "#clickhouse/samples.ts";
import { type TenantScope, tenantScope } from "#clickhouse/scope.ts";
import { comparedTree } from "#core/flamegraph/compare/compare-tree.ts";
import { layerPatterns } from "#core/flamegraph/layer-pattern.ts";
import { viewStacks, wholeStacks } from "#core/flamegraph/stack-view.ts";
import type { Frame, StackProfile } from "#core/flamegraph/stacks.ts";
import { foldStacks, otherFrame, rootFrame } from "#core/flamegraph/tree.ts";
import { openEngine } from "#test/rig/engine.ts";
import { drawProfile, randomLayers } from "#test/rig/stacks.ts";
import { storeProfile } from "#test/rig/store-profile.ts";
import type { z } from "zod";

const engine = openEngine();
afterAll(() => engine.close());

const nowS = Math.floor(Date.now() / 1000);
const hourS = 3_600;
const midnightS = nowS - (nowS % 86_400) - 86_400;
const selected = (scope: TenantScope, fromS: number, toS: number): SampleSelection => ({ scope, profileType: "cuda", executionId: "", fromS, toS, nowS, where: { sql: "1", params: {} }, rollup: "samples_1h_by_exe" });

let tenants = 0;
function newTenant(): TenantScope {
  return tenantScope((tenants++).toString(26).padStart(16, "0").replaceAll(/\d/g, (digit) => "qrstuvwxyz"[Number(digit)]!), 30);
}

async function rows<Row extends z.ZodType>(query: Query & { row: Row }): Promise<z.infer<Row>[]> {
  return (await engine.query(query.sql, { ...query.params })).map((one) => query.row.parse(one));
}

// Half of the stacks before noon, half after; each at a moment of its own.
const at = (stack: number) => midnightS + (stack % 2) * 12 * hourS + ((stack * 1_213) % (11 * hourS));
const half = (profile: StackProfile, side: number): StackProfile => ({ ...profile, stacks: profile.stacks.filter((_stack, number) => number % 2 === side) });

describe("two halves of a day", () => {
  test("nodes are those of each half folded by itself, layers by their paths", async () => {
    await fc.assert(fc.asyncProperty(randomLayers, fc.boolean(), async (profile, foldLayers) => {
      const scope = newTenant();
      await storeProfile(engine, scope, profile, (stack) => ({ atS: at(stack) }));
      const view = { ...wholeStacks, foldLayers, layersByPath: true };
      const [before, after] = [selected(scope, midnightS, midnightS + 12 * hourS), selected(scope, midnightS + 12 * hourS, midnightS + 86_400)];
      const { tree, frames, cutNodes } = comparedTree(await rows(comparedNodes(before, after, view, 65_536)));
      expect(cutNodes).toBe(0);
      for (const side of ["a", "b"] as const) {
        const expected = viewStacks(half(profile, side === "a" ? 0 : 1), view).profile;
        expect(lines(tree, (node) => node[side], frames)).toEqual(lines(foldStacks(expected), (node) => node, expected.frames));
      }
    }), { numRuns: 15 });
  });

  test("what is cut is in (other), on each side exactly", async () => {
    await fc.assert(fc.asyncProperty(randomLayers, fc.nat(6), async (profile, nodesMax) => {
      const scope = newTenant();
      await storeProfile(engine, scope, profile, (stack) => ({ atS: at(stack) }));
      const { tree } = comparedTree(await rows(comparedNodes(selected(scope, midnightS, midnightS + 12 * hourS), selected(scope, midnightS + 12 * hourS, midnightS + 86_400), wholeStacks, nodesMax)));
      for (const side of ["a", "b"] as const) {
        let selfs = 0n;
        const open = [tree];
        for (let node = open.pop(); node; node = open.pop()) {
          selfs += node[side].self;
          open.push(...node.children);
          expect(node[side].total).toBe(node[side].self + node.children.reduce((sum, child) => sum + child[side].total, 0n));
        }
        expect(selfs).toBe(half(profile, side === "a" ? 0 : 1).stacks.reduce((sum, { value }) => sum + value, 0n));
      }
    }), { numRuns: 10 });
  });

  test("series by module, by kernel and in all are sums over the stacks, minute by minute and hour by hour", async () => {
    await fc.assert(fc.asyncProperty(randomLayers, fc.boolean(), fc.constantFrom(60, 600, hourS, 2 * hourS), async (profile, foldLayers, seconds) => {
      const scope = newTenant();
      await storeProfile(engine, scope, profile, (stack) => ({ atS: at(stack) }));
      const selection = selected(scope, midnightS + 60, midnightS + 86_400 - 60);
      const interval: Interval = { seconds };
      const patternOf = layerPatterns(profile.frames);
      const inside = (stack: number) => at(stack) >= selection.fromS && at(stack) < selection.toS;
      const expected = (keys: (frames: readonly Frame[]) => Iterable<string>) => {
        const sums = new Map<string, [bigint, bigint]>();
        profile.stacks.forEach(({ frames, value, count }, stack) => {
          if (!inside(stack)) return;
          for (const key of new Set(keys(frames.map((frame) => profile.frames[frame]!)))) {
            const cell = `${key} @${Math.floor(at(stack) / seconds)}`;
            const [values, counts] = sums.get(cell) ?? [0n, 0n];
            sums.set(cell, [values + value, counts + count]);
          }
        });
        return [...sums].map(([cell, [value, count]]) => `${cell} ${value} ×${count}`).sort();
      };
      const told = (series: { key: string; intervals: number[]; values: string[]; counts: string[] }[]) =>
        series.flatMap(({ key, intervals, values, counts }) => intervals.map((interval, at) => `${key} @${interval} ${values[at]} ×${counts[at]}`)).sort();
      expect(told((await rows(moduleSeries(selection, interval, foldLayers))).map((row) => ({ key: row.path, ...row }))))
        .toEqual(expected((frames) => frames.filter(({ kind }) => kind === "layer").map((frame) => (foldLayers ? patternOf(frame)?.modulePath : undefined) ?? frame.modulePath)));
      expect(told((await rows(kernelSeries(selection, interval))).map((row) => ({ key: row.name, ...row }))))
        .toEqual(expected((frames) => frames.filter(({ kind }) => kind === "gpu_kernel").slice(-1).map(({ name }) => name)));
      expect(told((await rows(timeline(selection, interval, 100))).map(({ interval, value, count }) => ({ key: "all", intervals: [interval], values: [value], counts: [count] }))))
        .toEqual(expected(() => ["all"]));
    }), { numRuns: 12 });
  });
});

test("a module of two models, quantised in one, is one row that names both classes", async () => {
  const scope = newTenant();
  const layer = (moduleClass: string, modelKey: string): Frame => ({ kind: "layer", name: `${moduleClass} fc`, file: "", line: 0, mapping: "", modulePath: "fc", moduleClass, modelKey });
  await storeProfile(engine, scope, {
    profileType: "cuda", frames: [layer("Linear", "1"), layer("Linear4bit", "2")],
    stacks: [{ frames: [0], value: 5n, count: 1n }, { frames: [1], value: 3n, count: 1n }],
  }, () => ({ atS: midnightS }));
  const found = await rows(moduleSeries(selected(scope, midnightS, midnightS + 86_400), { seconds: 86_400 }, true));
  expect(found).toEqual([{ path: "fc", classes: ["Linear", "Linear4bit"], intervals: [Math.floor(midnightS / 86_400)], values: ["8"], counts: ["2"] }]);
});

test("the hosts of a selection, whatever roll-up could answer the rest of it", async () => {
  const scope = newTenant();
  for (const [host, atS] of [["node-2", midnightS], ["", midnightS + 60], ["node-1", midnightS + 3 * hourS], ["node-3", midnightS + 5 * hourS]] as const) await storeProfile(engine, scope, drawProfile("main\n1"), () => ({ atS, host }));
  const found = async (change: Partial<SampleSelection>, limit = 9) => (await rows(hostsOf({ ...selected(scope, midnightS, midnightS + 4 * hourS), ...change }, limit))).map((row) => row.host_name);
  expect(await found({})).toEqual(["", "node-1", "node-2"]);
  expect(await found({}, 2)).toEqual(["", "node-1"]);
  expect(await found({ where: { sql: "host_name = {p0:String}", params: { p0: "node-2" } } })).toEqual(["node-2"]);
  expect(await found({ profileType: "cpu" })).toEqual([]);
});

// Nodes that have something on the side, by path of names: a layer's by its path.
function lines<Node extends { frame: number; children: Node[] }>(root: Node, of: (node: Node) => { total: bigint; self: bigint; count: bigint; selfCount: bigint }, frames: readonly Frame[]): string[] {
  const found: string[] = [];
  const visit = (node: Node, path: string) => {
    const { total, self, count, selfCount } = of(node);
    if (total > 0n || count > 0n) found.push(`${path} ${total}/${self} ×${count}/${selfCount}`);
    for (const child of node.children) {
      if (child.frame === otherFrame || child.frame === rootFrame) throw new Error("nothing is cut here");
      const frame = frames[child.frame]!;
      visit(child, `${path}/${frame.kind}:${frame.kind === "layer" ? frame.modulePath : frame.name}`);
    }
  };
  visit(root, "");
  return found.sort();
}
