import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { canonicalShape } from "#core/shape/canonical.ts";
import { compareShapes, type ComparedSide } from "#core/shape/compare/compare.ts";
import { changeText, compareText } from "#core/shape/compare/compare-text.ts";
import { singleRank } from "#core/shape/layout.ts";
import type { ShapeLayout } from "#core/shape/part.ts";
import type { ShapeBody } from "#schema/api/models.ts";
import { type ShapeChange, shapeComparison } from "#schema/api/shapes.ts";
import { limits } from "#schema/limits.ts";
import { drawShape } from "./draw-shape.ts";
import { qwen3 } from "./qwen3-32b.ts";
import { modelObject, shapeOf } from "./shared-objects.ts";
import { unfoldedTotals, type UnfoldedTotals } from "./unfolded-totals.ts";

function compare(a: ComparedSide, b: ComparedSide, limit = 1_000) {
  const found = compareShapes(a, b, limit);
  if (!found.ok) throw new Error(found.error);
  expect(shapeComparison.parse(found.value)).toStrictEqual(found.value); // what the route promises
  return found.value;
}
const lines = (a: ShapeBody, b: ShapeBody) => compare({ body: a }, { body: b }).changes.map(changeText);

const decoder = (layers: string, weight = "weight:bfloat16[8,4]", mlp = "MLP") => `
    Net
      layers ModuleList
        ${layers} Layer
          norm Norm weight:bfloat16[4]
          mlp ${mlp}
            down Linear ${weight}
      head Linear weight:bfloat16[100,4]`;

