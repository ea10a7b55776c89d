import { expect, test } from "vitest";
import { layerPatterns } from "#core/flamegraph/layer-pattern.ts";
import { mappedProfile, viewStacks, wholeStacks } from "#core/flamegraph/stack-view.ts";
import { foldStacks } from "#core/flamegraph/tree.ts";
import { drawProfile, frame, treeText } from "#test/rig/stacks.ts";

const pattern = (name: string, path: string, kind = "layer") => {
  const layer = { ...frame(`${name}@${path}:${kind}`), name };
  return layerPatterns([layer])(layer);
};

test("a layer's copies go by the path and the name with every index starred", () => {
  expect(pattern("Qwen3DecoderLayer layers.17", "model.layers.17")).toEqual({ name: "Qwen3DecoderLayer layers.*", modulePath: "model.layers.*" });
  expect(pattern("Qwen3Attention self_attn", "model.layers.17.self_attn")).toEqual({ name: "Qwen3Attention self_attn", modulePath: "model.layers.*.self_attn" });
  expect(pattern("Linear h.0.12", "h.0.12")).toEqual({ name: "Linear h.*.*", modulePath: "h.*.*" });
  expect(pattern("Linear 0", "0")).toEqual({ name: "Linear *", modulePath: "*" });
  expect(pattern("Block.Inner x.3", "x.3")).toEqual({ name: "Block.Inner x.*", modulePath: "x.*" });
  // Of a sender that names layers its own way: the path says it.
  expect(pattern("block number three", "h.3")).toEqual({ name: "block number three", modulePath: "h.*" });
});

test("of inferred paths a number is an index where a sibling of the class, with modules of its own, has one above 0", () => {
  const paths = ["N[0]", "N[0].B[0]", "N[0].B[0].L[0]", "N[0].B[0].L[1]", "N[0].B[1]", "N[0].B[1].L[0]", "N[0].E[0].F[0]", "N[0].E[2]"];
  const layers = paths.map((path) => ({ ...frame(`x@${path}:layer`), name: path.split(".").at(-1)! }));
  const patternOf = layerPatterns(layers);
  expect(layers.map((layer) => patternOf(layer)?.modulePath ?? null)).toEqual([null, "N[0].B[*]", "N[0].B[*].L[0]", "N[0].B[*].L[1]", "N[0].B[*]", "N[0].B[*].L[0]", null, null]);
  expect([patternOf(layers[4]!)?.name, patternOf(layers[3]!)?.name]).toEqual(["B[*]", "L[1]"]);
  // Of another model nothing is known, and its own siblings tell of it alone.
  expect(patternOf({ ...layers[4]!, modelKey: "0".repeat(32) })).toBeNull();
});

test("what has no index, and what is no layer, stays what it is", () => {
  expect([pattern("LMHead lm_head", "lm_head"), pattern("net", ""), pattern("Expert 007", "experts.007"), pattern("gemm", "h.3", "gpu_kernel")]).toEqual([null, null, null, null]);
});

const profile = drawProfile(`
  main    main    main    other
  a       b       a       a
  b       a       a       3
  1       20      300
`);
const text = (view: Partial<typeof wholeStacks>) => {
  const viewed = viewStacks(profile, { ...wholeStacks, ...view } as never);
  return [treeText(foldStacks(viewed.profile), viewed.profile.frames), viewed.outside.value];
};
const number = (name: string) => profile.frames.findIndex((one) => one.name === name);

test("callees of a frame from its first occurrence on, callers from it to the root; other stacks are outside", () => {
  expect(text({ around: { frame: number("b"), side: "callees" } } as never)).toEqual([`all 21/0 ×21
  b 21/1 ×21
    a 20/20 ×20`, 303n]);
  expect(text({ around: { frame: number("a"), side: "callers" } } as never)).toEqual([`all 324/0 ×324
  a 324/0 ×324
    main 301/301 ×301
    b 20/0 ×20
      main 20/20 ×20
    other 3/3 ×3`, 0n]);
});

test("leaf first, and a path re-rooted", () => {
  expect(text({ invert: true })[0]).toBe(`all 324/0 ×324
  a 323/0 ×323
    a 300/0 ×300
      main 300/300 ×300
    b 20/0 ×20
      main 20/20 ×20
    other 3/3 ×3
  b 1/0 ×1
    a 1/0 ×1
      main 1/1 ×1`);
  expect(text({ focus: [number("main"), number("a")] } as never)).toEqual([`all 301/0 ×301
  main 301/0 ×301
    a 301/0 ×301
      a 300/300 ×300
      b 1/1 ×1`, 23n]);
});

test("by path, layers of two models are one whatever their class", () => {
  const layers = [{ ...frame("Linear fc@fc:layer"), moduleClass: "Linear", modelKey: "1" }, { ...frame("Linear4bit fc@fc:layer"), moduleClass: "Linear4bit", modelKey: "2" }];
  const two = { profileType: "cuda" as const, frames: layers, stacks: [{ frames: [0], value: 5n, count: 1n }, { frames: [1], value: 3n, count: 1n }] };
  expect(foldStacks(mappedProfile(two, { foldLayers: false, layersByPath: true })).children).toMatchObject([{ total: 8n, count: 2n }]);
  expect(foldStacks(mappedProfile(two, { foldLayers: true, layersByPath: false })).children).toHaveLength(2);
});
