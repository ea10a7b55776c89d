// Every expected figure is worked out here from the model's public sizes, never from the code under test.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { singleRank } from "#core/shape/layout.ts";
import { shapeMemory, type MemoryQuestion } from "#core/shape/memory/memory.ts";
import { memoryText } from "#core/shape/memory/memory-text.ts";
import type { ShapeLayout } from "#core/shape/part.ts";
import { shapeTotals } from "#core/shape/totals.ts";
import type { ShapeBody } from "#schema/api/models.ts";
import { shapeMemory as answer } from "#schema/api/shapes.ts";
import { drawShape } from "./draw-shape.ts";
import { qwen3 } from "./qwen3-32b.ts";
import { modelObject, shapeOf } from "./shared-objects.ts";

function memory(body: ShapeBody, question: Partial<MemoryQuestion> = {}) {
  const found = shapeMemory(body, { tp: 1, pp: 1, ep: 1, ...question });
  if (!found.ok) throw new Error(found.error);
  expect(answer.omit({ shapeId: true, layoutId: true }).parse(found.value)).toStrictEqual(found.value); // what the route promises
  return found.value;
}
const line = (found: ReturnType<typeof memory>, path: string) => found.tensors.find((one) => one.path === path)!;

// Qwen3-32B: hidden 5120, 64 layers, 64 query and 8 key heads of 128, MLP 25600, vocabulary 151936, bfloat16.
const [hidden, mlp, vocabulary] = [5_120, 25_600, 151_936];
const embedding = vocabulary * hidden;
const norms = 2 * hidden + 2 * 128;
const layerOn = (tp: number, keyRows: number) => (8_192 * hidden) / tp + 2 * keyRows * hidden + (hidden * 8_192) / tp + (3 * mlp * hidden) / tp + norms;