describe("one line for one change", () => {
  test("the same model", () => {
    const found = compare({ body: qwen3() }, { body: qwen3() });
    expect(found).toMatchObject({ same: true, total: 0, changes: [], a: { parameters: 32_762_123_264, weightBytes: 65_524_246_528, modules: 967, dtypes: ["bfloat16"], rootClass: "Qwen3ForCausalLM" } });
    expect(found.a).toEqual(found.b);
  });

  test("a quantised tensor in 64 layers", () => {
    const found = compare({ body: drawShape(decoder("0..63")) }, { body: drawShape(decoder("0..63", "weight:int32[8,1]/4=32")) });
    expect(found.changes).toEqual([{
      kind: "tensor_changed", path: "layers.*.mlp.down.weight", first: "layers.0.mlp.down.weight", last: "layers.63.mlp.down.weight", copies: 64, of: 64, fields: ["dtype", "dims", "packing"],
      before: { role: "parameter", dtype: "bfloat16", dims: [8, 4], packedBits: 0, logicalNumel: 0 }, after: { role: "parameter", dtype: "int32", dims: [8, 1], packedBits: 4, logicalNumel: 32 },
    }]);
    expect(found.changes.map(changeText)).toEqual(["~ layers.*.mlp.down.weight: bfloat16 [8, 4] → int32 [8, 1] 4-bit packed (×64)"]);
    expect(found).toMatchObject({ a: { weightBytes: 64 * (8 + 64) + 800 }, b: { weightBytes: 64 * (8 + 32) + 800, dtypes: ["bfloat16", "int32"] } });
    expect(lines(drawShape(decoder("0..63", "weight:int32[8,4]")), drawShape(decoder("0..63", "weight:int32[8,4]/4=256")))).toEqual(["~ layers.*.mlp.down.weight: int32 → int32 4-bit packed (×64)"]);
  });

  test("fewer layers, and more", () => {
    const [long, short] = [drawShape(decoder("0..63")), drawShape(decoder("0..47"))];
    expect(lines(long, short)).toEqual(["~ layers: 64 → 48 (16 × Layer fewer)"]);
    expect(lines(short, long)).toEqual(["~ layers: 48 → 64 (16 × Layer more)"]);
    expect(lines(long, drawShape(decoder("0..47", "weight:float32[8,4]")))).toEqual(["~ layers: 64 → 48 (16 × Layer fewer)", "~ layers.*.mlp.down.weight: bfloat16 → float32 (×48 of 64)"]);
  });

  test("a class changed, with what is in it", () => {
    const experts = drawShape(decoder("0..3").replace("          mlp MLP\n            down Linear weight:bfloat16[8,4]", "          mlp MoE\n            gate Linear weight:bfloat16[8,4]\n            experts ModuleList\n              0..7 MLP w:bfloat16[4,4]"));
    expect(lines(drawShape(decoder("0..3")), experts)).toEqual([
      "~ layers.*.mlp: MLP → MoE (×4)", "- layers.*.mlp.down: Linear · 32 parameters · 64 B (×4)",
      "+ layers.*.mlp.gate: Linear · 32 parameters · 64 B (×4)", "+ layers.*.mlp.experts: ModuleList · 9 modules · 128 parameters · 256 B (×4)",
    ]);
  });

  test("only one layer of many is named by its index, some by how many of them", () => {
    const mixed = (odd: string) => decoder("0..2").replace("      head", `        3 Layer\n          norm Norm weight:bfloat16[4]\n          mlp MLP\n            down Linear ${odd}\n        4..7 Layer\n          norm Norm weight:bfloat16[4]\n          mlp MLP\n            down Linear weight:bfloat16[8,4]\n      head`);
    expect(lines(drawShape(decoder("0..7")), drawShape(mixed("weight:float8_e4m3fn[8,4] %scale:float32[]")))).toEqual(["~ layers.3.mlp.down.weight: bfloat16 → float8_e4m3fn", "+ layers.3.mlp.down.scale: quantisation state float32 []"]);
    // Runs that folding keeps apart are one change all the same.
    const found = compare({ body: drawShape(mixed("weight:bfloat16[8,4]").replaceAll("norm Norm weight:bfloat16[4]", "norm Norm weight:float32[4]")) }, { body: drawShape(mixed("weight:int8[8,4]")) });
    expect(found.changes.map(changeText)).toEqual(["~ layers.*.norm.weight: float32 → bfloat16 (×8)", "~ layers.3.mlp.down.weight: bfloat16 → int8"]);
    expect(found.changes[0]).toMatchObject({ first: "layers.0.norm.weight", last: "layers.7.norm.weight" });
  });

  test("every other layer", () => {
    const layers = (dtype: string) => drawShape(`Net\n  layers ModuleList\n${[0, 1, 2, 3, 4, 5].map((i) => `    ${i} Layer w:${i % 2 === 0 ? dtype : "float32"}[4]`).join("\n")}`);
    expect(lines(layers("bfloat16"), layers("int8"))).toEqual(["~ layers.*.w: bfloat16 → int8 (×3 of 6)"]);
  });

  test("an index that all places share is no *: of the experts of that layer, not of every layer", () => {
    const moe = (third: string) => drawShape(`Net\n  layers ModuleList\n${[0, 1, 2, 3].map((i) => `    ${i} Layer\n      experts ModuleList\n        0..7 Expert w:${i === 3 ? third : "bfloat16"}[2,2]`).join("\n")}`);
    expect(compare({ body: moe("bfloat16") }, { body: moe("float32") }).changes).toMatchObject([{ path: "layers.3.experts.*.w", first: "layers.3.experts.0.w", last: "layers.3.experts.7.w", copies: 8, of: 8 }]);
    expect(lines(moe("bfloat16"), moe("float32"))).toEqual(["~ layers.3.experts.*.w: bfloat16 → float32 (×8)"]);
    const scales = (dtype: string) => drawShape(`Net\n  scales ParameterList 0:${dtype}[4] 1:${dtype}[4] 2:float32[4]`);
    expect(lines(scales("float32"), scales("int8"))).toEqual(["~ scales.*: float32 → int8 (×2 of 3)"]);
  });

  test("roles, order and sharing", () => {
    expect(lines(drawShape("Net w:float32[4] x:float32[4]"), drawShape("Net ~w:float32[4] x:float32[4]"))).toEqual(["~ w: parameter → buffer"]);
    expect(lines(drawShape("Net a:float32[1] b:float32[1]"), drawShape("Net b:float32[1] a:float32[1]"))).toEqual(["~ the model: in another order: a, b → b, a"]);
    expect(lines(drawShape("Net\n  a A\n  b B\n  c C"), drawShape("Net\n  a A\n  c C\n  b B\n  d D"))).toEqual(["~ the model: in another order: b, c → c, b", "+ d: D"]);
    expect(lines(qwen3(), qwen3({ "lm_head.weight": "model.embed_tokens.weight" }))).toEqual(["~ lm_head.weight: shares nothing → model.embed_tokens.weight"]);
    // Where the path itself is gone, that is the change.
    expect(lines(qwen3({ "lm_head.weight": "model.embed_tokens.weight" }), drawShape("Qwen3ForCausalLM"))).toEqual([expect.stringMatching(/^- model: Qwen3Model /), expect.stringMatching(/^- lm_head: Linear /)]);
    const layers = "Net\n  layers ModuleList\n    0..3 Layer\n      a Linear w:float32[1]\n      b Linear w:float32[1]";
    const ownTies = Object.fromEntries([0, 1, 2, 3].map((i) => [`layers.${i}.b.w`, `layers.${i}.a.w`]));
    const firstTies = Object.fromEntries([1, 2, 3].map((i) => [`layers.${i}`, "layers.0"]));
    expect(lines(drawShape(layers), drawShape(layers, ownTies))).toEqual(["~ layers.*.b.w: shares nothing → layers.*.a.w (×4)"]);
    expect(lines(drawShape(layers), drawShape(layers, firstTies))).toEqual(["~ layers.*: shares nothing → layers.0 (×3 of 4)"]);
  });

  test("modules that one side lacks", () => {
    expect(lines(drawShape(decoder("0..3")), drawShape(`${decoder("0..3")}\n      mtp Layer w:float32[4]`))).toEqual(["+ mtp: Layer · 4 parameters · 16 B"]);
    // Named otherwise, so no list got longer.
    expect(lines(drawShape("Net\n  0..2 A"), drawShape("Net\n  2..5 A"))).toEqual(["- *: A (×2 of 3)", "+ *: A (×3 of 4)"]);
  });
});

