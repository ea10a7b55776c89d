// The rows of the profiler's tree: what is open at first, what a person opened or closed, and the way to a module that lies in something closed.
import { expect, test } from "vitest";
import { moduleStatistics } from "#core/trace/module-statistics.ts";
import { ownValues, sharesOfParent } from "#dashboard/pages/execution/own-values.ts";
import { moduleTree, parseToggled, printToggled, revealed, treeRows } from "#dashboard/pages/execution/tree-rows.ts";
import { drawRecord } from "#test/rig/draw-record.ts";

const record = drawRecord(`
  .              Net        1 1000 9
    embed        Embedding  1   10 1
    layers.0     Layer      1  450 3
      attn       Attn       1   50 1
        q        Linear     1   20 1
      mlp        Mlp        1  380 1
    layers.1     Layer      1  460 3
      attn       Attn       1   60 1
        q        Linear     1   30 1
      mlp        Mlp        1  390 1
`);
const nodes = moduleStatistics(record);
const tree = moduleTree(record, nodes, ({ value }) => value);
const shown = (toggled: readonly string[]) => treeRows(tree, new Set(toggled)).map(({ path, level, open }) => `${"  ".repeat(level - 1)}${path}${open === null ? "" : open ? " -" : " +"}`);

test("what takes over 15 % of the whole is open at first, the rest is closed", () => {
  expect(shown([])).toEqual([". -", "  embed", "  layers.0 -", "    layers.0.attn +", "    layers.0.mlp"]);
});

test("what was opened or closed by hand is the other way round", () => {
  expect(shown(["layers.0.attn"])).toContain("      layers.0.attn.q");
  expect(shown(["layers.0"])).toEqual([". -", "  embed", "  layers.0 +"]);
  expect(shown(["."])).toEqual([". +"]);
});

test("places among siblings are those of the whole tree", () => {
  expect(treeRows(tree, new Set()).map(({ position, siblings }) => `${position}/${siblings}`)).toEqual(["1/1", "1/2", "2/2", "1/2", "2/2"]);
});

test("a module in something closed is revealed by opening what holds it, and nothing else", () => {
  const toggled = revealed(tree, new Set(["layers.0", "."]), tree.paths.indexOf("layers.0.attn.q"));
  expect([...toggled]).toEqual(["layers.0.attn"]);
  expect(treeRows(tree, toggled).map(({ path }) => path)).toContain("layers.0.attn.q");
});

test("a path that stands in the tree twice has two names", () => {
  const twice = drawRecord("a A 1 10 1\na B 1 20 1");
  expect(moduleTree(twice, moduleStatistics(twice), ({ value }) => value).paths).toEqual(["a", "a~2"]);
});

test("paths with commas and percent signs survive the URL", () => {
  const toggled = new Set(["a,b", "c%2Cd", "."]);
  expect(printToggled(toggled)).toBe("a%2Cb,c%252Cd,.");
  expect(parseToggled(printToggled(toggled))).toEqual(toggled);
  expect(printToggled(new Set())).toBeUndefined();
  expect(parseToggled(undefined)).toEqual(new Set());
});

test("own time is what no called module took; shares are of what holds it, a root's of the whole", () => {
  const value = ({ value: one }: { value: number }) => one;
  expect(ownValues(tree, value)).toEqual([80, 10, 30, 60, 50, 770]);
  expect(sharesOfParent(tree, value, 2_000)).toEqual([0.5, 0.01, 0.91, 110 / 910, 50 / 110, 770 / 910]);
});