describe("Qwen3-32B", () => {
  test("one rank holds the model, and caches 2 × 8 × 128 × 2 bytes in each of 64 layers", () => {
    const found = memory(qwen3());
    expect(found.weights).toMatchObject({ bytes: 65_524_246_528, bytesPerRank: 65_524_246_528, expertBytes: 0, largestStage: 0, stages: [{ stage: 0, layers: 64, kvBytesPerTokenPerRank: 262_144 }] });
    expect(found.kv).toMatchObject({
      elementBytes: 2, elementBytesFrom: "weights", bytesPerToken: 262_144, bytesPerTokenPerRank: 262_144, layersWithout: 0,
      attention: [{ path: "model.layers.*.self_attn", className: "Qwen3Attention", layers: 64, kind: "heads", kvHeads: 8, headSize: 128, elementsPerToken: 2_048, elementsPerTokenPerRank: 2_048 }],
    });
    expect(found).toMatchObject({ layerPath: "model.layers", problems: [], replicated: 0 });
  });

  test("TP 8: projections by eight, norms whole", () => {
    const found = memory(qwen3(), { tp: 8 });
    expect(found.weights.bytesPerRank).toBe(2 * (64 * layerOn(8, 1_024 / 8) + (2 * embedding) / 8 + hidden));
    expect(found.kv).toMatchObject({ bytesPerToken: 262_144, bytesPerTokenPerRank: 32_768 });
    expect(line(found, "model.layers.*.self_attn.o_proj.weight")).toMatchObject({ copies: 64, rule: "row", dim: 1, bytes: 2 * hidden * 8_192, bytesPerRank: (2 * hidden * 8_192) / 8, from: "inferred", replicated: false, note: "" });
    expect(line(found, "lm_head.weight")).toMatchObject({ copies: 1, rule: "vocabulary", dim: 0 });
    expect(line(found, "model.norm.weight")).toMatchObject({ rule: "whole", dim: null, bytesPerRank: 2 * hidden, note: "" });
    expect(found).toMatchObject({ problems: [], replicated: 0, inferred: 9 });
  });

  test("TP 16: eight key heads are on two ranks each, and each rank caches one", () => {
    const found = memory(qwen3(), { tp: 16 });
    expect(found.weights.bytesPerRank).toBe(2 * (64 * layerOn(16, 128) + (2 * embedding) / 16 + hidden));
    expect(found.kv).toMatchObject({ bytesPerToken: 262_144, bytesPerTokenPerRank: 262_144 / 8 });
    expect(line(found, "model.layers.*.self_attn.k_proj.weight")).toMatchObject({ rule: "heads", replicated: true, note: "8 key heads on 16 ranks: each on 2", bytesPerRank: 2 * 128 * hidden });
    expect(found).toMatchObject({ problems: [], replicated: 2 });
  });

  test("PP: layers as vLLM divides them, the embedding first, the head last", () => {
    const layer = 2 * layerOn(1, 1_024);
    const two = memory(qwen3(), { pp: 2 });
    expect(two.weights.stages).toEqual([
      { stage: 0, layers: 32, bytesPerRank: 32 * layer + 2 * embedding, expertBytesPerRank: 0, kvBytesPerTokenPerRank: 131_072 },
      { stage: 1, layers: 32, bytesPerRank: 32 * layer + 2 * embedding + 2 * hidden, expertBytesPerRank: 0, kvBytesPerTokenPerRank: 131_072 },
    ]);
    expect(two.weights).toMatchObject({ largestStage: 1, bytesPerRank: 32 * layer + 2 * embedding + 2 * hidden });
    const three = memory(qwen3(), { pp: 3 });
    expect(three.weights.stages.map(({ layers, bytesPerRank }) => [layers, bytesPerRank])).toEqual([[21, 21 * layer + 2 * embedding], [22, 22 * layer], [21, 21 * layer + 2 * embedding + 2 * hidden]]);
    expect(three.kv.bytesPerTokenPerRank).toBe(22 * 4_096);
  });

  test("TP 8 × PP 2 is each of the two", () => {
    const found = memory(qwen3(), { tp: 8, pp: 2 });
    expect(found.weights.stages[0]!.bytesPerRank).toBe(2 * (32 * layerOn(8, 128) + embedding / 8));
    expect(found.kv.bytesPerTokenPerRank).toBe(262_144 / 16);
  });

  test("a tied head is held once by one rank, and by both ends of a pipeline", () => {
    const tied = qwen3({ "lm_head.weight": "model.embed_tokens.weight" });
    expect(memory(tied).weights.bytesPerRank).toBe(65_524_246_528 - 2 * embedding);
    expect(line(memory(tied), "lm_head.weight")).toBeUndefined();
    const layer = 2 * layerOn(1, 1_024);
    expect(memory(tied, { pp: 2 }).weights.stages.map(({ bytesPerRank }) => bytesPerRank)).toEqual([32 * layer + 2 * embedding, 32 * layer + 2 * embedding + 2 * hidden]);
  });

  test("sizes an engine would refuse are named, and what does not divide is held whole", () => {
    const found = memory(qwen3(), { tp: 3 });
    expect(found.problems).toContain("model.layers.*.self_attn.q_proj.weight: 64 query heads do not divide by 3; engines refuse that, here every rank holds all of it");
    expect(found.problems).toContain("model.layers.*.self_attn.k_proj.weight: 8 key heads and 3 ranks: neither divides by the other; engines refuse that, here every rank holds all of it");
    expect(found.problems).toContain("model.layers.*.mlp.down_proj.weight: dim 1 of 25600 does not divide by 3; engines refuse that, here every rank holds all of it");
    expect(line(found, "model.layers.*.mlp.up_proj.weight")).toMatchObject({ rule: "whole", dim: null, replicated: true, note: "dim 0 of 25600 does not divide by 3", bytesPerRank: 2 * mlp * hidden });
    // A vocabulary is padded until it divides.
    expect(line(found, "lm_head.weight")).toMatchObject({ rule: "vocabulary", replicated: false, bytesPerRank: 2 * Math.ceil(vocabulary / 3) * hidden });
    expect(found.kv.bytesPerTokenPerRank).toBeNull();
  });

  test("bytes of a cached element can be asked for", () => {
    expect(memory(qwen3(), { kvDtypeBytes: 1 }).kv).toMatchObject({ elementBytes: 1, elementBytesFrom: "asked", bytesPerToken: 131_072 });
  });

  test("more stages than layers are refused", () => {
    expect(shapeMemory(qwen3(), { tp: 1, pp: 65, ep: 1 })).toEqual({ ok: false, error: expect.stringContaining("model.layers has 64 layers") });
    expect(shapeMemory(drawShape("Net w:float32[4]"), { tp: 1, pp: 2, ep: 1 })).toEqual({ ok: false, error: expect.stringContaining("no list of layers") });
  });

  test("the text", () => {
    const text = memoryText(memory(qwen3(), { tp: 8, pp: 2 }));
    expect(text).toContain("TP 8 · PP 2: 4.1 GB of weights on a rank of stage 1, of 65.5 GB in all\n");
    expect(text).toContain("KV cache: 262,144 bytes per token (16,384 on a rank) at 2 bytes an element, the dtype of the key projection\n");
    expect(text).toContain("  model.layers.*.self_attn ×64 · 8 key heads of 128 · 2,048 elements: rows of k_proj and v_proj; size of a head from the norm of the keys\n");
    expect(text).toContain("  model.layers.*.mlp.down_proj.weight ×64  bfloat16 [5120, 25600] · 262.1 MB → 32.8 MB a rank · row, dim 1 (inferred)\n");
  });
});