describe("what an added or removed module counts is what its subtree counts: a shared tensor once, wherever it is held", () => {
  // Two 10 × 4 tensors in bfloat16 are 40 parameters and 80 bytes each.
  const head = "      head Head\n        embed Embedding weight:bfloat16[10,4]\n        out Linear weight:bfloat16[10,4]";
  const net = (more: string, aliases: Record<string, string> = {}) => drawShape(`${decoder("0..3")}\n${more}`.replace("head Linear weight:bfloat16[100,4]", "embed Embedding weight:bfloat16[10,4]"), aliases);
  const plain = net("");

  test("tied within it", () => {
    expect(lines(plain, net(head))).toEqual(["+ head: Head · 3 modules · 80 parameters · 160 B"]);
    expect(lines(plain, net(head, { "head.out.weight": "head.embed.weight" }))).toEqual(["+ head: Head · 3 modules · 40 parameters · 80 B"]);
    expect(lines(net(head, { "head.out.weight": "head.embed.weight" }), plain)).toEqual(["- head: Head · 3 modules · 40 parameters · 80 B"]);
  });

  test("both tied to what lies outside of it", () => {
    expect(lines(plain, net(head, { "head.out.weight": "embed.weight", "head.embed.weight": "embed.weight" }))).toEqual(["+ head: Head · 3 modules · 40 parameters · 80 B"]);
    expect(lines(plain, net(head, { "head.out.weight": "embed.weight" }))).toEqual(["+ head: Head · 3 modules · 80 parameters · 160 B"]);
  });

  test("a module in it that is another one of it", () => {
    const pair = "      pair Pair\n        one Block\n          a Linear weight:bfloat16[10,4]\n          b Linear weight:bfloat16[10,4]\n        two Block\n          a Linear weight:bfloat16[10,4]\n          b Linear weight:bfloat16[10,4]";
    expect(lines(plain, net(pair, { "pair.two": "pair.one" }))).toEqual(["+ pair: Pair · 7 modules · 80 parameters · 160 B"]);
    expect(lines(plain, net(pair, { "pair.two": "pair.one", "pair.one.b.weight": "pair.one.a.weight" }))).toEqual(["+ pair: Pair · 7 modules · 40 parameters · 80 B"]);
  });

  const layers = (extra: string, aliases: Record<string, string> = {}) => drawShape(`Net\n  layers ModuleList\n    0..7 Layer\n      norm Norm weight:bfloat16[4]\n${extra}`, aliases);
  const adapter = "      adapter Adapter\n        up Linear weight:bfloat16[2,4]\n        down Linear weight:bfloat16[2,4]";
  const ties = (...indices: number[]) => Object.fromEntries(indices.map((i) => [`layers.${i}.adapter.down.weight`, `layers.${i}.adapter.up.weight`]));

  test("the same in every layer is one line; where some count otherwise, each count is one", () => {
    const all = [0, 1, 2, 3, 4, 5, 6, 7];
    expect(lines(layers(""), layers(adapter))).toEqual(["+ layers.*.adapter: Adapter · 3 modules · 16 parameters · 32 B (×8)"]);
    expect(lines(layers(""), layers(adapter, ties(...all)))).toEqual(["+ layers.*.adapter: Adapter · 3 modules · 8 parameters · 16 B (×8)"]);
    const found = compare({ body: layers("") }, { body: layers(adapter, ties(2, 3, 6)) });
    expect(found.changes).toMatchObject([
      { first: "layers.0.adapter", last: "layers.7.adapter", copies: 5, of: 8, after: { parameters: 16 } }, { first: "layers.2.adapter", last: "layers.6.adapter", copies: 3, of: 8, after: { parameters: 8, weightBytes: 16 } },
    ]);
    // Each counts what it shares with another; only what holds both counts it once.
    expect(lines(layers(""), layers(adapter, Object.fromEntries(all.slice(1).map((i) => [`layers.${i}.adapter`, "layers.0.adapter"]))))).toEqual(["+ layers.*.adapter: Adapter · 3 modules · 16 parameters · 32 B (×8)"]);
  });

  test("siblings of one structure", () => {
    const experts = (aliases: Record<string, string>) => drawShape("Net\n  experts ModuleDict\n    router Linear\n    0..3 Expert\n      up Linear weight:bfloat16[2,4]\n      down Linear weight:bfloat16[2,4]", aliases);
    expect(lines(drawShape("Net\n  experts ModuleDict\n    router Linear"), experts({ "experts.1.down.weight": "experts.1.up.weight", "experts.2.down.weight": "experts.2.up.weight" }))).toEqual([
      "+ experts.*: Expert · 3 modules · 16 parameters · 32 B (×2 of 4)", "+ experts.*: Expert · 3 modules · 8 parameters · 16 B (×2 of 4)",
    ]);
  });

  test("in a copy that is another one, as there", () => {
    const blocks = (extra: string, aliases: Record<string, string>) => drawShape(`Net\n  first Block\n    n Norm weight:bfloat16[4]\n${extra}\n  last Block\n    n Norm weight:bfloat16[4]\n${extra}`, aliases);
    const block = "    x X\n      a Linear weight:bfloat16[2,4]\n      b Linear weight:bfloat16[2,4]";
    const changes = lines(blocks("", { last: "first" }), blocks(block, { last: "first", "first.x.b.weight": "first.x.a.weight" }));
    expect(changes).toEqual(["+ first.x: X · 3 modules · 8 parameters · 16 B", "+ last.x: X · 3 modules · 8 parameters · 16 B"]);
  });
});

