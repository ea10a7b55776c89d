import fc from "fast-check";
import { expect, test } from "vitest";
import { type TreeNode, foldStacks, otherFrame, pruneTree, walkTree } from "#core/flamegraph/tree.ts";
import { frameKindNames } from "#schema/frame-kinds.ts";
import { drawProfile, randomProfile, treeText } from "#test/rig/stacks.ts";

const twoLayers = drawProfile(`
  serve             serve             serve             serve
  Block h.0:layer   Block h.1:layer   Block h.0:layer   sample
  forward           forward           forward           3
  gemm:gpu_kernel   gemm:gpu_kernel   norm:gpu_kernel
  10/1              8/1               2/4
`);

test("stacks fold by prefix, heaviest child first", () => {
  expect(treeText(foldStacks(twoLayers), twoLayers.frames)).toBe(`
all 23/0 ×9
  serve 23/0 ×9
    Block h.0 12/0 ×5
      forward 12/0 ×5
        gemm 10/10 ×1
        norm 2/2 ×4
    Block h.1 8/0 ×1
      forward 8/0 ×1
        gemm 8/8 ×1
    sample 3/3 ×3`.trim());
});

test("hiding layers merges what they kept apart and sums it again", () => {
  expect(treeText(foldStacks(twoLayers, new Set(["layer"])), twoLayers.frames)).toBe(`
all 23/0 ×9
  serve 23/0 ×9
    forward 20/0 ×6
      gemm 18/18 ×2
      norm 2/2 ×4
    sample 3/3 ×3`.trim());
});

test("a hidden leaf leaves its value with its parent, and a stack of hidden frames with the root", () => {
  const profile = drawProfile(`
    main              gemm:gpu_kernel
    gemm:gpu_kernel   5
    7
  `);
  expect(treeText(foldStacks(profile, new Set(["gpu_kernel"])), profile.frames)).toBe("all 12/5 ×12\n  main 7/7 ×7");
});

test("equal weights are ordered by name, then by module path", () => {
  const profile = drawProfile(`
    b   Block h.0@h.1:layer   Block h.0@h.0:layer   a
    1   1                     1                     1
  `);
  expect(foldStacks(profile).children.map(({ frame }) => frame)).toEqual([2, 1, 3, 0]);
});

test("what is cut becomes one (other) child per parent, last, with its value and count", () => {
  const { tree, cutNodes, cutTotal } = pruneTree(foldStacks(twoLayers), 4);
  expect(treeText(tree, twoLayers.frames)).toBe(`
all 23/0 ×9
  serve 23/0 ×9
    Block h.0 12/0 ×5
      forward 12/0 ×5
        gemm 10/10 ×1
        (other) 2/2 ×4
    (other) 11/11 ×4`.trim());
  expect({ cutNodes, cutTotal }).toEqual({ cutNodes: 5, cutTotal: 13n });
});

test("a stack a hundred thousand frames deep folds", () => {
  const frames = Array.from({ length: 100_000 }, () => 0);
  const { frames: dictionary } = drawProfile("f\n1");
  const tree = foldStacks({ profileType: "cuda", frames: dictionary, stacks: [{ frames, value: 1n, count: 1n }] });
  let deepest = 0;
  walkTree(tree, (_node, depth) => (deepest = Math.max(deepest, depth)));
  expect(deepest).toBe(100_000);
});

test("root totals survive hiding any kinds and any cut, and every node adds up", () => {
  fc.assert(fc.property(randomProfile, fc.subarray(frameKindNames), fc.nat(20), (profile, hide, nodesMax) => {
    const value = profile.stacks.reduce((sum, stack) => sum + stack.value, 0n);
    const count = profile.stacks.reduce((sum, stack) => sum + stack.count, 0n);
    const whole = foldStacks(profile, new Set(hide));
    const { tree, cutNodes, cutTotal } = pruneTree(whole, nodesMax);
    for (const root of [whole, tree]) {
      expect([root.total, root.count]).toEqual([value, count]);
      walkTree(root, (node) => expect(sumOf(node)).toEqual([node.total, node.count]));
    }
    let [all, kept, other] = [0, 0, 0n];
    walkTree(whole, () => void all++);
    walkTree(tree, (node) => (node.frame === otherFrame ? void (other += node.total) : void kept++));
    expect(kept).toBe(Math.min(all, nodesMax + 1));
    expect([cutNodes, cutTotal]).toEqual([all - kept, other]);
  }));
});

test("what lies in each kernel is the same with layers shown and hidden", () => {
  fc.assert(fc.property(randomProfile, (profile) => {
    const insideKernel = (root: TreeNode, name: string): bigint => {
      const frame = profile.frames[root.frame];
      if (frame?.kind === "gpu_kernel" && frame.name === name) return root.total;
      return root.children.reduce((sum, child) => sum + insideKernel(child, name), 0n);
    };
    const [shown, hidden] = [foldStacks(profile), foldStacks(profile, new Set(["layer"]))];
    for (const { name } of profile.frames) expect(insideKernel(hidden, name)).toBe(insideKernel(shown, name));
  }));
});

function sumOf({ self, selfCount, children }: TreeNode): bigint[] {
  return [children.reduce((sum, child) => sum + child.total, self), children.reduce((sum, child) => sum + child.count, selfCount)];
}
