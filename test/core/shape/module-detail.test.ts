import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { moduleDetail } from "#core/shape/module-detail.ts";
import { singleRank } from "#core/shape/layout.ts";
import { rowTotals } from "#core/shape/totals.ts";
import type { ShapeBody } from "#schema/api/models.ts";
import { drawShape } from "./draw-shape.ts";
import { qwen3 } from "./qwen3-32b.ts";
import { modelObject, shapeOf, trueCounts, type ModuleObject, type TensorObject } from "./shared-objects.ts";

const name = "Qwen/Qwen3-32B";
function detail(body: ShapeBody, path: string, layout = singleRank()) {
  const found = moduleDetail(body, path, name, layout);
  if (!found.ok) throw new Error(JSON.stringify(found.error));
  return found.value;
}

describe("Qwen3-32B", () => {
  // By hand: attention 8192·5120 + 2·1024·5120 + 5120·8192 + 2·128; MLP 3·25600·5120; two norms of 5120.
  const attention = 2 * 8192 * 5120 + 2 * 1024 * 5120 + 256;
  const layer = attention + 3 * 25_600 * 5_120 + 2 * 5_120;

  test("a decoder layer stands for 64, and holds nothing itself", () => {
    const found = detail(qwen3(), "model.layers.17");
    expect(found).toMatchObject({
      className: "Qwen3DecoderLayer", role: "Other", frameName: "Qwen3DecoderLayer layers.17", search: "Qwen3DecoderLayer layers.", alias: null, tensors: [],
      totals: { parameters: layer, weightBytes: 2 * layer, ownParameters: 0, submodules: 14, unsizedTensors: 0 },
      repeat: { count: 64, first: "model.layers.0", last: "model.layers.63", firstIndex: 0, lastIndex: 63, parameters: 64 * layer, weightBytes: 128 * layer },
      precision: [{ dtype: "bfloat16", bytes: 2 * layer, share: 1 }],
    });
  });

  test("what lies in a folded layer is searched in every copy, and has no index of its own", () => {
    const found = detail(qwen3(), "model.layers.17.self_attn");
    expect(found).toMatchObject({ role: "Attention", frameName: "Qwen3Attention self_attn", search: "Qwen3Attention self_attn", totals: { parameters: attention, submodules: 6 } });
    expect(found.repeat).toEqual({ count: 64, first: "model.layers.0.self_attn", last: "model.layers.63.self_attn", firstIndex: null, lastIndex: null, parameters: 64 * attention, weightBytes: 128 * attention });
  });

  test("the root is the model", () => {
    expect(detail(qwen3(), "")).toMatchObject({ frameName: name, search: name, repeat: null, totals: { parameters: 32_762_123_264, weightBytes: 65_524_246_528, submodules: 966 } });
  });

  test("a tied head names what it shares, and the embedding that it is shared", () => {
    const tied = qwen3({ "lm_head.weight": "model.embed_tokens.weight" });
    expect(detail(tied, "lm_head")).toMatchObject({ alias: null, tensors: [{ path: "lm_head.weight", shares: "model.embed_tokens.weight", sharedBy: 0, notes: ["shares model.embed_tokens.weight"] }] });
    expect(detail(tied, "model.embed_tokens")).toMatchObject({ tensors: [{ shares: null, sharedBy: 1, notes: [] }] });
    expect(detail(tied, "").totals.parameters).toBe(32_762_123_264 - 151_936 * 5_120);
  });

  test("buffers are marked, and are no weights", () => {
    const found = detail(qwen3(), "model.rotary_emb");
    expect(found).toMatchObject({ totals: { parameters: 0, weightBytes: 0 }, precision: [] });
    expect(found.tensors.map(({ name: tensor, bytes, notes }) => [tensor, bytes, notes])).toEqual([["inv_freq", 256, ["buffer"]], ["original_inv_freq", 256, ["buffer"]]]);
  });
});