describe("layouts, when both are given", () => {
  const body = drawShape(`
    Net
      layers ModuleList
        0..3 Layer
          qkv Linear weight:bfloat16[12,4]
          out Linear weight:bfloat16[4,8]
      embed Embedding weight:bfloat16[100,4]`);
  const layout = (change: Partial<ShapeLayout>): ShapeLayout => ({ ...singleRank(), ...change });
  const said = (a: ShapeLayout, b: ShapeLayout) => compare({ body, layout: a }, { body, layout: b }).changes.map(changeText);
  const four = layout({ tpSize: 4, sharded: [{ path: "layers.*.qkv.weight", dim: 0 }, { path: "layers.*.out.weight", dim: 1 }, { path: "embed.weight", dim: 0 }] });
  const sixteen = layout({ ...four, tpSize: 16, padded: [{ path: "embed.weight", dim: 0, size: 128 }], replicated: [{ path: "layers.*.qkv.weight", replicas: 2 }] });

  test("sizes, then what is held otherwise, by pattern", () => {
    expect(said(four, four)).toEqual([]);
    expect(said(four, sixteen)).toEqual([
      "~ the model: TP 4 → TP 16", "~ layers.*.qkv.weight: dim 0 sharded → dim 0 sharded, each part on 2 ranks (×4)", "~ embed.weight: dim 0 sharded → dim 0 sharded, dim 0 padded to 128",
    ]);
    expect(said(singleRank(), four)).toEqual([
      "~ the model: one rank → TP 4", "~ layers.*.qkv.weight: whole → dim 0 sharded (×4)", "~ layers.*.out.weight: whole → dim 1 sharded (×4)", "~ embed.weight: whole → dim 0 sharded",
    ]);
    expect(compare({ body, layout: singleRank() }, { body, layout: four }).changes[1]).toMatchObject({ first: "layers.0.qkv.weight", last: "layers.3.qkv.weight", of: 4 });
  });

  test("a pattern against single paths is taken apart", () => {
    const mixed = layout({ ...four, sharded: [{ path: "layers.0.qkv.weight", dim: 1 }, ...[1, 2, 3].map((i) => ({ path: `layers.${i}.qkv.weight`, dim: 0 })), { path: "layers.*.out.weight", dim: 1 }, { path: "embed.weight", dim: 0 }] });
    expect(said(four, mixed)).toEqual(["~ layers.0.qkv.weight: dim 0 sharded → dim 1 sharded"]);
    const some = layout({ ...four, sharded: [{ path: "layers.0.qkv.weight", dim: 0 }, { path: "layers.2.qkv.weight", dim: 0 }, { path: "layers.*.out.weight", dim: 1 }, { path: "embed.weight", dim: 0 }] });
    expect(said(four, some)).toEqual(["~ layers.*.qkv.weight: dim 0 sharded → whole (×2 of 4)"]);
  });

  test("what is left of a pattern begins and ends with what is left", () => {
    const [one, all] = [layout({ sharded: [{ path: "layers.0.qkv.weight", dim: 0 }, { path: "layers.3.qkv.weight", dim: 0 }] }), layout({ sharded: [{ path: "layers.*.qkv.weight", dim: 0 }] })];
    expect(compare({ body, layout: one }, { body, layout: all }).changes).toMatchObject([{ path: "layers.*.qkv.weight", first: "layers.1.qkv.weight", last: "layers.2.qkv.weight", copies: 2, of: 4 }]);
    // A single path that changes as the rest does is of one line with it, wherever it stands.
    const second = layout({ sharded: [{ path: "layers.2.qkv.weight", dim: 1 }] });
    expect(compare({ body, layout: singleRank() }, { body, layout: { ...all, sharded: [...all.sharded, ...second.sharded] } }).changes).toMatchObject([
      { path: "layers.*.qkv.weight", first: "layers.0.qkv.weight", last: "layers.3.qkv.weight", copies: 3, of: 4, after: { sharded: [0] } }, { path: "layers.2.qkv.weight", copies: 1, after: { sharded: [0, 1] } },
    ]);
    expect(said(layout({ replicated: [{ path: "layers.*.qkv.weight", replicas: 0 }] }), singleRank())).toEqual([]);
  });

  test("only tensors that both have", () => {
    const other = drawShape("Net\n  embed Embedding weight:bfloat16[100,4]");
    expect(compare({ body, layout: four }, { body: other, layout: singleRank() }).changes.map(changeText)).toEqual([
      "- layers: ModuleList · 13 modules · 320 parameters · 640 B", "~ the model: TP 4 → one rank", "~ embed.weight: dim 0 sharded → whole",
    ]);
  });

  test("20,000 facts about as many siblings: each is placed, and the siblings are not read again for each", () => {
    const names = Array.from({ length: 20_000 }, (_, i) => `x${i}`);
    const wide: ShapeBody = { ...body, modules: [drawShape("Part w:int8[2]").modules[0]!, { className: "Net", tensors: [], children: [...names, "0", "1", "2"].map((name) => ({ name, module: 0 })) }], root: 1 };
    const sharded = layout({ sharded: [{ path: "*.w", dim: 0 }, ...names.map((name) => ({ path: `${name}.w`, dim: 0 }))] });
    const { total, changes } = compare({ body: wide, layout: singleRank() }, { body: wide, layout: sharded });
    expect(total).toBe(20_001);
    expect(changes[0]).toMatchObject({ path: "*.w", first: "0.w", last: "2.w", copies: 3, of: 3 });
    expect(changes[1]).toMatchObject({ path: "x0.w", first: "x0.w", last: "x0.w", copies: 1, of: 1 });
  });

  test("of models of different length only what both have is compared", () => {
    const longer = drawShape("Net\n  layers ModuleList\n    2..9 Layer\n      qkv Linear weight:bfloat16[12,4]");
    const found = compare({ body, layout: singleRank() }, { body: longer, layout: layout({ sharded: [{ path: "layers.*.qkv.weight", dim: 0 }] }) });
    expect(found.changes.find(({ kind }) => kind === "sharding_changed")).toMatchObject({ path: "layers.*.qkv.weight", first: "layers.2.qkv.weight", last: "layers.3.qkv.weight", copies: 2, of: 4 });
  });

  test("the parameters of a list", () => {
    const list = drawShape("Net\n  scales ParameterList 0:float32[4] 1:float32[4] 2:float32[4]");
    const split = (path: string): ShapeLayout => layout({ sharded: [{ path, dim: 0 }] });
    expect(compare({ body: list, layout: singleRank() }, { body: list, layout: split("scales.*") }).changes.map(changeText)).toEqual(["~ scales.*: whole → dim 0 sharded (×3)"]);
    expect(compare({ body: list, layout: singleRank() }, { body: list, layout: split("scales.1") }).changes.map(changeText)).toEqual(["~ scales.1: whole → dim 0 sharded"]);
  });

  test("without both nothing is said of them", () => {
    expect(compare({ body, layout: four }, { body }).same).toBe(true);
    expect(compare({ body, layout: four }, { body }).a.layoutId).toMatch(/^[0-9a-f]{64}$/);
  });
});