// The same model as vLLM builds it: queries, keys and values fused, gate and up fused.
const fused = drawShape(`
    Qwen3ForCausalLM
      model Qwen3Model
        embed_tokens VocabParallelEmbedding weight:bfloat16[151936,5120]
        layers ModuleList
          0..63 Qwen3DecoderLayer
            self_attn Qwen3Attention
              qkv_proj QKVParallelLinear weight:bfloat16[10240,5120]
              o_proj RowParallelLinear weight:bfloat16[5120,8192]
              attn Attention
              q_norm RMSNorm weight:bfloat16[128]
              k_norm RMSNorm weight:bfloat16[128]
            mlp Qwen3MLP
              gate_up_proj MergedColumnParallelLinear weight:bfloat16[51200,5120]
              down_proj RowParallelLinear weight:bfloat16[5120,25600]
            input_layernorm RMSNorm weight:bfloat16[5120]
            post_attention_layernorm RMSNorm weight:bfloat16[5120]
        norm RMSNorm weight:bfloat16[5120]
      lm_head ParallelLMHead weight:bfloat16[151936,5120]`);

describe("fused projections", () => {
  test.each([1, 2, 8, 16, 64])("TP %i: the same bytes as apart", (tp) => {
    const [one, other] = [memory(fused, { tp }), memory(qwen3(), { tp })];
    expect(one.weights.bytesPerRank).toBe(other.weights.bytesPerRank);
    expect([one.kv.bytesPerToken, one.kv.bytesPerTokenPerRank]).toEqual([other.kv.bytesPerToken, other.kv.bytesPerTokenPerRank]);
    expect(one.kv.attention).toMatchObject([{ kvHeads: 8, headSize: 128, elementsPerToken: 2_048 }]);
  });

  test("without a witness of a head's size the width is known and the heads are not", () => {
    const plain = drawShape("Net\n  layers ModuleList\n    0..1 Layer\n      attn Attention\n        qkv_proj QKVParallelLinear weight:float16[6144,4096]\n        o_proj RowParallelLinear weight:float16[4096,4096]");
    expect(memory(plain).kv).toMatchObject({ bytesPerToken: 2 * 2_048 * 2, bytesPerTokenPerRank: 2 * 2_048 * 2 });
    expect(memory(plain, { tp: 4 }).kv).toMatchObject({ bytesPerToken: 8_192, bytesPerTokenPerRank: null, attention: [{ kvHeads: null, headSize: null, elementsPerTokenPerRank: null, how: expect.stringContaining("if it divides by 4, a rank caches 512 elements") }] });
  });

  test("sizes that do not fit are said to be unknown: a gate among the queries", () => {
    // 16 query heads of 256 with as many gates, 2 key heads: 2·4096 + 2·512 rows; taken for plain, 10 key heads would share 16 query heads.
    const gated = drawShape("Net\n  layers ModuleList\n    0..1 Layer\n      attn GatedAttention\n        qkv_proj QKVParallelLinear weight:bfloat16[9216,2048]\n        o_proj RowParallelLinear weight:bfloat16[2048,4096]\n        k_norm RMSNorm weight:bfloat16[256]");
    expect(memory(gated).kv).toMatchObject({ bytesPerToken: null, bytesPerTokenPerRank: null, attention: [{ kind: "unknown", how: expect.stringContaining("16 query heads do not share 10 key heads evenly") }] });
  });

  test("GPT-2 keeps [in, out], and has no norm of a head", () => {
    const gpt2 = drawShape("GPT2\n  h ModuleList\n    0..11 Block\n      attn GPT2Attention\n        c_attn Conv1D weight:float32[768,2304] bias:float32[2304]\n        c_proj Conv1D weight:float32[768,768] bias:float32[768]\n      mlp GPT2MLP\n        c_fc Conv1D weight:float32[768,3072] bias:float32[3072]\n        c_proj Conv1D weight:float32[3072,768] bias:float32[768]");
    const found = memory(gpt2, { tp: 2 });
    expect(found.kv).toMatchObject({ elementBytes: 4, bytesPerToken: 12 * 1_536 * 4 });
    expect(line(found, "h.*.mlp.c_proj.weight")).toMatchObject({ rule: "row", dim: 0 });
    expect(line(found, "h.*.mlp.c_fc.weight")).toMatchObject({ rule: "column", dim: 1 });
    // Of a layer: all matrices by two, column biases by two, row biases whole.
    expect(found.weights.bytesPerRank).toBe(12 * 4 * ((768 * (2_304 + 768) + 2 * 768 * 3_072) / 2 + (2_304 + 3_072) / 2 + 2 * 768));
  });
});

