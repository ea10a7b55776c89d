// A stored shape as model_tree.json: what stands in the file, and that what it does not know is left out rather than invented.
import { expect, test } from "vitest";
import { canonicalShape } from "#core/shape/canonical.ts";
import { modelTreePart } from "#core/shape/mapper/model-tree-part.ts";
import { readModelTree } from "#core/shape/mapper/read-model-tree.ts";
import { modelTreeText } from "#core/shape/mapper/write-model-tree.ts";
import type { ShapeBody } from "#schema/api/models.ts";
import { drawShape } from "../draw-shape.ts";

const none = { config: {}, implementations: {}, init: { evidence: "unavailable", operations: [] }, forward: { evidence: "unavailable", operations: [] } };

function written(body: ShapeBody): string {
  const text = modelTreeText(body, "org/net");
  if (!text.ok) throw new Error(text.error);
  return Buffer.concat(text.value).toString("utf8");
}

test("the document, whole: the root beside its children, weights and buffers by name, what is shared", () => {
  const body = drawShape(`NetForCausalLM
  embed Embedding weight:bfloat16[10,4]
  layers ModuleList
    0..1 Linear qweight:int32[1,4]/4=32 %scales:float16[1,4] ~steps:int64[] %late:int8[1]
  lm_head Linear weight:bfloat16[10,4]`, { "lm_head.weight": "embed.weight" }, "NetForCausalLM");
  const linear = {
    class: "Linear", ...none, children: [],
    weights: { qweight: { shape: [1, 4], dtype: "torch.int32", role: "parameter", packed_bits: 4, logical_numel: 32 }, scales: { shape: [1, 4], dtype: "torch.float16", role: "quant_state" } },
    buffers: { steps: { shape: [], dtype: "torch.int64", role: "buffer" }, late: { shape: [1], dtype: "torch.int8", role: "quant_state" } }, // registered after a buffer, so as one
  };
  const weight = { weights: { weight: { shape: [10, 4], dtype: "torch.bfloat16", role: "parameter" } }, buffers: {} };
  expect(JSON.parse(written(body))).toEqual({
    schema_version: 2, model: "org/net", source: "lamella_shape", capture_mode: "structure", config: { architectures: ["NetForCausalLM"] }, invocations: [],
    aliases: [{ path: "lm_head.weight", target: "embed.weight" }], limitations: [expect.stringContaining("from a stored shape"), expect.stringContaining("Sizes are those of the whole model")],
    tree: { name: "model", children: [
      { name: "__root__", path: "__root__", class: "NetForCausalLM", weights: {}, buffers: {}, ...none, children: [] },
      { name: "embed", path: "embed", class: "Embedding", ...weight, ...none, children: [] },
      { name: "layers", path: "layers", class: "ModuleList", weights: {}, buffers: {}, ...none, children: [{ name: "0", path: "layers.0", ...linear }, { name: "1", path: "layers.1", ...linear }] },
      { name: "lm_head", path: "lm_head", class: "Linear", ...weight, ...none, children: [] },
    ] },
  });
});

test("a model of one module", () => {
  const body = drawShape("Linear weight:bfloat16[2]");
  expect(JSON.parse(written(body))).toMatchObject({ config: {}, aliases: [], tree: { children: [{ name: "__root__", class: "Linear", weights: { weight: { shape: [2] } } }] } });
});

test("nothing the reader had to note: not what is shared, not what is quantised", () => {
  const read = readModelTree(Buffer.from(written(drawShape("Net\n  a Linear weight:float8_e4m3fn[4,4] weight_scale:float32[]\n  lm_head Linear weight:bfloat16[4]"))));
  expect(read.ok && read.value.notes).toEqual([]);
  expect(read.ok && read.value.body.modules[0]!.tensors.map(({ role }) => role)).toEqual(["parameter", "parameter"]);
});

// JSON's readers put the keys of an object that are numbers first, whatever the file says.
test("what the format cannot carry: tensors called by numbers that stand behind others, or out of their order", () => {
  const shapeIdOf = (body: ShapeBody): string => {
    const tree = readModelTree(Buffer.from(written(body)));
    const part = tree.ok && modelTreePart(tree.value, "", "");
    if (part === false || !part.ok) throw new Error("it is refused");
    return part.value.partHash;
  };
  const [ordered, mixed, turned] = ["0:int8[1] 1:int8[2] weight:int8[3]", "weight:int8[3] 0:int8[1] 1:int8[2]", "1:int8[2] 0:int8[1] weight:int8[3]"].map((tensors) => drawShape(`ParameterList ${tensors}`));
  expect(shapeIdOf(ordered!)).toBe(canonicalShape(ordered!).shapeId);
  for (const other of [mixed!, turned!]) expect(shapeIdOf(other)).toBe(canonicalShape(ordered!).shapeId);
});

test("a tree that unfolds to more text than the file may have is refused with the bound's name", { timeout: 120_000 }, () => {
  const rows: ShapeBody["modules"] = [{ className: "Leaf".padEnd(2_000, "x"), tensors: [], children: [] }];
  for (let level = 0; level < 18; level++) rows.push({ className: "Pair", tensors: [], children: [{ name: "a", module: level }, { name: "b", module: level }] });
  expect(modelTreeText({ architecture: "", modules: rows, root: 18, aliases: [] }, "")).toEqual({ ok: false, error: expect.stringContaining("modelTreeBytesMax = 268435456") });
});
