// Sizes that do not fit: ranks that do not divide what they hold, more ranks than there are heads, experts or layers, and layouts that cannot be true. Every expected
// figure is worked out here by hand.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { singleRank } from "#core/shape/layout.ts";
import { shapeMemory, type MemoryQuestion } from "#core/shape/memory/memory.ts";
import type { ShapeLayout } from "#core/shape/part.ts";
import { shapeTotals } from "#core/shape/totals.ts";
import type { ShapeBody } from "#schema/api/models.ts";
import { shapeMemory as answer } from "#schema/api/shapes.ts";
import { drawShape } from "./draw-shape.ts";
import { qwen3 } from "./qwen3-32b.ts";

function memory(body: ShapeBody, question: Partial<MemoryQuestion> = {}) {
  const found = shapeMemory(body, { tp: 1, pp: 1, ep: 1, ...question });
  if (!found.ok) throw new Error(found.error);
  expect(answer.omit({ shapeId: true, layoutId: true }).parse(found.value)).toStrictEqual(found.value); // what the route promises
  return found.value;
}
const line = (found: ReturnType<typeof memory>, path: string) => found.tensors.find((one) => one.path === path)!;

describe("more ranks than key heads", () => {
  // Qwen3-32B: 64 query and 8 key heads of 128, hidden 5120, MLP 25600, vocabulary 151936, 64 layers, bfloat16.
  test("TP 64: one query head a rank, each key head on eight, and as much cache as under TP 8", () => {
    const found = memory(qwen3(), { tp: 64 });
    const layer = (2 * 8_192 * 5_120) / 64 + 2 * 128 * 5_120 + (3 * 25_600 * 5_120) / 64 + 2 * 5_120 + 2 * 128;
    expect(found.weights.bytesPerRank).toBe(2 * (64 * layer + 2 * 2_374 * 5_120 + 5_120)); // 151936 / 64 = 2374
    expect(found.kv.bytesPerTokenPerRank).toBe(64 * 2 * 128 * 2);
    expect(line(found, "model.layers.*.self_attn.v_proj.weight")).toMatchObject({ replicated: true, note: "8 key heads on 64 ranks: each on 8" });
    expect(found.problems).toEqual([]);
  });

  test("TP 128: a query head cannot be divided", () => {
    const found = memory(qwen3(), { tp: 128 });
    expect(found.problems).toEqual(["model.layers.*.self_attn.q_proj.weight: 64 query heads do not divide by 128; engines refuse that, here every rank holds all of it"]);
    expect(line(found, "model.layers.*.self_attn.q_proj.weight").bytesPerRank).toBe(2 * 8_192 * 5_120);
    expect(line(found, "model.layers.*.self_attn.o_proj.weight").bytesPerRank).toBe((2 * 8_192 * 5_120) / 128);
  });

  const attention = (keyRows: number) => drawShape(`Net\n  layers ModuleList\n    0..1 Layer\n      self_attn Attention\n        q_proj Linear weight:bfloat16[64,32]\n        k_proj Linear weight:bfloat16[${keyRows},32]\n        v_proj Linear weight:bfloat16[${keyRows},32]\n        o_proj Linear weight:bfloat16[32,64]`);
  const layout = (tpSize: number, replicas: number): ShapeLayout => ({
    ...singleRank(), tpSize, sharded: ["q_proj", "k_proj", "v_proj"].map((name) => ({ path: `layers.*.self_attn.${name}.weight`, dim: 0 })),
    replicated: ["k_proj", "v_proj"].map((name) => ({ path: `layers.*.self_attn.${name}.weight`, replicas })),
  });

  test("rows that do not divide are whole, also where the number of heads is unknown", () => {
    const found = memory(attention(10), { tp: 6 });
    expect([...found.problems].sort()).toEqual(["k_proj.weight: dim 0 of 10", "o_proj.weight: dim 1 of 64", "q_proj.weight: dim 0 of 64", "v_proj.weight: dim 0 of 10"].map((what) => `layers.*.self_attn.${what} does not divide by 6; engines refuse that, here every rank holds all of it`));
    expect(found.weights.bytesPerRank).toBe(found.weights.bytes);
    expect(found.kv.bytesPerTokenPerRank).toBeNull();
  });

  test.each([[4, 3, 16], [5, 2, 16], [4, 4_294_967_295, 16], [8, 2, 10]])("a layout of TP %i that repeats heads %i times tells nothing of %i key rows", (tpSize, replicas, keyRows) => {
    const found = memory(attention(keyRows), { tp: 2, layout: layout(tpSize, replicas) });
    expect(found.kv).toMatchObject({ bytesPerToken: 2 * 2 * keyRows * 2, bytesPerTokenPerRank: null, attention: [{ kvHeads: null, headSize: null }] });
    expect(line(found, "layers.*.self_attn.k_proj.weight").bytesPerRank).toBe((2 * keyRows * 32) / 2);
  });

  test("a layout that divides the heads by more ranks than there are rows for is no witness either", () => {
    expect(memory(attention(10), { tp: 4, layout: layout(8, 1) }).kv.bytesPerTokenPerRank).toBeNull();
    expect(memory(attention(16), { tp: 4, layout: layout(8, 1) }).kv.bytesPerTokenPerRank).toBe((2 * 2 * 16 * 2) / 4);
  });
});