describe("key heads that nothing but a layout tells", () => {
  const llama = drawShape("Llama\n  layers ModuleList\n    0..31 Layer\n      self_attn LlamaAttention\n        q_proj Linear weight:bfloat16[4096,4096]\n        k_proj Linear weight:bfloat16[1024,4096]\n        v_proj Linear weight:bfloat16[1024,4096]\n        o_proj Linear weight:bfloat16[4096,4096]");
  const layout = (tpSize: number, replicas: number): ShapeLayout => ({
    ...singleRank(), tpSize, sharded: ["q_proj", "k_proj", "v_proj"].map((name) => ({ path: `layers.*.self_attn.${name}.weight`, dim: 0 })).concat({ path: "layers.*.self_attn.o_proj.weight", dim: 1 }),
    replicated: replicas > 1 ? ["k_proj", "v_proj"].map((name) => ({ path: `layers.*.self_attn.${name}.weight`, replicas })) : [],
  });

  test("one rank caches all of them, however many there are", () => {
    expect(memory(llama).kv).toMatchObject({ bytesPerToken: 131_072, bytesPerTokenPerRank: 131_072, attention: [{ kvHeads: null, headSize: null }] });
    expect(memory(llama, { tp: 8 }).kv).toMatchObject({ bytesPerToken: 131_072, bytesPerTokenPerRank: null });
  });

  test("two copies of each on 16 ranks: eight heads of 128", () => {
    const found = memory(llama, { tp: 32, layout: layout(16, 2) });
    expect(found.kv).toMatchObject({ bytesPerTokenPerRank: 131_072 / 8, attention: [{ kvHeads: 8, headSize: 128 }] });
    expect(line(found, "layers.*.self_attn.k_proj.weight")).toMatchObject({ from: "layout", replicated: true, bytesPerRank: 2 * 128 * 4_096, note: "8 key heads on 32 ranks: each on 4" });
  });

  test("none repeated on eight ranks: there are enough for eight, four and two", () => {
    for (const tp of [8, 4, 2]) expect(memory(llama, { tp, layout: layout(8, 1) }).kv.bytesPerTokenPerRank).toBe(131_072 / tp);
    expect(memory(llama, { tp: 16, layout: layout(8, 1) }).kv.bytesPerTokenPerRank).toBeNull();
  });

  test("what the layout does not name is whole, and nothing is inferred", () => {
    const found = memory(llama, { tp: 2, layout: { ...layout(2, 1), sharded: [{ path: "layers.*.self_attn.o_proj.weight", dim: 0 }] } });
    expect(line(found, "layers.*.self_attn.q_proj.weight")).toMatchObject({ rule: "whole", from: "layout" });
    expect(line(found, "layers.*.self_attn.o_proj.weight")).toMatchObject({ dim: 0, from: "layout", bytesPerRank: 4_096 * 4_096 });
    expect(found.inferred).toBe(0);
    expect(found.notes[0]).toContain("a layout of TP 2");
  });
});

