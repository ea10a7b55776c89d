// Quantised layers as engines hold them, from what a model_tree.json has of them: names, sizes, settings of the module, its quantisation method, and what the
// configuration says. The figures are those of the layer before it was quantised.
import { expect, test } from "vitest";
import { readModelTree } from "#core/shape/mapper/read-model-tree.ts";
import { shapeTotals } from "#core/shape/totals.ts";
import { buffers, bytesOf, modelTree, node, type Node } from "./draw-model-tree.ts";

const linear = { in_features: 512, out_features: 256 }; // 131,072 elements
const gptq = { qweight: "int32[64,256]", qzeros: "int32[4,32]", scales: "float16[4,256]", g_idx: "int32[512]" }; // eight to a word along the inputs
const method = (className: string) => ({ implementations: { quant_method: { class: className, evidence: "loaded_object" } } });

function read(layer: Node, config: object = {}) {
  const tree = readModelTree(bytesOf(modelTree("Net", [layer], { config: { tie_word_embeddings: false, ...config } })));
  if (!tree.ok) throw new Error(tree.error);
  const { body, notes } = tree.value;
  const { parameters } = shapeTotals(body);
  const tensors = body.modules[0]!.tensors.map(({ name, role, packedBits }) => `${name} ${role}${packedBits > 0 ? ` ${packedBits}` : ""}`);
  return { parameters, tensors, packing: notes.filter((note) => note.includes("packed")) };
}

const packed = ["qweight parameter 4", "qzeros quant_state", "scales quant_state", "g_idx quant_state"];

test.each<[string, Node, object, number, string[], string[]]>([
  ["GPTQ, its sizes in the module", node("q", "Linear", gptq, [], { config: linear }), {}, 131_072, packed, []],
  ["GPTQ in buffers, its bias too", node("q", "Linear", {}, [], { ...buffers({ ...gptq, bias: "float16[256]" }), config: linear }), {}, 131_072 + 256, [...packed, "bias parameter"], []],
  ["GPTQ, its width in the configuration", node("q", "Linear", gptq), { quantization_config: { quant_method: "gptq", bits: 4 } }, 131_072, packed, []],
  ["AWQ, its width so named", node("q", "Linear", gptq), { quantization_config: { w_bit: 4 } }, 131_072, packed, []],
  ["GPTQ, and nothing says a width: counted in words, with a note", node("q", "Linear", gptq), {}, 64 * 256, ["qweight parameter", ...packed.slice(1)], ["q.qweight: packed in int32 words of unknown width, and counted in words"]],
  ["3 bits, which no word holds evenly", node("q", "Linear", { qweight: "int32[48,256]" }, [], { config: linear }), {}, 131_072, ["qweight parameter 3"], []],
  ["a width of the configuration that this layer does not have", node("q", "Linear", { qweight: "int32[128,256]" }, [], { config: linear }), { quantization_config: { bits: 4 } }, 131_072, ["qweight parameter 8"], []],
  ["the parts of one rank before the whole", node("q", "Linear", { qweight: "int32[64,256]" }, [], { config: { input_size: 1024, input_size_per_partition: 512, output_size_per_partition: 256 } }), {}, 131_072, ["qweight parameter 4"], []],
  ["FP8 with its scale", node("q", "Linear", { weight: "float8_e4m3fn[256,512]", weight_scale_inv: "float32[2,4]" }), {}, 131_072, ["weight parameter", "weight_scale_inv quant_state"], []],
  ["int8, a byte each", node("q", "Linear", { weight: "int8[256,512]", weight_scale: "float32[256,1]" }, [], { config: linear }), {}, 131_072, ["weight parameter", "weight_scale quant_state"], []],
  ["pairs in a byte", node("q", "Linear", { weight: "float4_e2m1fn_x2[256,256]" }), {}, 131_072, ["weight parameter 4"], []],
  ["a method that says it is quantised", node("q", "Attention", { k_scale: "float32[]" }, [], method("vllm.quantization.Fp8KVCacheMethod")), {}, 0, ["k_scale quant_state"], []],
  ["a method that says it is not", node("q", "Attention", { k_scale: "float32[]" }, [], method("UnquantizedLinearMethod")), {}, 1, ["k_scale parameter"], []],
  ["a plain model's own scale", node("clip", "Clip", { logit_scale: "float32[]", weight: "float32[4]" }), {}, 5, ["logit_scale parameter", "weight parameter"], []],
  ["indices and masks in buffers", node("e", "Embeddings", {}, [], buffers({ position_ids: "int64[1,512]", mask: "bool[8,8]", cache: "bfloat16[9]" })), {}, 0, ["position_ids buffer", "mask buffer", "cache buffer"], []],
])("%s", (_, layer, config, parameters, tensors, packing) => {
  expect(read(layer, config)).toEqual({ parameters, tensors, packing });
});

test("one note for all tensors of a kind", () => {
  const layer = node("layers", "ModuleList", {}, [node("0", "Linear", gptq), node("1", "Linear", gptq), node("2", "Linear", gptq)]);
  const tree = readModelTree(bytesOf(modelTree("Net", [layer])));
  expect(tree.ok && tree.value.notes).toContain("layers.0.qweight and 2 more: packed in int32 words of unknown width, and counted in words");
});
