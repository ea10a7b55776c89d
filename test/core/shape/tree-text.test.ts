import { expect, test } from "vitest";
import { treeText } from "#core/shape/tree-text.ts";
import type { ShapeBody } from "#schema/api/models.ts";
import { drawShape } from "./draw-shape.ts";
import { qwen3 } from "./qwen3-32b.ts";

test("Qwen3-32B: one line of 64 decoder layers", () => {
  const text = treeText(qwen3(), "Qwen/Qwen3-32B");
  expect(text).toBe(`\
Qwen/Qwen3-32B  Qwen3ForCausalLM  32.8B parameters (32,762,123,264) · 65.5 GB · 967 modules · bfloat16
  model  Qwen3Model  32.0B · bfloat16
    embed_tokens  Embedding  777.9M · bfloat16
    layers  ModuleList  31.2B · bfloat16
      layers.0 … layers.63  Qwen3DecoderLayer ×64  487.6M each · bfloat16
        self_attn  Qwen3Attention  94.4M · bfloat16
          q_proj  Linear  41.9M · bfloat16
          k_proj  Linear  5.2M · bfloat16
          v_proj  Linear  5.2M · bfloat16
          o_proj  Linear  41.9M · bfloat16
          q_norm  Qwen3RMSNorm  128 · bfloat16
          k_norm  Qwen3RMSNorm  128 · bfloat16
        mlp  Qwen3MLP  393.2M · bfloat16
          gate_proj  Linear  131.1M · bfloat16
          up_proj  Linear  131.1M · bfloat16
          down_proj  Linear  131.1M · bfloat16
          act_fn  SiLUActivation
        input_layernorm  Qwen3RMSNorm  5,120 · bfloat16
        post_attention_layernorm  Qwen3RMSNorm  5,120 · bfloat16
    norm  Qwen3RMSNorm  5,120 · bfloat16
    rotary_emb  Qwen3RotaryEmbedding
  lm_head  Linear  777.9M · bfloat16
`);
  expect(text.split("\n").filter((line) => line.includes("Qwen3DecoderLayer"))).toHaveLength(1);
});

test("an odd layer splits the run; experts fold in it; mixed and unsized dtypes are named", () => {
  const body = drawShape(`
    Net
      layers ModuleList
        0..2 Layer
          fc Linear weight:bfloat16[4,4]
        3 Layer
          experts ModuleList
            0..127 Expert w13:float8_e4m3fn[4,4] %scale:odd_8[2]
        4..63 Layer
          fc Linear weight:bfloat16[4,4]`);
  expect(treeText(body, "moe")).toBe(`\
moe  Net  3,056 parameters · 4.1 kB · 258 modules · bfloat16, float8_e4m3fn · 128 tensors unsized
  layers  ModuleList  3,056 · bfloat16, float8_e4m3fn, unsized
    layers.0 … layers.2  Layer ×3  16 each · bfloat16
      fc  Linear  16 · bfloat16
    layers.3  Layer  2,048 · float8_e4m3fn, unsized
      experts  ModuleList  2,048 · float8_e4m3fn, unsized
        experts.0 … experts.127  Expert ×128  16 each · float8_e4m3fn, unsized
    layers.4 … layers.63  Layer ×60  16 each · bfloat16
      fc  Linear  16 · bfloat16
`);
});

test("what is shared says with whom, and counts once where both are", () => {
  const body = drawShape(
    `
    Net
      embed Embedding weight:float32[10,4]
      layers ModuleList
        0..2 Layer
          rope Rope ~cos:float32[4]
          fc Linear weight:float32[4,4]
      head Linear weight:float32[10,4]`,
    { "head.weight": "embed.weight", "layers.1.rope": "layers.0.rope", "layers.2.rope": "layers.0.rope", "layers.1.fc": "layers.0.fc" },
  );
  expect(treeText(body, "tied")).toBe(`\
tied  Net  72 parameters · 288 B · 13 modules · float32
  embed  Embedding  40 · float32
  layers  ModuleList  32 · float32
    layers.0 … layers.2  Layer ×3  16 each · float32
      rope  Rope  2 of 3 share layers.0.rope
      fc  Linear  16 · float32 · 1 of 3 share layers.0.fc
  head  Linear  40 · float32 · shares embed.weight
`);
});

test("containers in containers keep their indices apart", () => {
  const body = drawShape(`
    Net
      h ModuleList
        0..1 ModuleList
          0..3 Block w:float32[2]`);
  expect(treeText(body, "nested")).toBe(`\
nested  Net  16 parameters · 64 B · 12 modules · float32
  h  ModuleList  16 · float32
    h.0 … h.1  ModuleList ×2  8 each · float32
      h.0.0 … h.0.3  Block ×4  2 each · float32
`);
});

test("5,000 levels print without running out of stack", () => {
  const modules = [{ className: "Leaf", tensors: [], children: [] as { name: string; module: number }[] }];
  for (let row = 1; row < 5_000; row++) modules.push({ className: "Link", tensors: [], children: [{ name: "next", module: row - 1 }] });
  expect(treeText({ architecture: "", modules, root: 4_999, aliases: [] }, "deep").split("\n")).toHaveLength(5_001);
});

test("20,000 siblings that share the first: each line says so; asking each alias once per line would take minutes", () => {
  const [tied] = drawShape("Tied w:int8[2]").modules;
  const names = Array.from({ length: 20_000 }, (_, i) => `x${i}`);
  const modules = [tied!, { className: "Net", tensors: [], children: names.map((name) => ({ name, module: 0 })) }];
  const body: ShapeBody = { architecture: "", modules, root: 1, aliases: names.slice(1).map((path) => ({ path, target: "x0" })) };
  const lines = names.map((name, i) => `  ${name}  Tied  2 · int8${i === 0 ? "" : " · shares x0"}`);
  expect(treeText(body, "wide")).toBe(`wide  Net  2 parameters · 2 B · 20,001 modules · int8\n${lines.join("\n")}\n`);
});

test("aliases stay with their own run, whatever runs lie between them", () => {
  const body = drawShape(
    `
    Net
      layers ModuleList
        0..2 Layer
          a Linear weight:float32[4]
          b Linear weight:float32[4]
        3 Odd
          a Linear weight:float32[4]
        4..5 Layer
          a Linear weight:float32[4]
          b Linear weight:float32[4]`,
    { "layers.2.a": "layers.0.a", "layers.1.b.weight": "layers.0.a.weight", "layers.3.a": "layers.0.a", "layers.5.b": "layers.0.b", "layers.5.a": "layers.0.a" },
  );
  expect(treeText(body, "runs").split("\n").slice(2, -1)).toEqual([
    "    layers.0 … layers.2  Layer ×3  8 each · float32", "      a  Linear  4 · float32 · 1 of 3 share layers.0.a", "      b  Linear  4 · float32 · 1 of 3 share layers.0.a.weight",
    "    layers.3  Odd  4 · float32", "      a  Linear  4 · float32 · shares layers.0.a",
    "    layers.4 … layers.5  Layer ×2  8 each · float32", "      a  Linear  4 · float32 · 1 of 2 share layers.0.a", "      b  Linear  4 · float32 · 1 of 2 share layers.0.b",
  ]);
});