test("a padded vocabulary of a layout counts as it is stored there", () => {
  const body = drawShape("Net\n  lm_head ParallelLMHead weight:bfloat16[100,8]");
  const layout = { ...singleRank(), tpSize: 4, sharded: [{ path: "lm_head.weight", dim: 0 }], padded: [{ path: "lm_head.weight", dim: 0, size: 128 }] };
  expect(memory(body, { tp: 4, layout }).weights.bytesPerRank).toBe(2 * 32 * 8);
  // For other ranks than the layout's it is padded until it divides.
  expect(memory(body, { tp: 1, layout }).weights.bytesPerRank).toBe(2 * 100 * 8);
  expect(memory(body, { tp: 8, layout }).weights.bytesPerRank).toBe(2 * 13 * 8);
});

describe("experts", () => {
  const expert = 3 * 768 * 2_048 * 2;
  const listed = drawShape("Net\n  layers ModuleList\n    0..3 Layer\n      mlp MoE\n        gate Linear weight:bfloat16[128,2048]\n        experts ModuleList\n          0..127 MLP\n            gate_proj Linear weight:bfloat16[768,2048]\n            up_proj Linear weight:bfloat16[768,2048]\n            down_proj Linear weight:bfloat16[2048,768]\n        shared_experts MLP\n          up_proj Linear weight:bfloat16[768,2048]");
  const stacked = drawShape("Net\n  layers ModuleList\n    0..3 Layer\n      mlp MoE\n        gate ReplicatedLinear weight:bfloat16[128,2048]\n        experts FusedMoE w13_weight:bfloat16[128,1536,2048] w2_weight:bfloat16[128,2048,768]\n        shared_experts MLP\n          up_proj ColumnParallelLinear weight:bfloat16[768,2048]");
  const [gate, shared] = [2 * 128 * 2_048, 2 * 768 * 2_048];

  test.each([["one by one", listed], ["in one tensor", stacked]])("%s: over EP whole, over TP as far as EP leaves it, the router whole, shared experts by TP", (_, body) => {
    expect(memory(body).weights).toMatchObject({ bytes: 4 * (gate + shared + 128 * expert), expertBytes: 4 * 128 * expert, bytesPerRank: 4 * (gate + shared + 128 * expert) });
    const rank = (tp: number, ep: number) => memory(body, { tp, ep }).weights;
    expect(rank(1, 8)).toMatchObject({ bytesPerRank: 4 * (gate + shared + 16 * expert), stages: [{ expertBytesPerRank: 4 * 16 * expert }] });
    expect(rank(8, 1).bytesPerRank).toBe(4 * (gate + shared / 8 + 16 * expert));
    expect(rank(8, 8).bytesPerRank).toBe(4 * (gate + shared / 8 + 16 * expert));
    expect(rank(8, 2).bytesPerRank).toBe(4 * (gate + shared / 8 + (64 * expert) / 4));
    expect(rank(4, 32).bytesPerRank).toBe(4 * (gate + shared / 4 + 4 * expert));
  });

  test("experts that are not even: the rank with most, and it is said", () => {
    for (const body of [listed, stacked]) {
      const found = memory(body, { ep: 3 });
      expect(found.weights.bytesPerRank).toBe(4 * (gate + shared + 43 * expert));
      expect(found.problems).toContain("128 experts over 3 ranks are not even: the figures are of a rank with 43");
    }
    expect(memory(stacked, { ep: 256 }).problems[0]).toContain("some ranks have none");
    expect(memory(qwen3(), { ep: 8 }).problems).toEqual(["ep is 8, but the model has no experts: it changes nothing"]);
    expect(memory(stacked, { tp: 8, ep: 3 }).problems.at(-1)).toContain("no multiple of ep 3");
  });

  test("which dimension is divided is told by the sizes: [experts, out, in] and [experts, in, out]", () => {
    const of = (up: string, down: string) => memory(drawShape(`Net\n  experts Experts gate_up_proj:bfloat16[8,${up}] down_proj:bfloat16[8,${down}] gate_up_proj_bias:bfloat16[8,96] down_proj_bias:bfloat16[8,64]`), { tp: 2 });
    const dims = (found: ReturnType<typeof memory>) => ["gate_up_proj", "down_proj", "gate_up_proj_bias", "down_proj_bias"].map((name) => line(found, `experts.${name}`).dim);
    expect(dims(of("96,64", "64,48"))).toEqual([1, 2, 1, null]);
    expect(dims(of("64,96", "48,64"))).toEqual([2, 1, 1, null]);
  });

  test("a layout of expert parallelism says nothing of how TP would divide them", () => {
    const layout = { ...singleRank(), tpSize: 8, epSize: 8, sharded: [{ path: "layers.*.mlp.experts.w13_weight", dim: 0 }, { path: "layers.*.mlp.experts.w2_weight", dim: 0 }, { path: "layers.*.mlp.shared_experts.up_proj.weight", dim: 0 }] };
    const found = memory(stacked, { tp: 4, layout });
    expect(line(found, "layers.*.mlp.experts.w13_weight")).toMatchObject({ from: "inferred", rule: "column", dim: 1 });
    expect(line(found, "layers.*.mlp.shared_experts.up_proj.weight")).toMatchObject({ from: "layout", dim: 0 });
    expect(found.weights.bytesPerRank).toBe(4 * (gate + shared / 4 + 32 * expert));
    const one = memory(listed, { tp: 4, layout: { ...layout, sharded: layout.sharded.slice(2) } });
    expect(line(one, "layers.*.mlp.experts.*.up_proj.weight")).toMatchObject({ from: "inferred", rule: "column", dim: 0 });
    expect(one.weights.bytesPerRank).toBe(found.weights.bytesPerRank);
  });
});

