// Weight bytes of each pipeline stage where tensors are shared. Every figure is worked out here by hand, or by unfolding the tree path by path.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { canonicalShape } from "#core/shape/canonical.ts";
import { shapeMemory } from "#core/shape/memory/memory.ts";
import { layerListOf, layersPerStage } from "#core/shape/memory/pipeline-stages.ts";
import type { ShapeBody } from "#schema/api/models.ts";
import { limits } from "#schema/limits.ts";
import { drawShape } from "./draw-shape.ts";
import { modelObject, shapeOf } from "./shared-objects.ts";

function stagesOf(body: ShapeBody, pp: number, tp = 1): number[] {
  const found = shapeMemory(body, { tp, pp, ep: 1 });
  if (!found.ok) throw new Error(found.error);
  return found.value.weights.stages.map(({ bytesPerRank }) => bytesPerRank);
}

// An embedding of 100 × 8 (1,600 bytes) before four layers of 8 × 8 (128 bytes), a norm (16) and a head as large as the embedding after them.
const net = (aliases: Record<string, string> = {}, more = "") => drawShape(`
  Net
    model Model
      embed_tokens Embedding weight:bfloat16[100,8]
      layers ModuleList
        0..3 Layer
          up_proj Linear weight:bfloat16[8,8]
      norm Norm weight:bfloat16[8]
    lm_head Linear weight:bfloat16[100,8]
${more}`, aliases);
const mtp = "    mtp Predictor\n      embed_tokens Embedding weight:bfloat16[100,8]\n      proj Linear weight:bfloat16[8,8]";

describe("a head and an embedding", () => {
  const tied = { "lm_head.weight": "model.embed_tokens.weight" };

  test("untied: each end has its own", () => {
    expect(stagesOf(net(), 1)).toEqual([1_600 + 4 * 128 + 16 + 1_600]);
    expect(stagesOf(net(), 2)).toEqual([1_600 + 2 * 128, 2 * 128 + 16 + 1_600]);
  });

  test("tied: one rank has it once, both ends of a pipeline have it once each, and no stage between", () => {
    expect(stagesOf(net(tied), 1)).toEqual([1_600 + 4 * 128 + 16]);
    expect(stagesOf(net(tied), 2)).toEqual([1_600 + 2 * 128, 2 * 128 + 16 + 1_600]);
    expect(stagesOf(net(tied), 4)).toEqual([1_600 + 128, 128, 128, 128 + 16 + 1_600]);
    // Over two ranks of TP each end has half of the table, and layers by two.
    expect(stagesOf(net(tied), 2, 2)).toEqual([800 + 2 * 64, 2 * 64 + 16 + 800]);
  });

  test("tied as modules too", () => {
    const modules = drawShape("Net\n  embed_tokens Embedding weight:bfloat16[100,8]\n  layers ModuleList\n    0..3 Layer w:bfloat16[1000]\n  head Embedding weight:bfloat16[100,8]", { head: "embed_tokens" });
    expect(stagesOf(modules, 1)).toEqual([1_600 + 4 * 2_000]);
    expect(stagesOf(modules, 2)).toEqual([1_600 + 2 * 2_000, 2 * 2_000 + 1_600]);
  });

  test("a third that shares it: the last stage has it once, whether it is the tensor or the module that is shared", () => {
    const [untied, last] = [net({}, mtp), 2 * 128 + 16 + 1_600 + 128];
    expect(stagesOf(untied, 2)[1]).toBe(last + 1_600);
    expect(stagesOf(net({ ...tied, "mtp.embed_tokens.weight": "model.embed_tokens.weight" }, mtp), 2)).toEqual([1_600 + 2 * 128, last]);
    expect(stagesOf(net({ ...tied, "mtp.embed_tokens": "model.embed_tokens" }, mtp), 2)).toEqual([1_600 + 2 * 128, last]);
    expect(stagesOf(net({ ...tied, "mtp.embed_tokens": "model.embed_tokens" }, mtp), 1)).toEqual([1_600 + 4 * 128 + 16 + 128]);
    // The module first, then the tensor in it.
    const after = drawShape("Net\n  embed_tokens Embedding weight:bfloat16[100,8]\n  layers ModuleList\n    0..3 Layer w:bfloat16[1000]\n  copy Embedding weight:bfloat16[100,8]\n  head Linear weight:bfloat16[100,8]", { copy: "embed_tokens", "head.weight": "embed_tokens.weight" });
    expect(stagesOf(after, 2)).toEqual([1_600 + 4_000, 4_000 + 1_600]);
  });
});

