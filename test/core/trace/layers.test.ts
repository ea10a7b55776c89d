// Layers beside each other: runs, the map of layers by modules, distances, and operators by layer. Figures are worked out by hand.
import { describe, expect, test } from "vitest";
import fc from "fast-check";
import { outliers } from "#core/trace/call-statistics.ts";
import { layerGrid, layerRuns } from "#core/trace/layer-grid.ts";
import { layerOperators } from "#core/trace/layer-operators.ts";
import { layerSpread } from "#core/trace/layer-spread.ts";
import { moduleStatistics } from "#core/trace/module-statistics.ts";
import { sortSiblings } from "#core/trace/sort-siblings.ts";
import { unlikeSentence } from "#core/trace/unlike-sentence.ts";
import { drawRecord } from "#test/rig/draw-record.ts";

const layer = (i: number, attn: number, experts: readonly number[]) => `  layers.${i} Layer 1 ${attn + experts.reduce((a, b) => a + b)} 3\n    attn Attn 1 ${attn} 1\n    mlp Moe 1 ${experts.reduce((a, b) => a + b)} 2\n${experts.map((value, e) => `      experts.${e} Expert 1 ${value} 1`).join("\n")}`;
const record = drawRecord(`. Net 1 1000 12\n  head.0 Head 1 1 0\n  head.1 Head 1 1 0\n${[layer(0, 10, [1, 2]), layer(1, 20, [3, 4]), layer(2, 30, [5, 6])].join("\n")}`, {
  kernels: [
    { module: 4, op: "aten::mm", kernel: "a", count: 1, value: 10 }, { module: 9, op: "aten::mm", kernel: "a", count: 2, value: 20 }, { module: 14, op: "aten::mm", kernel: "b", count: 1, value: 30 },
    { module: 6, op: "aten::mm", kernel: "e", count: 1, value: 1 }, { module: 7, op: "aten::mm", kernel: "e", count: 1, value: 2 }, { module: 0, op: "aten::add", kernel: "x", count: 1, value: 99 }, { module: -1, op: "aten::add", kernel: "x", count: 1, value: 99 },
  ],
});
const nodes = moduleStatistics(record);

describe("a map of layers", () => {
  const [run, ...others] = layerRuns(nodes);
  const grid = layerGrid(record, nodes, run!);

  test("runs are those that lie in no other, what took most first", () => {
    expect(run!.label).toBe("Layer layers.0…2");
    expect(others.map(({ label }) => label)).toEqual(["Head head.0…1"]);
  });

  test("a column a place inside, the layer itself first; experts of one layer are added up", () => {
    expect(grid.layers).toEqual(["layers.0", "layers.1", "layers.2"]);
    expect(grid.columns.map(({ label, depth, copies, values }) => [label, depth, copies, values])).toEqual([
      ["the whole layer", 0, 1, [13, 27, 41]], ["Attn attn", 1, 1, [10, 20, 30]], ["Moe mlp", 1, 1, [3, 7, 11]], ["Expert experts.0…1", 2, 2, [3, 7, 11]],
    ]);
  });

  test("operators keep the place they are called in, by layer; what lies in no layer is not theirs", () => {
    expect(layerOperators(record, grid).map(({ column, op, value, kernels }) => [column, record.texts[op], value, kernels])).toEqual([[1, "aten::mm", [10, 20, 30], [1, 2, 1]], [3, "aten::mm", [3, 0, 0], [2, 0, 0]]]);
  });
});

describe("distances", () => {
  test("of [10, 10, 12, 14, 100] the median is 12, the median distance 2, and 100 lies outside 6 to 18", () => {
    const values = [10, 10, 12, 14, 100];
    const spread = layerSpread(values);
    expect(spread).toMatchObject({ min: 10, median: 12, max: 100, low: 6, high: 18, mean: 29.2, unlike: [4] });
    expect(spread.sigma[4]).toBeCloseTo((100 - 29.2) / spread.deviation, 12);
    expect(spread.deviation).toBeCloseTo(Math.sqrt((2 * 19.2 ** 2 + 17.2 ** 2 + 15.2 ** 2 + 70.8 ** 2) / 5), 12);
    expect(unlikeSentence("layers.4", "attn", "100 ns", spread, values, 4)).toBe(`layers.4 attn took 100 ns, 2.0 σ over its siblings (8.33 × their median)`);
  });

  test("a band is where no value is an outlier", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(1_000), { minLength: 4, maxLength: 40 }), (values) => {
        const { low, high, unlike } = layerSpread(values);
        expect([...unlike].sort((a, b) => a - b)).toEqual(outliers(values));
        for (const [i, value] of values.entries()) expect(value >= low && value <= high).toBe(!unlike.includes(i));
      }),
    );
  });
});

test("siblings sorted: larger first, what holds something before it, equal ones as they were", () => {
  const tree = [["a", 0, 1], ["a.x", 1, 1], ["a.y", 1, 5], ["b", 0, 9], ["c", 0, 1]].map(([name, depth, value]) => ({ name, depth: depth as number, value: value as number }));
  expect(sortSiblings(tree, ({ value }) => value).map(({ name }) => name)).toEqual(["b", "a", "a.y", "a.x", "c"]);
});