describe("other attention", () => {
  const mla = (projections: string) => drawShape(`DeepSeek\n  layers ModuleList\n    0..60 Layer\n      self_attn DeepseekV3Attention\n${projections}        q_b_proj Linear weight:bfloat16[24576,1536]\n        kv_b_proj Linear weight:bfloat16[32768,512]\n        o_proj Linear weight:bfloat16[7168,16384]`);
  // DeepSeek-V3: a latent of 512 and 64 rotary elements in each of 61 layers, whatever TP.
  test.each([
    ["kv_a_proj_with_mqa", "        kv_a_proj_with_mqa Linear weight:bfloat16[576,7168]\n"],
    ["fused_qkv_a_proj", "        fused_qkv_a_proj DeepSeekV2FusedQkvAProjLinear weight:bfloat16[2112,7168]\n        q_a_layernorm RMSNorm weight:bfloat16[1536]\n"],
  ])("a latent, by %s: 576 elements on every rank", (name, projections) => {
    const found = memory(mla(projections), { tp: 8 });
    expect(found.kv).toMatchObject({ bytesPerToken: 70_272, bytesPerTokenPerRank: 70_272, attention: [{ kind: "latent", layers: 61, elementsPerToken: 576, elementsPerTokenPerRank: 576 }] });
    expect(line(found, `layers.*.self_attn.${name}.weight`)).toMatchObject({ rule: "whole", note: "" });
    expect(line(found, "layers.*.self_attn.kv_b_proj.weight")).toMatchObject({ rule: "column", dim: 0 });
  });

  test("a norm over all heads tells nothing; sinks count the query heads; values may be narrower than keys", () => {
    const attention = (more: string, tensors = "") => drawShape(`Net\n  layers ModuleList\n    0..1 Layer\n      self_attn Attention${tensors}\n        q_proj Linear weight:bfloat16[12288,4096]\n        k_proj Linear weight:bfloat16[1536,4096]\n        v_proj Linear weight:bfloat16[1024,4096]\n        o_proj Linear weight:bfloat16[4096,8192]\n${more}`);
    expect(memory(attention("        q_norm Norm weight:bfloat16[12288]\n        k_norm Norm weight:bfloat16[1536]")).kv.attention).toMatchObject([{ kvHeads: null, elementsPerToken: 2_560 }]);
    expect(memory(attention("", " sinks:bfloat16[64]"), { tp: 8 }).kv.attention).toMatchObject([{ kvHeads: 8, headSize: 192, elementsPerToken: 2_560, elementsPerTokenPerRank: 320 }]);
    expect(memory(attention("        k_norm Norm weight:bfloat16[8,192]"), { tp: 8 }).kv.attention).toMatchObject([{ kvHeads: 8, headSize: 192 }]);
  });

  test("quantised projections: sizes are logical, elements two bytes unless asked", () => {
    const gptq = (name: string, out: number, input: number) => `        ${name} QuantLinear qweight:int32[${input / 8},${out}]/4=${input * out} %qzeros:int32[${input / 128},${out / 8}] %scales:float16[${input / 128},${out}] %g_idx:int32[${input}]\n`;
    const body = drawShape(`Net\n  layers ModuleList\n    0..1 Layer\n      self_attn Attention\n${gptq("q_proj", 4_096, 4_096)}${gptq("k_proj", 1_024, 4_096)}${gptq("v_proj", 1_024, 4_096)}${gptq("o_proj", 4_096, 4_096)}        k_norm Norm weight:float16[128]`);
    const found = memory(body, { tp: 4 });
    expect(found.kv).toMatchObject({ elementBytes: 2, elementBytesFrom: "default", bytesPerToken: 2 * 2_048 * 2, bytesPerTokenPerRank: 2_048, attention: [{ kvHeads: 8, headSize: 128 }] });
    const dims = (path: string) => ["qweight", "qzeros", "scales", "g_idx"].map((name) => line(found, `layers.*.self_attn.${path}.${name}`).dim);
    expect(dims("q_proj")).toEqual([1, 1, 1, null]);
    expect(dims("o_proj")).toEqual([0, 0, 0, 0]);
    // Of a layer on a rank: words, zeros and scales by four; the group index of a row by four, of a column whole.
    const quantised = (out: number, input: number) => (input / 8) * out * 4 + (input / 128) * (out / 8) * 4 + (input / 128) * out * 2;
    expect(found.weights.bytesPerRank).toBe(2 * ((2 * quantised(4_096, 4_096) + 2 * quantised(1_024, 4_096) + 4_096 * 4) / 4 + 3 * 4_096 * 4 + 256));
  });

  test("layers with a state instead of a cache, a vision tower, and cross-attention are not counted, and named", () => {
    const body = drawShape(`
      Net
        visual Vision
          blocks ModuleList
            0..3 Block
              attn VisionAttention
                qkv Linear weight:bfloat16[96,32]
                proj Linear weight:bfloat16[32,32]
        layers ModuleList
          0..2 Layer
            linear_attn GatedDeltaNet A_log:bfloat16[8]
              q_proj Linear weight:bfloat16[512,512]
              k_proj Linear weight:bfloat16[512,512]
              v_proj Linear weight:bfloat16[512,512]
          3 Layer
            self_attn Attention
              k_proj Linear weight:bfloat16[64,512]
              v_proj Linear weight:bfloat16[64,512]
            EncDecAttention Attention
              k Linear weight:bfloat16[64,512]
              v Linear weight:bfloat16[64,512]`);
    const found = memory(body);
    expect(found.kv).toMatchObject({ bytesPerToken: 2 * 64 * 2, layersWithout: 3, attention: [{ path: "layers.*.self_attn", layers: 1 }] });
    expect(found.notes.at(-1)).toContain("visual.blocks.*.attn (VisionAttention ×4)");
    expect(found.notes.at(-1)).toContain("layers.*.EncDecAttention (Attention)");
  });

  test("attention whose projections have other names is unknown, and so is the cache", () => {
    const body = drawShape("Net\n  layers ModuleList\n    0..1 Layer\n      mix OddAttention\n        everything Linear weight:bfloat16[96,32]");
    expect(memory(body).kv).toMatchObject({ bytesPerToken: null, bytesPerTokenPerRank: null, attention: [{ kind: "unknown", how: expect.stringContaining("OddAttention has no key and value projection") }] });
  });

  test("no attention at all: nothing is said of a cache", () => {
    const found = memory(drawShape("Net\n  layers ModuleList\n    0..1 Layer\n      fc Linear weight:float32[4,4]"));
    expect(found.kv).toMatchObject({ bytesPerToken: null, attention: [], layersWithout: 2 });
    expect(found.notes).toEqual(["no attention was found in the layers: nothing is said of a KV cache"]);
  });

  test("layers that share their weights still cache each their own", () => {
    const looped = drawShape("Looped\n  layers ModuleList\n    0..11 Layer\n      attention LoopedAttention\n        query Linear weight:float32[64,64]\n        key Linear weight:float32[64,64]\n        value Linear weight:float32[64,64]", Object.fromEntries(Array.from({ length: 11 }, (_, i) => [`layers.${i + 1}`, "layers.0"])));
    const found = memory(looped);
    expect(found.weights.bytesPerRank).toBe(3 * 64 * 64 * 4);
    expect(found.kv.bytesPerToken).toBe(12 * 128 * 4);
    expect(memory(looped, { pp: 3 }).weights.stages.map(({ bytesPerRank }) => bytesPerRank)).toEqual(Array(3).fill(3 * 64 * 64 * 4));
  });
});