test("the text: both models, then the changes", () => {
  const text = compareText(compare({ body: drawShape(decoder("0..63")) }, { body: drawShape(decoder("0..47", "weight:int8[8,4]")) }), { a: "org/net", b: "org/net-int8" });
  expect(text).toBe(
    "- org/net  Net  2,704 parameters · 5.4 kB · 259 modules · bfloat16\n+ org/net-int8  Net  2,128 parameters · 2.7 kB · 195 modules · bfloat16, int8\n2 changes\n" +
      "~ layers: 64 → 48 (16 × Layer fewer)\n~ layers.*.mlp.down.weight: bfloat16 → int8 (×48 of 64)\n",
  );
  expect(compareText(compare({ body: qwen3() }, { body: qwen3() }), { a: "x", b: "y" })).toContain("no change");
});

test("the limit cuts lines, never the count, and the text says how many are missing", () => {
  const names = Array.from({ length: 30 }, (_, i) => `  m${i} A w:float32[1]`);
  const cut = compare({ body: drawShape(["Net", ...names].join("\n")) }, { body: drawShape(["Net", ...names].join("\n").replaceAll("float32", "int8")) }, 4);
  expect(cut).toMatchObject({ total: 30, same: false });
  expect(cut.changes).toHaveLength(4);
  expect(compareText(cut, { a: "a", b: "b" })).toContain("30 changes\n~ m0.w: float32 → int8\n");
  expect(compareText(cut, { a: "a", b: "b" })).toContain("and 26 more changes\n");
});