describe("more ranks than experts", () => {
  // 8 experts of 2 × 32 × 16 bfloat16 = 2,048 bytes and a router of 256 in each of 4 layers.
  const listed = drawShape("Net\n  layers ModuleList\n    0..3 Layer\n      mlp MoE\n        gate Linear weight:bfloat16[8,16]\n        experts ModuleList\n          0..7 MLP\n            up_proj Linear weight:bfloat16[32,16]\n            down_proj Linear weight:bfloat16[16,32]");
  test.each<[Partial<MemoryQuestion>, number, string[]]>([
    [{ ep: 8 }, 1 * 2_048, []],
    [{ ep: 16 }, 1 * 2_048, ["ep is 16, but there are 8 experts: some ranks have none"]],
    [{ tp: 8, ep: 16 }, 1 * 2_048, ["ep is 16, but there are 8 experts: some ranks have none"]],
    [{ ep: 3 }, 3 * 2_048, ["8 experts over 3 ranks are not even: the figures are of a rank with 3"]],
    [{ tp: 16, ep: 2 }, (4 * 2_048) / 8, []],
    [{ tp: 6, ep: 4 }, 2 * 2_048, ["tp 6 is no multiple of ep 4: each expert is taken to be divided by 1"]],
  ])("%j: %i bytes of them on a rank and layer", (question, bytes, problems) => {
    const found = memory(listed, question);
    expect(found.weights).toMatchObject({ bytesPerRank: 4 * (256 + bytes), stages: [{ expertBytesPerRank: 4 * bytes }] });
    expect(found.problems).toEqual(problems);
    const piped = memory(listed, { ...question, pp: 4 });
    expect(piped.weights.stages.map(({ layers, bytesPerRank }) => [layers, bytesPerRank])).toEqual([0, 1, 2, 3].map(() => [1, 256 + bytes]));
  });

  test("a stack of no experts holds nothing", () => {
    expect(memory(drawShape("Net\n  experts FusedMoE w13_weight:bfloat16[0,8,8] w2_weight:bfloat16[0,8,4]"), { tp: 2, ep: 2 }).weights).toMatchObject({ bytes: 0, bytesPerRank: 0, expertBytes: 0 });
  });

  test("gate and up in one tensor divide as two: 2 × 32 rows over 64 ranks do not", () => {
    const stacked = drawShape("Net\n  experts FusedMoE w13_weight:bfloat16[8,64,16] w2_weight:bfloat16[8,16,32] %w2_weight_scale:float32[8,16,1]");
    expect(memory(stacked, { tp: 32 }).weights.bytesPerRank).toBe((8 * 64 * 16 * 2) / 32 + (8 * 16 * 32 * 2) / 32 + 8 * 16 * 4);
    const found = memory(stacked, { tp: 64 });
    expect(found.weights.bytesPerRank).toBe(found.weights.bytes);
    expect(found.problems).toEqual(["experts.w13_weight: dim 1 of 2 × 32 does not divide by 64; engines refuse that, here every rank holds all of it", "experts.w2_weight: dim 2 of 32 does not divide by 64; engines refuse that, here every rank holds all of it"]);
    // One scale for a row of inputs is not repeated for want of a divisor: there is nothing to divide.
    expect(line(found, "experts.w2_weight_scale")).toMatchObject({ rule: "whole", replicated: false, note: "" });
    const dense = drawShape("Net\n  mlp MLP\n    gate_up_proj MergedColumnParallelLinear weight:bfloat16[96,16] %weight_scale:float32[2]");
    expect(line(memory(dense, { tp: 16 }), "mlp.gate_up_proj.weight").bytesPerRank).toBe((96 * 16 * 2) / 16);
    expect(line(memory(dense, { tp: 32 }), "mlp.gate_up_proj.weight")).toMatchObject({ bytesPerRank: 96 * 16 * 2, note: "dim 0 of 2 × 48 does not divide by 32" });
    expect(line(memory(dense, { tp: 2 }), "mlp.gate_up_proj.weight_scale").bytesPerRank).toBe(8); // each of its scales is of a half that both ranks have a part of
  });
});

