import { describe, expect, test } from "vitest";
import { indexTree } from "#core/flamegraph/tree-index.ts";
import { nextMatch, siblingPlace, walk, widerAncestor, type Step } from "#dashboard/pages/flamegraph/walk.ts";
import { answerOf, nameOf, nodeNamed } from "./answer.ts";

const answer = answerOf(`
  python:main 100
    python:only 100
      python:a 60
        native:deep 60
      python:b 30
      python:c 10
`);
const index = indexTree(answer.nodes);
const { parent, total } = answer.nodes;

describe("arrow keys", () => {
  test.each([
    ["b", "caller", "only"],
    ["only", "callee", "a"],
    ["deep", "callee", "deep"],
    ["a", "right", "b"],
    ["b", "left", "a"],
    ["a", "left", "a"],
    ["c", "right", "c"],
    ["b", "first", "a"],
    ["a", "last", "c"],
  ] as readonly [string, Step, string][])("%s, %s → %s", (from, step, to) => {
    expect(nameOf(answer, walk(index, parent, nodeNamed(answer, from), step))).toBe(to);
  });

  test("nothing leads out of the root", () => {
    for (const step of ["caller", "left", "right", "first", "last"] as const) expect(walk(index, parent, 0, step)).toBe(0);
  });
});

test("a place among siblings counts from one", () => expect(siblingPlace(index, parent, nodeNamed(answer, "b"))).toEqual({ position: 2, size: 3 }));
test("up skips callers of the same width, and ends at the root where a caller is as wide as all", () => {
  expect(widerAncestor(parent, total, nodeNamed(answer, "deep"))).toBe(0);
  const two = answerOf(`
    python:main 100
      python:part 90
        python:a 60
          native:deep 60
      python:rest 10
  `);
  expect(nameOf(two, widerAncestor(two.nodes.parent, two.nodes.total, nodeNamed(two, "deep")))).toBe("part");
});

test("matches go round in both directions", () => {
  expect(nextMatch([2, 5, 9], 5, true)).toBe(9);
  expect(nextMatch([2, 5, 9], 9, true)).toBe(2);
  expect(nextMatch([2, 5, 9], 2, false)).toBe(9);
  expect(nextMatch([], 2, true)).toBeUndefined();
});
