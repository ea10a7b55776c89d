import fc from "fast-check";
import { expect, test } from "vitest";
import { flamegraphColumns } from "#core/flamegraph/columns.ts";
import { childAt, childrenOf, indexTree, pathTo } from "#core/flamegraph/tree-index.ts";
import { foldedRowsOf, randomProfile } from "#test/rig/stacks.ts";

//                    0            1        2        3       4       5
//                    all 10       a 6      a/x 4    a/y 1   b 3     b/z 3
const nodes = { parent: [-1, 0, 1, 1, 0, 4], total: [10, 6, 4, 1, 3, 3] };

test("depth, subtree ends and left edges", () => {
  const index = indexTree(nodes);
  expect([...index.depth]).toEqual([0, 1, 2, 2, 1, 2]);
  expect([...index.end]).toEqual([6, 4, 3, 4, 6, 6]);
  expect([...index.offset]).toEqual([0, 0, 0, 4, 6, 6]);
  expect(index.deepest).toBe(2);
});

test("children, paths and the child under a position", () => {
  const index = indexTree(nodes);
  expect(childrenOf(index, 0)).toEqual([1, 4]);
  expect(childrenOf(index, 2)).toEqual([]);
  expect(pathTo(nodes.parent, 5)).toEqual([0, 4, 5]);
  expect([0, 5.5, 6, 8.9, 9, -1].map((x) => childAt(index, nodes.total, 0, x))).toEqual([1, 1, 4, 4, undefined, undefined]);
});

test.each([
  ["a parent after its child", [-1, 2, 0]],
  ["two roots", [-1, -1]],
  ["a subtree in two pieces", [-1, 0, 0, 1]],
])("%s is refused", (_what, parent) => {
  expect(() => indexTree({ parent, total: parent.map(() => 1) })).toThrow(/not depth-first/);
});

test("an empty answer has an empty index", () => {
  expect(indexTree({ parent: [], total: [] })).toMatchObject({ size: 0, deepest: 0 });
});

test("every child lies inside its parent and beside its siblings", () => {
  fc.assert(fc.property(randomProfile, (profile) => {
    const folded = foldedRowsOf(profile);
    const { nodes } = flamegraphColumns(folded, "cuda");
    const index = indexTree(nodes);
    for (let node = 0; node < index.size; node++) {
      let left = index.offset[node]!;
      for (const child of childrenOf(index, node)) {
        expect([nodes.parent[child], index.depth[child], index.offset[child]]).toEqual([node, index.depth[node]! + 1, left]);
        left += nodes.total[child]!;
      }
      expect(left + nodes.self[node]!).toBe(index.offset[node]! + nodes.total[node]!);
    }
  }));
});
