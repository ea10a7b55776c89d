import { describe, expect, test } from "vitest";
import { canonicalShape } from "#core/shape/canonical.ts";
import { mergeParts } from "#core/shape/merge.ts";
import { shapeTotals } from "#core/shape/totals.ts";
import type { ShapeBody } from "#schema/api/models.ts";
import { drawShape } from "./draw-shape.ts";

function stages(...bodies: ShapeBody[]): { ppRank: number; ppSize: number; body: ShapeBody }[] {
  return bodies.map((body, ppRank) => ({ ppRank, ppSize: bodies.length, body }));
}

const whole = drawShape(`
  Qwen3ForCausalLM
    model Qwen3Model
      embed_tokens Embedding weight:bfloat16[100,8]
      layers ModuleList
        0..3 Qwen3DecoderLayer
          fc Linear weight:bfloat16[8,8]
      norm RMSNorm weight:bfloat16[8]
    lm_head Linear weight:bfloat16[100,8]`);
const first = drawShape(`
  Qwen3ForCausalLM
    model Qwen3Model
      embed_tokens Embedding weight:bfloat16[100,8]
      layers ModuleList
        0..1 Qwen3DecoderLayer
          fc Linear weight:bfloat16[8,8]
        2..3 PPMissingLayer
      norm PPMissingLayer
    lm_head PPMissingLayer`);
const last = drawShape(`
  Qwen3ForCausalLM
    model Qwen3Model
      embed_tokens Identity
      layers ModuleList
        0..1 PPMissingLayer
        2..3 Qwen3DecoderLayer
          fc Linear weight:bfloat16[8,8]
      norm RMSNorm weight:bfloat16[8]
    lm_head Linear weight:bfloat16[100,8]`);

function merged(parts: Parameters<typeof mergeParts>[0]): ShapeBody {
  const result = mergeParts(parts);
  if (!result.ok) throw new Error(result.error.detail);
  return result.value;
}

test("two stages are the whole model: one shape id, in whatever order they arrive", () => {
  const { shapeId } = canonicalShape(whole);
  expect(canonicalShape(merged(stages(first, last))).shapeId).toBe(shapeId);
  expect(canonicalShape(merged(stages(first, last).reverse())).shapeId).toBe(shapeId);
  expect(shapeTotals(merged(stages(first, last))).parameters).toBe(2 * 800 + 4 * 64 + 8);
});

test("stages of different splits wait for the ones that fit, and say which layer nobody holds", () => {
  const short = drawShape(`
  Qwen3ForCausalLM
    model Qwen3Model
      embed_tokens Embedding weight:bfloat16[100,8]
      layers ModuleList
        0 Qwen3DecoderLayer
          fc Linear weight:bfloat16[8,8]
        1..3 PPMissingLayer
      norm PPMissingLayer
    lm_head PPMissingLayer`);
  expect(mergeParts(stages(short, last))).toEqual({ ok: false, error: { kind: "missing_layers", path: "model.layers.1", detail: 'no stage that is stored holds "model.layers.1": they are of different splits' } });
});

test("stages that are each within the bounds and together are not are refused", () => {
  const half = (from: number) => drawShape(`Net\n${Array.from({ length: 20 }, (_, i) => `  part${from + i} List\n    0..299 List\n      0..399 Layer`).join("\n")}`);
  expect(mergeParts(stages(half(0), half(20)))).toMatchObject({ ok: false, error: { kind: "limit_exceeded", detail: expect.stringContaining("modulesInTreeMax") } });
});

test("one stage of one is itself", () => {
  expect(canonicalShape(merged(stages(whole)))).toEqual(canonicalShape(whole));
});

test("missing stages are named", () => {
  const parts = [0, 2].map((ppRank) => ({ ppRank, ppSize: 4, body: first }));
  expect(mergeParts(parts)).toEqual({ ok: false, error: { kind: "missing_stages", stages: [1, 3], detail: "stages 1, 3 of 4 not stored yet" } });
  expect(mergeParts([])).toMatchObject({ ok: false, error: { kind: "missing_stages", stages: [0] } });
});

test("an Identity that every stage has stays", () => {
  const body = drawShape("Net\n  drop Identity\n  fc Linear weight:float32[4]");
  expect(canonicalShape(merged(stages(body, body)))).toEqual(canonicalShape(body));
});

test("children only one stage lists are taken over, in the order of the stages", () => {
  const parts = stages(drawShape("Net\n  layers ModuleList\n    0..1 Layer"), drawShape("Net\n  layers ModuleList\n    2..3 Layer\n  norm Norm"));
  expect(canonicalShape(merged(parts)).shapeId).toBe(canonicalShape(drawShape("Net\n  layers ModuleList\n    0..3 Layer\n  norm Norm")).shapeId);
});

describe("aliases", () => {
  test("a head tied to the embedding of the first stage counts once", () => {
    const tied = drawShape("Net\n  embed Identity\n  head Linear weight:float32[10]", { "head.weight": "embed.weight" });
    const body = merged(stages(drawShape("Net\n  embed Embedding weight:float32[10]\n  head PPMissingLayer"), tied));
    expect(body.aliases).toEqual([{ path: "head.weight", target: "embed.weight" }]);
    expect(shapeTotals(body).parameters).toBe(10);
  });

  test("a target that no stage holds is a conflict", () => {
    const lost = drawShape("Net\n  head Linear weight:float32[10]", { "head.weight": "embed.weight" });
    expect(mergeParts(stages(drawShape("Net\n  embed Identity"), lost))).toMatchObject({ ok: false, error: { kind: "conflict", detail: expect.stringContaining('"embed.weight"') as string } });
  });

  test("stages that disagree are a conflict", () => {
    const picture = "Net\n  a Linear w:float32[2]\n  b Linear w:float32[2]\n  c Linear w:float32[2]";
    expect(mergeParts(stages(drawShape(picture, { c: "a" }), drawShape(picture, { c: "b" })))).toMatchObject({ ok: false, error: { kind: "conflict", path: "c" } });
  });
});

describe("stages that disagree are never settled by guessing", () => {
  test.each([
    ["class", "Net\n  fc Linear", "Net\n  fc Conv1D", "fc", '"fc": one stage has Linear, another Conv1D'],
    ["dims", "Net\n  fc Linear w:float32[4]", "Net\n  fc Linear w:float32[8]", "fc.w", '"fc.w": the stages hold it with different dims, dtype or packing'],
    ["the root's class", "NetA", "NetB", "", "the root: one stage has NetA, another NetB"],
  ])("%s", (_, a, b, path, detail) => {
    expect(mergeParts(stages(drawShape(a), drawShape(b)))).toEqual({ ok: false, error: { kind: "conflict", path, detail } });
  });
});
