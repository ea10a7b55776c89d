import fc from "fast-check";
import { expect, test } from "vitest";
import { flamegraphColumns } from "#core/flamegraph/columns.ts";
import { type FrameRow, treeOfRows } from "#core/flamegraph/rows.ts";
import type { StackProfile } from "#core/flamegraph/stacks.ts";
import { frameColumns, nodeColumns } from "#schema/api/flamegraph.ts";
import { columnsText, drawProfile, foldedRowsOf, randomProfile, treeText } from "#test/rig/stacks.ts";

const foldedOf = (profile: StackProfile, nodesMax?: number) => ({ ...foldedRowsOf(profile, nodesMax), samples: 7n });

test("nodes are numbered depth-first, only shown frames are listed, frames 0 and 1 are the root and (other)", () => {
  const profile = drawProfile(`
    main          main              main        idle
    gemm:op       Norm n@n:layer    tiny:op     2
    10            4                 1
  `);
  const answer = flamegraphColumns(foldedOf(profile, 4), "cuda");
  expect(columnsText(answer)).toBe(`
all 17/0 ×17
  main 15/0 ×15
    gemm 10/10 ×10
    Norm n 4/4 ×4
    (other) 1/1 ×1
  idle 2/2 ×2`.trim());
  expect(answer.frames.kind).toEqual(["root", "other", "python", "op", "layer", "python"]);
  expect(answer.frames.modulePath[4]).toBe("n");
  expect(answer).toMatchObject({ unit: "ns", total: 17, samples: 7, truncated: { nodes: 1, total: 1 } });
});

test("the columns are the tree", () => {
  fc.assert(fc.property(randomProfile, fc.nat(20), (profile, nodesMax) => {
    const folded = foldedOf(profile, nodesMax);
    const answer = flamegraphColumns(folded, "cuda");
    expect(columnsText(answer)).toBe(treeText(folded.tree, profile.frames));
    nodeColumns.parse(answer.nodes);
    frameColumns.parse(answer.frames);
  }));
});

test("ns below 2^53, µs from there on, and in µs everything still adds up", () => {
  const { frames } = drawProfile("a  a\nb  c\n1  1");
  const stack = (value: bigint, ...numbers: number[]) => ({ frames: numbers, value, count: 1n });
  const profile = (value: bigint): StackProfile => ({ profileType: "cuda", frames, stacks: [stack(value, 0, 1), stack(1_499n, 0, 2), stack(501n, 1)] });
  expect(flamegraphColumns(foldedOf(profile(2n ** 53n - 2001n)), "cuda")).toMatchObject({ unit: "ns", total: 2 ** 53 - 1 });
  const large = flamegraphColumns(foldedOf(profile(2n ** 53n)), "cuda");
  expect(large.unit).toBe("us");
  expect(columnsText(large)).toBe(`
all 9007199254743/0 ×3
  a 9007199254742/0 ×2
    b 9007199254741/9007199254741 ×1
    c 1/1 ×1
  b 1/1 ×1`.trim());
  expect(flamegraphColumns(foldedOf(profile(2n ** 53n)), "cuda_launch").unit).toBe("count");
});

const row = (frame: string, name: string, nodes: [id: string, parent: string, total: string, self: string][]): FrameRow => ({
  frame, name, file: "", line: 0, mapping: "", module_path: "", module_class: "", model_key: "", samples: "3", without_layer: "4", whole: "20", all_nodes: "9",
  nodes: nodes.map(([id]) => id), parents: nodes.map(([, parent]) => parent), totals: nodes.map(([, , total]) => total), selfs: nodes.map(([, , , self]) => self),
  counts: nodes.map(() => "0"), self_counts: nodes.map(() => "0"), copies: nodes.map(() => "1"),
});

test("rows become a tree; what the store cut, and what lost its parent, is in (other); a frame without a dictionary row says so", () => {
  const folded = treeOfRows([
    row("0", "", [["0", "0", "20", "1"]]),
    row("34", "main", [["900", "0", "15", "0"]]),
    row("21", "gemm", [["901", "900", "9", "9"], ["902", "777", "2", "2"]]),
    row("54", "", [["903", "0", "3", "3"]]),
  ]);
  expect(treeText(folded.tree, folded.frames)).toBe(`
all 20/1 ×0
  main 15/0 ×0
    gemm 9/9 ×0
    (other) 6/6 ×0
  (frame 36 is not stored) 3/3 ×0
  (other) 1/1 ×0`.trim());
  expect(folded.frames.map(({ kind }) => kind)).toEqual(["python", "gpu_kernel", "layer"]);
  expect(folded).toMatchObject({ samples: 3n, withoutLayer: 4n, cutNodes: 5, cutTotal: 7n });
});

test("no rows are an empty answer", () => {
  expect(flamegraphColumns(treeOfRows([]), "cuda")).toMatchObject({ total: 0, samples: 0, truncated: { nodes: 0, total: 0 }, nodes: { parent: [-1] } });
});
