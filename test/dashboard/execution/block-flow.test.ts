// Blocks and arrows of one module: their order, what is said of them, and lanes in which no two arrows overlap.
import { expect, test } from "vitest";
import fc from "fast-check";
import { blockFlow, laneArrows } from "#dashboard/pages/execution/block-flow.ts";

const arrow = (from: string, to: string) => ({ from, to, names: ["x"], dims: "[1,8]", via: [] });

test("without an analysis blocks stand in the order of the first calls, each after the one before", () => {
  expect(blockFlow([["a"], ["b"], ["c"]], undefined)).toEqual({ order: [0, 1, 2], arrows: [{ from: 0, to: 1, text: "" }, { from: 1, to: 2, text: "" }], inputs: [], source: "calls" });
});

test("with one they stand as it saw them; what it did not see comes last", () => {
  const flow = blockFlow([["later"], ["q"], ["unseen"]], { observed: true, order: ["q", "later"], arrows: [arrow("input:hidden", "q"), arrow("q", "later"), arrow("later", "output"), arrow("q", "gone")] });
  expect(flow).toMatchObject({ order: [1, 0, 2], inputs: ["hidden"], source: "observed" });
  expect(flow.arrows).toEqual([{ from: -1, to: 0, text: "hidden [1,8]" }, { from: 0, to: 1, text: "x [1,8]" }, { from: 1, to: 3, text: "x [1,8]" }]);
});

test("copies in one block share its arrows, and a dependency on layers.* is one on them", () => {
  const flow = blockFlow([["embed"], ["layers.0", "layers.1"]], { observed: false, order: ["embed", "layers.*"], arrows: [arrow("embed", "layers.*"), arrow("layers.0", "layers.1")] });
  expect(flow.arrows.map(({ from, to }) => [from, to])).toEqual([[0, 1], [1, 1]]);
});

test("arrows that pass blocks never overlap in their lane", () => {
  const arrows = fc.array(fc.record({ from: fc.integer({ min: -1, max: 8 }), to: fc.integer({ min: 0, max: 9 }), text: fc.constant("") }), { maxLength: 20 });
  fc.assert(
    fc.property(arrows, (all) => {
      const lanes = laneArrows(all);
      expect(lanes.length).toBe(all.filter(({ from, to }) => to > from).length);
      for (const [i, a] of lanes.entries()) for (const b of lanes.slice(i + 1)) if (a.lane === b.lane && a.lane > 0) expect(a.arrow.to <= b.arrow.from || b.arrow.to <= a.arrow.from).toBe(true);
    }),
  );
});