test("tensors that no rule knows are whole, and their bytes are said", () => {
  const found = memory(drawShape("Net\n  layers ModuleList\n    0..1 Layer\n      odd Linear weight:bfloat16[64,64] bias:bfloat16[64]"), { tp: 2 });
  expect(line(found, "layers.*.odd.weight")).toMatchObject({ rule: "whole", note: "no rule for its name", replicated: false });
  expect(found.problems).toEqual(["16.4 kB are in tensors whose names no rule knows; every rank is taken to hold all of them"]);
});

test("unsized tensors count nothing and are counted", () => {
  const found = memory(drawShape("Net\n  up_proj Linear weight:float6[8,8] bias:float32[8]"), { tp: 2 });
  expect(found.weights).toMatchObject({ bytes: 32, bytesPerRank: 16, unsizedTensors: 1 });
  expect(line(found, "up_proj.weight")).toMatchObject({ bytes: null, bytesPerRank: null });
});

test("an adapter's wrapper does not hide the projection", () => {
  const body = drawShape("Net\n  layers ModuleList\n    0..1 Layer\n      self_attn Attention\n        k_proj LoraLayer\n          base_layer Linear weight:bfloat16[64,512]\n        v_proj LoraLayer\n          base_layer Linear weight:bfloat16[64,512]\n        o_proj LoraLayer\n          base_layer Linear weight:bfloat16[512,512]");
  const found = memory(body, { tp: 2 });
  expect(found.kv.bytesPerToken).toBe(2 * 128 * 2);
  expect(line(found, "layers.*.self_attn.o_proj.base_layer.weight")).toMatchObject({ rule: "row", dim: 1 });
});