describe("between layers", () => {
  const layers = (aliases: Record<string, string>) => drawShape(`
    Net
      layers ModuleList
        0..5 Layer
          own Linear weight:float32[10]
          block Block
            a Linear weight:float32[100]
            b Linear weight:float32[100]`, aliases);
  const blocks = (...indices: number[]) => Object.fromEntries(indices.map((i) => [`layers.${i}.block`, "layers.0.block"]));

  test("one block for all: every stage has it once", () => {
    expect(stagesOf(layers(blocks(1, 2, 3, 4, 5)), 1)).toEqual([6 * 40 + 800]);
    expect(stagesOf(layers(blocks(1, 2, 3, 4, 5)), 3)).toEqual([2 * 40 + 800, 2 * 40 + 800, 2 * 40 + 800]);
    expect(stagesOf(layers(blocks(1, 2, 3, 4, 5)), 6)).toEqual(Array(6).fill(40 + 800));
  });

  test("some share it: a stage without them has its own only", () => {
    expect(stagesOf(layers(blocks(4, 5)), 3)).toEqual([2 * 840, 2 * 840, 2 * 40 + 800]);
  });

  test("a block that shares within itself, shared again by others", () => {
    // In layer 0 b is a; so it is in every layer that has the block of layer 0, and 400 bytes a stage.
    expect(stagesOf(layers({ ...blocks(1, 2, 3, 4, 5), "layers.0.block.b": "layers.0.block.a" }), 3)).toEqual(Array(3).fill(2 * 40 + 400));
  });

  test("a block and, in another layer of the same stage, one half of it", () => {
    // Layer 4 has the block of layer 0, and layer 5 its a: the last stage has both halves once, and layer 5 a b of its own.
    expect(stagesOf(layers({ ...blocks(4), "layers.5.block.a": "layers.0.block.a" }), 3)[2]).toBe(2 * 40 + 800 + 400);
    // The half first: layer 4 has a, so of the block of layer 5 there is b left to hold, and a b of layer 4's own.
    expect(stagesOf(layers({ "layers.4.block.a": "layers.0.block.a", "layers.5.block": "layers.0.block" }), 3)[2]).toBe(2 * 40 + 400 + 400 + 400);
  });
});

describe("the layers by another name", () => {
  test.each([["the list", "model.layers"], ["what holds it", "model"]])("%s once more is held nowhere once more, and caches nothing more", (_, target) => {
    const attention = "        self_attn Attention\n          k_proj Linear weight:bfloat16[8,8]\n          v_proj Linear weight:bfloat16[8,8]";
    const model = `\n    embed_tokens Embedding weight:bfloat16[100,8]\n    layers ModuleList\n      0..3 Layer\n${attention}`;
    const again = target === "model" ? model : `\n    0..3 Layer\n${attention.replaceAll(/^ {2}/gm, "")}`;
    const body = drawShape(`Net\n  model Model${model}\n  again ${target === "model" ? "Model" : "ModuleList"}${again}`, { again: target });
    expect(canonicalShape(body).body.aliases).toEqual([{ path: "again", target }]);
    expect(stagesOf(body, 1)).toEqual([1_600 + 4 * 256]);
    expect(stagesOf(body, 2)).toEqual([1_600 + 2 * 256, 2 * 256]);
    expect(stagesOf(body, 4)).toEqual([1_600 + 256, 256, 256, 256]);
    const found = shapeMemory(body, { tp: 1, pp: 2, ep: 1 });
    expect(found).toMatchObject({ value: { kv: { bytesPerToken: 4 * 16 * 2 } } });
    expect(JSON.stringify(found)).not.toContain("attention outside the layers");
  });
});

test("rotary buffers are no weights, shared by all layers or not", () => {
  const rotary = (aliases: Record<string, string>) => drawShape("Net\n  layers ModuleList\n    0..3 Layer\n      q Linear weight:bfloat16[8,8]\n      rotary Rotary ~cache:float32[4096,64]", aliases);
  for (const aliases of [{}, Object.fromEntries([1, 2, 3].map((i) => [`layers.${i}.rotary`, "layers.0.rotary"]))]) expect(stagesOf(rotary(aliases), 2)).toEqual([256, 256]);
});

test("a rotary cache that is a parameter is held once by every stage", () => {
  const body = drawShape("Net\n  layers ModuleList\n    0..3 Layer\n      q Linear weight:bfloat16[8,8]\n      rotary Rotary cache:bfloat16[64]", Object.fromEntries([1, 2, 3].map((i) => [`layers.${i}.rotary`, "layers.0.rotary"])));
  expect(stagesOf(body, 1)).toEqual([4 * 128 + 128]);
  expect(stagesOf(body, 2)).toEqual([2 * 128 + 128, 2 * 128 + 128]);
  expect(stagesOf(body, 4)).toEqual(Array(4).fill(128 + 128));
});