describe("cost", () => {
  test("what is equal is never walked: a doubling tree of 2^50 modules that differs in one leaf of its right edge", () => {
    const doubling = (leaf: string): ShapeBody => {
      const modules: ShapeBody["modules"] = [{ className: "Leaf", tensors: [], children: [] }, { className: leaf, tensors: [], children: [] }];
      let [plain, edge] = [0, 1];
      for (let level = 0; level < 50; level++) {
        modules.push({ className: "Pair", tensors: [], children: [{ name: "l", module: plain }, { name: "r", module: plain }] }, { className: "Pair", tensors: [], children: [{ name: "l", module: plain }, { name: "r", module: edge }] });
        [plain, edge] = [modules.length - 2, modules.length - 1];
      }
      return { architecture: "", modules, root: modules.length - 1, aliases: [] };
    };
    expect(lines(doubling("Odd"), doubling("Odder"))).toEqual([`~ ${Array(50).fill("r").join(".")}: Odd → Odder`]);
  });

  test("two models that differ everywhere are refused with the bound, not walked for ever", () => {
    // Two rows a level that differ, each holding both of the level below; by index all places are one pattern, by name each is a change of its own.
    const doubling = (leaf: string, names: [string, string]): ShapeBody => {
      const modules: ShapeBody["modules"] = [0, 1].map((i) => ({ className: `${leaf}${i}`, tensors: [], children: [] }));
      for (let row = 2; row < 80; row++) modules.push({ className: `Pair${row}`, tensors: [], children: names.map((name, i) => ({ name, module: row - (row % 2) - 2 + i })) });
      return { architecture: "", modules, root: 79, aliases: [] };
    };
    const refusal = (...names: [string, string]) => compareShapes({ body: doubling("A", names) }, { body: doubling("B", names) }, 10);
    expect(refusal("0", "1")).toEqual({ ok: false, error: expect.stringContaining(`compareModulesMax = ${limits.compareModulesMax}`) });
    expect(refusal("l", "r")).toEqual({ ok: false, error: expect.stringContaining(`compareStepsMax = ${limits.compareStepsMax}`) });
  });

  test("layers × experts that all differ are walked once", () => {
    const moe = (dtype: string) => drawShape(`Net\n  layers ModuleList\n    0..93 Layer\n      experts ModuleList\n        0..127 Expert\n          up Linear w:${dtype}[2,2]`);
    const found = compare({ body: moe("bfloat16") }, { body: moe("float8_e4m3fn") });
    expect(found.changes.map(changeText)).toEqual(["~ layers.*.experts.*.up.w: bfloat16 → float8_e4m3fn (×12,032)"]);
    expect(found.changes[0]).toMatchObject({ first: "layers.0.experts.0.up.w", last: "layers.93.experts.127.up.w" });
  });

  const wide = (rows: number, children: (root: ShapeBody["modules"]) => ShapeBody["modules"][number]["children"]): ShapeBody => {
    const [tensor] = drawShape("A w:int8[1]").modules[0]!.tensors;
    const modules: ShapeBody["modules"] = Array.from({ length: rows }, (_, i) => ({ className: `C${i}`, tensors: [{ ...tensor!, name: `w${i % 1_000}` }], children: [] }));
    modules.push({ className: "List", tensors: [], children: modules.map((_, module) => ({ name: String(module), module })) });
    modules.push({ className: "Net", tensors: [], children: children(modules) });
    return { architecture: "", modules, root: modules.length - 1, aliases: [] };
  };

  test("1,000 patterns over 6,000 rows: what the rows hold, not six million questions", () => {
    const body = wide(6_000, ({ length }) => [{ name: "list", module: length - 1 }]);
    const layout = { ...singleRank(), sharded: Array.from({ length: 1_000 }, (_, i) => ({ path: `list.*.w${i}`, dim: 0 })) };
    const { total, changes } = compare({ body, layout: singleRank() }, { body, layout });
    expect(total).toBe(1_000);
    expect(changes[7]).toMatchObject({ path: "list.*.w7", first: "list.7.w7", last: "list.5007.w7", copies: 6, of: 6 });
  });

  test("1,000 patterns that each go through all rows for themselves are refused with the bound", () => {
    const body = wide(6_000, ({ length }) => Array.from({ length: 1_000 }, (_, i) => ({ name: `x${i}`, module: length - 1 })));
    const layout = { ...singleRank(), sharded: Array.from({ length: 1_000 }, (_, i) => ({ path: `x${i}.*.w${i}`, dim: 0 })) };
    expect(compareShapes({ body, layout: singleRank() }, { body, layout }, 10)).toEqual({ ok: false, error: expect.stringContaining(`compareStepsMax = ${limits.compareStepsMax}`) });
  });

  test("25,000 paths that each have 25,000 facts of their pattern are refused with the bound", () => {
    const body = drawShape("Net\n  0..24999 A w:int8[1]");
    const sharded = Array.from({ length: 25_000 }, (_, i) => [{ path: `${i}.w`, dim: 0 }, { path: "*.w", dim: 0 }]).flat();
    expect(compareShapes({ body, layout: singleRank() }, { body, layout: { ...singleRank(), sharded } }, 10)).toEqual({ ok: false, error: expect.stringContaining("compareStepsMax") });
  });

  const named = (names: number, tensors: number, dtypeOf: (i: number) => string): ShapeBody => {
    const [tensor] = drawShape("A w:int8[1]").modules[0]!.tensors;
    const held = Array.from({ length: tensors }, (_, i) => ({ ...tensor!, name: `w${i}`, dtype: dtypeOf(i) }));
    const children = Array.from({ length: names }, (_, i) => ({ name: `x${i}`, module: 0 }));
    return { architecture: "", modules: [{ className: "A", tensors: held, children: [] }, { className: "Net", tensors: [], children }], root: 1, aliases: [] };
  };

  test("a row of 20,000 tensors under 1,000 names is compared once", () => {
    const found = compare({ body: named(1_000, 20_000, () => "int8") }, { body: named(1_000, 20_000, (i) => (i === 7 ? "uint8" : "int8")) });
    expect(found.total).toBe(1_000);
    expect(changeText(found.changes[999]!)).toBe("~ x999.w7: int8 → uint8");
  });

  test("a million changes are refused before they fill the memory, and so are 32,768 paths of a megabyte", () => {
    const refused = { ok: false, error: expect.stringContaining("compareStepsMax") };
    expect(compareShapes({ body: named(50, 20_000, () => "int8") }, { body: named(50, 20_000, () => "uint8") }, 10)).toEqual(refused);
    const long = (leaf: string): ShapeBody => {
      const modules: ShapeBody["modules"] = [{ className: leaf, tensors: [], children: [] }];
      for (let level = 0; level < 15; level++) modules.push({ className: "Pair", tensors: [], children: ["l", "r"].map((name) => ({ name, module: level })) });
      for (let level = 15; level < 115; level++) modules.push({ className: "Long", tensors: [], children: [{ name: "n".repeat(10_000), module: level }] });
      return { architecture: "", modules, root: 115, aliases: [] };
    };
    expect(compareShapes({ body: long("A") }, { body: long("B") }, 1_000)).toEqual(refused);
  });
});