test("a tree that cannot be told apart in few kinds is refused with the bound", () => {
  const modules: ShapeBody["modules"] = [{ className: "Leaf", tensors: [], children: [] }];
  for (let row = 1; row <= 24; row++) modules.push({ className: "Pair", tensors: [], children: [{ name: "l", module: row - 1 }, { name: "r", module: row - 1 }] });
  expect(shapeMemory({ architecture: "", modules, root: 24, aliases: [] }, { tp: 1, pp: 1, ep: 1 })).toEqual({ ok: false, error: expect.stringContaining("memoryCellsMax") });
});

describe("laws, over random models", () => {
  test("on one rank, the weights are the shape's; the table lists each", () => {
    fc.assert(fc.property(modelObject(true), (model) => {
      const body = shapeOf(model);
      const found = memory(body);
      expect(found.weights.bytesPerRank).toBe(shapeTotals(body).weightBytes);
      expect(found.tensors.reduce((sum, { copies, bytes }) => sum + copies * (bytes ?? 0), 0)).toBe(shapeTotals(body).weightBytes);
    }), { numRuns: 300 });
  });

  test("without sharing the stages of a pipeline hold the whole together; ranks of TP never hold less than their part", () => {
    fc.assert(fc.property(modelObject(false), fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 4 }), (model, pp, tp) => {
      const body = shapeOf(model);
      const whole = shapeTotals(body).weightBytes;
      const stages = shapeMemory(body, { tp: 1, pp, ep: 1 });
      if (stages.ok) expect(stages.value.weights.stages.reduce((sum, { bytesPerRank }) => sum + bytesPerRank, 0)).toBe(whole);
      const rank = memory(body, { tp }).weights.bytesPerRank;
      expect(rank).toBeLessThanOrEqual(whole);
      expect(rank * tp).toBeGreaterThanOrEqual(whole);
    }), { numRuns: 300 });
  });
});