describe("what a sender makes dear on purpose", () => {
  test("aliases of a structure that is not their target's: no stage has less than nothing", () => {
    for (const target of ["small", "model"]) {
      const body = drawShape("Net\n  small Small w:int8[1]\n  model Model\n    layers ModuleList\n      0..3 Layer w:int8[100]\n  other Other\n    w Linear weight:int8[7]", { [target === "small" ? "model" : "other"]: target });
      for (const pp of [1, 2, 4]) for (const bytes of stagesOf(body, pp)) expect(bytes).toBeGreaterThanOrEqual(0);
    }
  });

  test("20,000 aliases inside of what 100 layers share: a few stages are worked out, a hundred are refused with the bound", () => {
    const inside = Array.from({ length: 20_000 }, (_, i) => String(i));
    const modules: ShapeBody["modules"] = [
      drawShape("Leaf w:int8[1]").modules[0]!, { className: "Block", tensors: [], children: inside.map((name) => ({ name, module: 0 })) },
      { className: "Layer", tensors: [], children: [{ name: "block", module: 1 }] }, { className: "List", tensors: [], children: Array.from({ length: 100 }, (_, i) => ({ name: String(i), module: 2 })) },
      { className: "Net", tensors: [], children: [{ name: "layers", module: 3 }] },
    ];
    const aliases = [...inside.slice(1).map((name) => ({ path: `layers.0.block.${name}`, target: "layers.0.block.0" })), ...Array.from({ length: 99 }, (_, i) => ({ path: `layers.${i + 1}.block`, target: "layers.0.block" }))];
    const body = { architecture: "", modules, root: 4, aliases };
    expect([1, 2, 4].map((pp) => stagesOf(body, pp))).toEqual([[1], [1, 1], [1, 1, 1, 1]]);
    expect(shapeMemory(body, { tp: 1, pp: 100, ep: 1 })).toEqual({ ok: false, error: expect.stringContaining(`memoryStepsMax = ${limits.memoryStepsMax}`) });
  });
});

// Of every stage: the tensors that its paths lead to, each once. A path that leads to the layers by another name is of no stage.
function unfoldedStages({ modules, root, aliases }: ShapeBody, list: string | undefined, pp: number): number[] {
  const targets = new Map(aliases.map(({ path, target }) => [path, target]));
  const heldAt = (path: string): string | undefined => {
    for (let end = path.length; end > 0; end = path.lastIndexOf(".", end - 1)) {
      const target = targets.get(path.slice(0, end));
      if (target === undefined) continue;
      if (list !== undefined && (list === target || list.startsWith(`${target}.`))) return undefined;
      return heldAt(target + path.slice(end));
    }
    return path;
  };
  const held = Array.from({ length: pp }, () => new Map<string, number>());
  const visit = (row: number, path: string, stage: number | "above"): void => {
    const { tensors, children } = modules[row]!;
    const below = (name: string): string => (path === "" ? name : `${path}.${name}`);
    for (const { name, role, bytes } of tensors) {
      const at = heldAt(below(name));
      if (role !== "buffer" && at !== undefined) held[stage === "above" ? 0 : stage]!.set(at, bytes);
    }
    const isList = stage === "above" && path === list;
    const counts = isList ? layersPerStage(children.length, pp).flatMap((count, i) => Array<number>(count).fill(i)) : [];
    const next = children.findIndex(({ name }) => list === below(name) || list?.startsWith(`${below(name)}.`));
    for (const [i, { name, module }] of children.entries()) {
      if (stage !== "above") visit(module, below(name), stage);
      else if (isList) visit(module, below(name), counts[i]!);
      else visit(module, below(name), i === next ? "above" : i < next ? 0 : pp - 1);
    }
  };
  visit(root, "", list === undefined ? 0 : "above");
  return held.map((tensors) => [...tensors.values()].reduce((sum, bytes) => sum + bytes, 0));
}

test("over random models, a stage holds every tensor that one of its paths leads to, once", () => {
  let shared = 0;
  fc.assert(fc.property(modelObject(true), fc.integer({ min: 1, max: 4 }), (model, most) => {
    const { body } = canonicalShape(shapeOf(model));
    const list = layerListOf(body);
    const layers = list === undefined ? 1 : list.position.reduce((row, at) => body.modules[row]!.children[at]!.module, body.root);
    const pp = list === undefined ? 1 : Math.min(most, body.modules[layers]!.children.length);
    if (pp > 1 && body.aliases.length > 0) shared++;
    expect(stagesOf(body, pp)).toEqual(unfoldedStages(body, list?.path, pp));
  }), { numRuns: 2_000 });
  expect(shared).toBeGreaterThan(100);
});