describe("a vocabulary that does not divide", () => {
  const head = drawShape("Net\n  lm_head ParallelLMHead weight:bfloat16[101,8] bias:bfloat16[101]");
  const padded = (size: number): ShapeLayout => ({ ...singleRank(), tpSize: 4, sharded: ["weight", "bias"].map((name) => ({ path: `lm_head.${name}`, dim: 0 })), padded: ["weight", "bias"].map((name) => ({ path: `lm_head.${name}`, dim: 0, size })) });
  test.each([[2, 51], [4, 26], [8, 13], [101, 1], [4_096, 1]])("TP %i: %i rows a rank", (tp, rows) => {
    expect(memory(head, { tp }).weights.bytesPerRank).toBe(rows * (8 + 1) * 2);
    expect(memory(head, { tp }).problems).toEqual([]);
  });

  test("what a layout pads it to, for its own ranks; less than it has is no padding", () => {
    expect(memory(head, { tp: 4, layout: padded(128) }).weights.bytesPerRank).toBe(32 * 9 * 2);
    expect(memory(head, { tp: 8, layout: padded(128) }).weights.bytesPerRank).toBe(13 * 9 * 2);
    for (const size of [0, 4, 100]) expect(memory(head, { tp: 4, layout: padded(size) }).weights.bytesPerRank).toBe(26 * 9 * 2);
  });

  test("a padding beyond all numbers is refused", () => {
    expect(shapeMemory(head, { tp: 4, pp: 1, ep: 1, layout: padded(Number.MAX_SAFE_INTEGER) })).toEqual({ ok: false, error: expect.stringContaining("pads tensors to more than 2^53 - 1 bytes") });
  });
});

describe("stages and layers", () => {
  test("as many stages as layers, and one more", () => {
    const body = qwen3();
    const layer = 2 * ((2 * 8_192 + 2 * 1_024) * 5_120 + 3 * 25_600 * 5_120 + 2 * 5_120 + 2 * 128);
    const stages = memory(body, { pp: 64 }).weights.stages.map(({ bytesPerRank }) => bytesPerRank);
    expect(stages).toEqual([layer + 2 * 151_936 * 5_120, ...Array<number>(62).fill(layer), layer + 2 * 151_936 * 5_120 + 2 * 5_120]);
    expect(shapeMemory(body, { tp: 1, pp: 65, ep: 1 })).toEqual({ ok: false, error: "pp is 65, but model.layers has 64 layers: a stage holds at least one" });
  });

  test("a list of one layer, and a list at the root", () => {
    expect(shapeMemory(drawShape("Net\n  layers ModuleList\n    0 Layer w:int8[4]"), { tp: 1, pp: 2, ep: 1 })).toMatchObject({ ok: false });
    expect(memory(drawShape("Sequential\n  0 Linear weight:int8[4,4]\n  1 Linear weight:int8[8,4]\n  2 Linear weight:int8[4,4]"), { pp: 2 }).weights.stages.map(({ bytesPerRank }) => bytesPerRank)).toEqual([16 + 32, 16]);
  });
});