test("the layout says of each tensor how it is held", () => {
  const body = drawShape(`
    Net
      layers ModuleList
        0..1 Layer
          qkv_proj QKVParallelLinear weight:bfloat16[10240,5120]
          o_proj RowParallelLinear weight:bfloat16[5120,8192]
      embed VocabParallelEmbedding weight:bfloat16[100,8]`);
  const layout = {
    ...singleRank(), tpSize: 16, sharded: [{ path: "layers.*.qkv_proj.weight", dim: 0 }, { path: "layers.1.o_proj.weight", dim: 1 }, { path: "embed.weight", dim: 0 }],
    padded: [{ path: "embed.weight", dim: 0, size: 128 }], replicated: [{ path: "layers.*.qkv_proj.weight", replicas: 2 }],
  };
  const notes = (path: string) => detail(body, path, layout).tensors.map((tensor) => tensor.notes);
  expect(notes("layers.0.qkv_proj")).toEqual([["dim 0 sharded", "each part on 2 ranks"]]);
  expect(notes("layers.0.o_proj")).toEqual([[]]);
  expect(notes("layers.1.o_proj")).toEqual([["dim 1 sharded"]]);
  expect(notes("embed")).toEqual([["dim 0 sharded", "dim 0 padded to 128"]]);
  expect(detail(body, "layers.0.qkv_proj", layout).tensors[0]!.dims).toEqual([10_240, 5_120]);
});

test("packed weights count logical elements, an unknown dtype is unsized, and both are named", () => {
  const body = drawShape("QuantLinear qweight:int32[640,5120]/4=26214400 %scales:float16[40,5120] odd:float6_e3m2[8]");
  const found = detail(body, "");
  expect(found.totals).toEqual({ parameters: 26_214_408, weightBytes: 640 * 5120 * 4 + 40 * 5120 * 2, ownParameters: 26_214_408, submodules: 0, unsizedTensors: 1 });
  expect(found.tensors.map(({ notes, elements, bytes }) => [notes, elements, bytes])).toEqual([
    [["4-bit packed"], 26_214_400, 13_107_200], [["quantisation state"], 204_800, 409_600], [["unsized"], 8, null],
  ]);
  expect(found.precision).toEqual([
    { dtype: "float16", tensors: 1, bytes: 409_600, share: 409_600 / 13_516_800 }, { dtype: "int32", tensors: 1, bytes: 13_107_200, share: 13_107_200 / 13_516_800 },
    { dtype: "float6_e3m2", tensors: 1, bytes: null, share: null },
  ]);
});

test("a layer that differs splits the fold: copies are those of the run", () => {
  const body = drawShape("Net\n  layers ModuleList\n    0..2 Layer w:float32[4]\n    3 Layer w:int8[4]\n    4..9 Layer w:float32[4]");
  expect(detail(body, "layers.1").repeat).toMatchObject({ count: 3, firstIndex: 0, lastIndex: 2 });
  expect(detail(body, "layers.3").repeat).toBeNull();
  expect(detail(body, "layers.5").repeat).toMatchObject({ count: 6, firstIndex: 4, lastIndex: 9 });
});

test("experts in folded layers are 6 × 8 copies of one", () => {
  const body = drawShape("Net\n  layers ModuleList\n    0..5 Layer\n      experts ModuleList\n        0..7 Expert\n          up Linear weight:float32[2,3]");
  expect(detail(body, "layers.2.experts.3.up").repeat).toEqual({ count: 48, first: "layers.0.experts.0.up", last: "layers.5.experts.7.up", firstIndex: null, lastIndex: null, parameters: 288, weightBytes: 1_152 });
  expect(detail(body, "layers.2.experts.3").search).toBe("Expert experts.");
});

test("a path that is not there names the nearest module, and what of it the path names", () => {
  expect(moduleDetail(qwen3(), "model.layers.64.mlp", name)).toEqual({ ok: false, error: { nearest: "model.layers", missing: "64", tensor: false } });
  expect(moduleDetail(qwen3(), "lm_head.weight", name)).toEqual({ ok: false, error: { nearest: "lm_head", missing: "weight", tensor: true } });
  expect(moduleDetail(qwen3(), "nothing", name)).toEqual({ ok: false, error: { nearest: "", missing: "nothing", tensor: false } });
});

