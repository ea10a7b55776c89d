import { describe, expect, test } from "vitest";
import { rowTotals, shapeTotals, SubtreeTotals } from "#core/shape/totals.ts";
import { locator } from "#core/shape/locate.ts";
import type { ShapeBody } from "#schema/api/models.ts";
import { drawShape } from "./draw-shape.ts";
import { qwen3 } from "./qwen3-32b.ts";

// Parameters of the subtree of a path.
function parametersAt(body: ShapeBody, path: string): number {
  const totals = new SubtreeTotals(body);
  const subtree = locator(body)(path)!.position.reduce((above, at) => totals.child(above, at), totals.root);
  return totals.of(subtree).parameters;
}

test("Qwen3-32B has the 32,762,123,264 parameters of its model card", () => {
  expect(shapeTotals(qwen3())).toEqual({ parameters: 32_762_123_264, weightBytes: 65_524_246_528, modules: 967, unsizedTensors: 0 });
});

test("a tied head counts once; its path is a module all the same", () => {
  const tied = shapeTotals(qwen3({ "lm_head.weight": "model.embed_tokens.weight" }));
  expect(tied).toEqual({ parameters: 32_762_123_264 - 151_936 * 5_120, weightBytes: 65_524_246_528 - 2 * 151_936 * 5_120, modules: 967, unsizedTensors: 0 });
});

test("buffers and quantisation state are no parameters; buffers are no weights either", () => {
  const body = drawShape(`
    Quantised weight:float8_e4m3fn[16,16] %weight_scale:float32[] ~table:float32[100]`);
  expect(shapeTotals(body)).toEqual({ parameters: 256, weightBytes: 256 + 4, modules: 1, unsizedTensors: 0 });
});

test("packed weights count logical elements, and bytes as stored", () => {
  const body = drawShape(`
    QuantLinear qweight:int32[640,5120]/4=26214400 bias:float16[5120]`);
  expect(shapeTotals(body)).toEqual({ parameters: 26_214_400 + 5_120, weightBytes: 4 * 640 * 5_120 + 2 * 5_120, modules: 1, unsizedTensors: 0 });
});

test("a dtype without a known size counts parameters and no bytes, and is counted as unsized", () => {
  const body = drawShape(`
    Net
      0..2 Odd weight:float6_e3m2[8,8] bias:float32[8]`);
  expect(shapeTotals(body)).toEqual({ parameters: 3 * 72, weightBytes: 3 * 32, modules: 4, unsizedTensors: 3 });
});

describe("what is shared counts once", () => {
  const looped = drawShape(
    `
    Albert
      embed Embedding weight:float32[10,4]
      layers ModuleList
        0..11 Layer
          fc Linear weight:float32[4,4]`,
    Object.fromEntries(Array.from({ length: 11 }, (_, i) => [`layers.${i + 1}`, "layers.0"])),
  );

  test("twelve paths of one layer", () => {
    expect(shapeTotals(looped)).toMatchObject({ parameters: 40 + 16, modules: 3 + 24 });
    expect(["layers", "layers.0", "layers.7", "layers.7.fc"].map((path) => parametersAt(looped, path))).toEqual([16, 16, 16, 16]);
    expect(rowTotals(looped).map(({ parameters }) => parameters)).toEqual([40, 16, 16, 192, 232]);
  });

  test("in every subtree that holds two of them, and in no other", () => {
    const body = drawShape(
      `
      Net
        left Half
          a Linear weight:float32[10]
          b Linear weight:float32[10]
        right Half
          a Linear weight:float32[10]
          b Linear weight:float32[10]`,
      { "left.b.weight": "left.a.weight", "right.a.weight": "left.a.weight", "right.b.weight": "left.a.weight" },
    );
    expect(["", "left", "right", "right.b"].map((path) => parametersAt(body, path))).toEqual([10, 10, 10, 10]);
  });

  test("in a subtree that shares with something outside it what is shared within itself", () => {
    const body = drawShape(
      `
      Net
        first Block
          a Linear weight:float32[10]
          b Linear weight:float32[10]
          c Linear weight:float32[7]
        rest List
          0 Block
            a Linear weight:float32[10]
            b Linear weight:float32[10]
            c Linear weight:float32[7]
          1 Linear weight:float32[10]`,
      { "first.b": "first.a", "rest.0": "first", "rest.1.weight": "first.a.weight" },
    );
    // rest.0 is first, whose b is its a; rest.1 holds that same tensor, which lies outside of rest.
    expect(["", "first", "rest", "rest.0", "rest.0.b", "rest.1"].map((path) => parametersAt(body, path))).toEqual([17, 17, 17, 17, 10, 10]);
  });

  test("through aliases of aliases: the second meets the first where both end", () => {
    const body = drawShape(
      `
      Net
        x Linear weight:float32[10]
        one Pair
          a Linear weight:float32[10]
          b Linear weight:float32[3]
        two Half
          pair Pair
            a Linear weight:float32[10]
            b Linear weight:float32[3]
          z Linear weight:float32[10]`,
      { "one.a": "x", "two.pair": "one", "two.z": "x" },
    );
    expect(["", "one", "two", "two.pair", "two.z"].map((path) => parametersAt(body, path))).toEqual([13, 13, 13, 13, 10]);
  });

  test("where another pipeline stage holds it, this one counts it once", () => {
    const body = drawShape("Stage\n  head Linear weight:float32[10]\n  extra Linear weight:float32[10]", { "head.weight": "embed.weight", "extra.weight": "embed.weight" });
    expect(["", "head", "extra"].map((path) => parametersAt(body, path))).toEqual([10, 10, 10]);
  });

  test("9,899 aliases of a module whose 100 tensors are one", () => {
    const tied = Array.from({ length: 100 }, (_, i) => `w${i}`);
    const copies = Array.from({ length: 9_900 }, (_, i) => `c${i}`);
    const one = drawShape(`Tied ${tied.map((name) => `${name}:int8[2]`).join(" ")}`).modules[0]!;
    const modules = [one, { className: "Net", tensors: [], children: copies.map((name) => ({ name, module: 0 })) }];
    const aliases = [...tied.slice(1).map((name) => ({ path: `c0.${name}`, target: "c0.w0" })), ...copies.slice(1).map((path) => ({ path, target: "c0" }))];
    const body = { architecture: "", modules, root: 1, aliases };
    expect(["", "c0", "c9899"].map((path) => parametersAt(body, path))).toEqual([2, 2, 2]);
  });
});

test("an MoE of 94 layers × 128 experts costs its distinct rows: 2^60 modules of a doubling DAG are counted as fast", () => {
  const modules = [{ className: "Leaf", tensors: [], children: [] as { name: string; module: number }[] }];
  for (let row = 1; row <= 50; row++) modules.push({ className: "Pair", tensors: [], children: [{ name: "a", module: row - 1 }, { name: "b", module: row - 1 }] });
  expect(shapeTotals({ architecture: "", modules, root: 50, aliases: [] }).modules).toBe(2 ** 51 - 1);
});