test("whatever sizes and layouts: what the route promises, and a rank holds at most all and at least its part", () => {
  const size = fc.integer({ min: 0, max: 40 });
  const model = fc.record({ query: size, key: size, hidden: size, mlp: size, head: fc.integer({ min: 0, max: 9 }), experts: fc.integer({ min: 0, max: 9 }), layers: fc.integer({ min: 1, max: 5 }), vocabulary: size });
  const ranks = fc.integer({ min: 1, max: 12 });
  const drawn = fc.record({ model, tp: ranks, ep: ranks, pp: fc.integer({ min: 1, max: 5 }), layoutTp: ranks, layoutEp: ranks, replicas: fc.integer({ min: 0, max: 9 }), dims: fc.array(fc.integer({ min: 0, max: 2 }), { minLength: 4, maxLength: 4 }), stored: fc.boolean() });
  fc.assert(fc.property(drawn, ({ model: { query, key, hidden, mlp, head, experts, layers, vocabulary }, tp, ep, pp, layoutTp, layoutEp, replicas, dims, stored }) => {
    const body = drawShape(`
      Net
        embed_tokens Embedding weight:bfloat16[${vocabulary},${hidden}]
        layers ModuleList
          0..${layers - 1} Layer
            self_attn Attention
              q_proj Linear weight:bfloat16[${query},${hidden}]
              k_proj Linear weight:bfloat16[${key},${hidden}]
              v_proj Linear weight:bfloat16[${key},${hidden}]
              o_proj Linear weight:bfloat16[${hidden},${query}]
              k_norm Norm weight:bfloat16[${head}]
            mlp MoE
              gate_up_proj Linear weight:bfloat16[${2 * mlp},${hidden}] bias:bfloat16[${2 * mlp}]
              experts FusedMoE w13_weight:bfloat16[${experts},${2 * mlp},${hidden}] w2_weight:bfloat16[${experts},${hidden},${mlp}]
        lm_head Linear weight:bfloat16[${vocabulary},${hidden}]`, stored ? { "lm_head.weight": "embed_tokens.weight" } : {});
    const paths = ["layers.*.self_attn.k_proj.weight", "layers.*.self_attn.q_proj.weight", "layers.*.mlp.experts.w13_weight", "lm_head.weight"];
    const layout = { ...singleRank(), tpSize: layoutTp, epSize: layoutEp, sharded: paths.map((path, i) => ({ path, dim: dims[i]! })), replicated: [{ path: paths[0]!, replicas }] };
    const question = { tp, pp: Math.min(pp, layers > 1 && shapeTotals(body).weightBytes > 0 ? layers : 1), ep, layout: stored ? layout : undefined };
    const found = shapeMemory(body, question);
    if (!found.ok) return expect(found.error).toContain("pp is"); // layers that weigh nothing are no list
    const { weights } = memory(body, question);
    const held = weights.stages.reduce((sum, { bytesPerRank }) => sum + bytesPerRank, 0);
    const twice = stored && question.pp > 1 ? 2 * vocabulary * hidden : 0; // the tied head, at both ends
    expect(held).toBeLessThanOrEqual(weights.bytes + twice);
    expect(held * tp * ep).toBeGreaterThanOrEqual(weights.bytes - 100); // each kind is rounded
  }), { numRuns: 1_000 });
});