describe("what is shared counts once", () => {
  const albert = drawShape("Albert\n  layers ModuleList\n    0..11 Layer\n      fc Linear weight:float32[4,4]", Object.fromEntries(Array.from({ length: 11 }, (_, i) => [`layers.${i + 1}`, "layers.0"])));

  test("twelve paths of one layer, also of what lies in them", () => {
    expect(detail(albert, "layers.5")).toMatchObject({ alias: "layers.0", totals: { parameters: 16 }, repeat: { count: 12, parameters: 16, weightBytes: 64 } });
    expect(detail(albert, "layers.5.fc")).toMatchObject({ alias: "layers.0.fc", totals: { parameters: 16 }, repeat: { count: 12, parameters: 16 }, tensors: [{ shares: "layers.0.fc.weight" }] });
    expect(detail(albert, "layers.0.fc")).toMatchObject({ alias: null, tensors: [{ shares: null, sharedBy: 11 }] });
    expect(detail(albert, "layers").totals.parameters).toBe(16);
  });

  // The truth is read off the objects: each tensor object below the module, or below any of its copies, once.
  test("over random models, for every path and for all its copies", () => {
    fc.assert(fc.property(modelObject(true), (model) => {
      const body = shapeOf(model);
      const places = new Map<string, ModuleObject>();
      const visit = (module: ModuleObject, path: string): void => {
        places.set(path, module);
        for (const { name: step, module: child } of module.children) visit(child, path === "" ? step : `${path}.${step}`);
      };
      visit(model, "");
      fc.pre(places.size <= 150);
      const copies = new Map<string, string[]>();
      for (const path of places.keys()) {
        const { repeat } = detail(body, path);
        const key = repeat === null ? path : `${repeat.first} ${repeat.last}`;
        copies.set(key, [...(copies.get(key) ?? []), path]);
      }
      for (const paths of copies.values()) {
        const all = trueCounts({ className: "", tensors: [], children: paths.map((path) => ({ name: path, module: places.get(path)! })) });
        for (const path of paths) {
          const [found, counts] = [detail(body, path), trueCounts(places.get(path)!)];
          expect(found.totals).toMatchObject({ parameters: counts.parameters, weightBytes: counts.weightBytes, unsizedTensors: counts.unsizedTensors, submodules: counts.modules - 1 });
          if (found.repeat !== null) expect(found.repeat).toMatchObject({ count: paths.length, parameters: all.parameters, weightBytes: all.weightBytes });
        }
      }
    }), { numRuns: 300 });
  });

  test("without sharing, one copy counts what its row counts, and all copies that many times as much", () => {
    fc.assert(fc.property(modelObject(false), (model) => {
      const body = shapeOf(model);
      const totals = rowTotals(body);
      const visit = (row: number, path: string): void => {
        const found = detail(body, path);
        expect(found.totals).toMatchObject({ parameters: totals[row]!.parameters, weightBytes: totals[row]!.weightBytes, unsizedTensors: totals[row]!.unsizedTensors });
        if (found.repeat !== null) expect(found.repeat).toMatchObject({ parameters: found.repeat.count * totals[row]!.parameters, weightBytes: found.repeat.count * totals[row]!.weightBytes });
        for (const { name: step, module } of body.modules[row]!.children) visit(module, path === "" ? step : `${path}.${step}`);
      };
      visit(body.root, "");
    }), { numRuns: 60 });
  });
});

test("a tensor object is one whatever the type says", () => {
  const tensor = { role: "parameter", dtype: "float32", dims: [2], packedBits: 0, logicalNumel: 0, bytes: 8, id: 1, name: "" } satisfies TensorObject;
  const half: ModuleObject = { className: "Half", tensors: [{ name: "a", tensor }, { name: "b", tensor }], children: [] };
  expect(detail(shapeOf(half), "").totals.parameters).toBe(2);
});