describe("laws, over random models", () => {
  const pick = ({ parameters, weightBytes, modules }: UnfoldedTotals) => ({ parameters, weightBytes, modules });
  const mirrored = (change: ShapeChange): unknown => {
    const kind = { module_added: "module_removed", module_removed: "module_added", tensor_added: "tensor_removed", tensor_removed: "tensor_added" }[change.kind as string] ?? change.kind;
    return { ...change, kind, before: change.after, after: change.before };
  };
  // Which copy is first depends on whose order is walked, and "of" on whose places are counted.
  const comparable = (changes: readonly unknown[]) => changes.map((change) => JSON.stringify({ ...(change as ShapeChange), first: "", last: "", of: 0 }, Object.keys({ kind: 0, path: 0, copies: 0, fields: 0, before: 0, after: 0, className: 0, parameters: 0, weightBytes: 0, modules: 0, role: 0, dtype: 0, dims: 0, packedBits: 0, logicalNumel: 0, count: 0, layers: 0 }))).sort();

  test("nothing changed exactly when both have one shape id", () => {
    fc.assert(fc.property(modelObject(true), modelObject(true), fc.boolean(), (one, other, same) => {
      const [a, b] = [shapeOf(one), shapeOf(same ? one : other)];
      expect(compare({ body: a }, { body: b }).same).toBe(canonicalShape(a).shapeId === canonicalShape(b).shapeId);
    }), { numRuns: 300 });
  });

  test("the other way round it is the mirror image", () => {
    fc.assert(fc.property(modelObject(true), modelObject(true), (one, other) => {
      const [a, b] = [shapeOf(one), shapeOf(other)];
      const [there, back] = [compare({ body: a }, { body: b }), compare({ body: b }, { body: a })];
      expect([back.a, back.b, back.total]).toEqual([there.b, there.a, there.total]);
      expect(comparable(back.changes)).toEqual(comparable(there.changes.map(mirrored)));
    }), { numRuns: 300 });
  });

  test("added and removed modules count what their tree unfolded counts, at the first and the last place", () => {
    fc.assert(fc.property(modelObject(true), modelObject(true), (one, other) => {
      const [a, b] = [shapeOf(one), shapeOf(other)];
      const [inA, inB] = [unfoldedTotals(a), unfoldedTotals(b)];
      for (const change of compare({ body: a }, { body: b }).changes) {
        if (change.kind !== "module_added" && change.kind !== "module_removed") continue;
        const { parameters, weightBytes, modules } = change.before ?? change.after!;
        for (const path of [change.first, change.last]) expect([path, { parameters, weightBytes, modules }]).toMatchObject([path, pick((change.before === null ? inB : inA).get(path)!)]);
      }
    }), { numRuns: 500 });
  });

  test("a changed tensor is one change, at every place of its row", () => {
    fc.assert(fc.property(modelObject(false), fc.nat(), (model, pick) => {
      const before = shapeOf(model);
      const after = structuredClone(before);
      const holders = after.modules.filter(({ tensors }) => tensors.length > 0);
      fc.pre(holders.length > 0);
      holders[pick % holders.length]!.tensors[0]!.dtype += "x";
      const found = compare({ body: before }, { body: after });
      const places = new Map<number, number>([[before.root, 1]]);
      for (let row = before.root; row >= 0; row--) for (const { module } of before.modules[row]!.children) places.set(module, (places.get(module) ?? 0) + (places.get(row) ?? 0));
      expect(found.changes.every(({ kind }) => kind === "tensor_changed")).toBe(true);
      expect(found.changes.reduce((sum, { copies }) => sum + copies, 0)).toBe(places.get(before.modules.findIndex((module, row) => module.tensors[0]?.dtype !== after.modules[row]!.tensors[0]?.dtype)) ?? 0);
    }), { numRuns: 300 });
  });
});
