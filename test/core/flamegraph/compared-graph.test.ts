// A comparison drawn: widths are what both sides have together on the basis, figures are each side's own.
import fc from "fast-check";
import { expect, test } from "vitest";
import { comparedGraph } from "#core/flamegraph/compare/compared-graph.ts";
import { indexTree } from "#core/flamegraph/tree-index.ts";
import type { FlamegraphComparison } from "#schema/api/flamegraph-comparison.ts";

type Comparison = Parameters<typeof comparedGraph>[0];

// Rows are [depth, frame, selfA, selfB]; a count of one for each unit of self.
function comparison(rows: readonly (readonly [number, number, number, number])[], basis: FlamegraphComparison["basis"] = "share", per: { a: number | null; b: number | null } = { a: 1, b: 1 }): Comparison {
  const nodes: FlamegraphComparison["nodes"] = { parent: [], frame: [], a: [], b: [], selfA: [], selfB: [], countA: [], countB: [] };
  const above: number[] = [];
  rows.forEach(([depth, frame, a, b], node) => {
    above[depth] = node;
    nodes.parent.push(depth === 0 ? -1 : above[depth - 1]!);
    nodes.frame.push(frame);
    for (const column of [nodes.a, nodes.selfA, nodes.countA]) column.push(a);
    for (const column of [nodes.b, nodes.selfB, nodes.countB]) column.push(b);
  });
  for (let node = rows.length - 1; node > 0; node--) for (const column of [nodes.a, nodes.b, nodes.countA, nodes.countB]) column[nodes.parent[node]!]! += column[node]!;
  const side = (value: number) => ({ value }) as FlamegraphComparison["a"];
  return { basis, nodes, a: side(nodes.a[0]!), b: side(nodes.b[0]!), overall: { perBasis: per } as FlamegraphComparison["overall"] };
}

const drawn = comparison([
  [0, 0, 0, 0],
  [1, 2, 0, 0], // attention: 30 of 100, 60 of 200: the same share
  [2, 3, 30, 0],
  [2, 4, 0, 60],
  [1, 5, 70, 100],
  [1, 1, 0, 40], // (other)
]);

test("by share: twice the load is no change, and a width is the sum of both shares", () => {
  const { nodes, figures } = comparedGraph(drawn);
  expect(nodes.parent).toEqual([-1, 0, 1, 1, 0, 0]);
  expect(nodes.total.map((total) => Number(total.toFixed(6)))).toEqual([2, 0.6, 0.3, 0.3, 1.2, 0.2]);
  expect(figures[1]).toEqual({ a: 0.3, b: 0.3, relative: 0, countA: 30, countB: 60 });
  expect(figures[2]).toMatchObject({ a: 0.3, b: 0, relative: -1 });
  expect(figures[3]).toMatchObject({ a: 0, b: 0.3, relative: null });
  expect(figures[4]!.relative).toBeCloseTo(0.5 / 0.7 - 1, 12);
});

test("only what is gone, and only what is new: stacks that end where the other side has nothing; what was cut is neither", () => {
  const gone = comparedGraph(drawn, "gone");
  expect([gone.nodes.frame, gone.nodes.parent, gone.nodes.total.map((total) => Number(total.toFixed(6)))]).toEqual([[0, 2, 3], [-1, 0, 1], [0.3, 0.3, 0.3]]);
  const added = comparedGraph(drawn, "new");
  expect([added.nodes.frame, added.nodes.total.map((total) => Number(total.toFixed(6)))]).toEqual([[0, 2, 4], [0.3, 0.3, 0.3]]);
  expect(added.figures[1]).toEqual(comparedGraph(drawn).figures[1]); // figures are of the whole node, whatever is drawn of it
});

test("by time each side has its own divisor, by launch each node", () => {
  const byTime = comparedGraph(comparison([[0, 0, 0, 0], [1, 2, 100, 300]], "time", { a: 10, b: 15 }));
  expect([byTime.nodes.total[0], byTime.figures[1]]).toEqual([25, { a: 10, b: 15, relative: 0.5, countA: 100, countB: 300 }]);
  const byLaunch = comparison([[0, 0, 0, 0], [1, 2, 100, 300], [1, 3, 100, 0]], "launch", { a: 7, b: 9 });
  byLaunch.nodes.countA[1] = 10;
  byLaunch.nodes.countB[1] = 20;
  expect(comparedGraph(byLaunch).figures.slice(1)).toEqual([{ a: 10, b: 15, relative: 0.5, countA: 10, countB: 20 }, { a: 1, b: null, relative: null, countA: 100, countB: 0 }]);
});

test("a side without tokens has no figures, and no width", () => {
  const { nodes, figures } = comparedGraph(comparison([[0, 0, 0, 0], [1, 2, 100, 300]], "token", { a: 5, b: null }));
  expect([nodes.total[0], figures[1]]).toEqual([5, { a: 5, b: null, relative: null, countA: 100, countB: 300 }]);
});

test("totals add up in every form of it", () => {
  const rows = fc.array(fc.tuple(fc.nat(4), fc.integer({ min: 1, max: 6 }), fc.nat(50), fc.nat(50)), { minLength: 1, maxLength: 40 }).map((drawn) => {
    let depth = 0;
    return [[0, 0, 0, 0] as const, ...drawn.map(([by, frame, a, b]) => [(depth = Math.max(1, Math.min(depth + 1, by + 1))), frame, a, b] as const)];
  });
  fc.assert(fc.property(rows, fc.constantFrom(null, "gone" as const, "new" as const), (drawn, only) => {
    const { nodes, figures } = comparedGraph(comparison(drawn), only);
    indexTree(nodes);
    expect(figures).toHaveLength(nodes.parent.length);
    const rest = [...nodes.total];
    nodes.parent.forEach((above, node) => void (above >= 0 && (rest[above]! -= nodes.total[node]!)));
    rest.forEach((left, node) => expect(left).toBeCloseTo(nodes.self[node]!, 9));
  }));
});
