// A model that reads a whole sequence at once has no KV cache: no figure, and the reason.
import { expect, test } from "vitest";
import { shapeMemory, type MemoryQuestion } from "#core/shape/memory/memory.ts";
import { memoryText } from "#core/shape/memory/memory-text.ts";
import type { ShapeBody } from "#schema/api/models.ts";
import { drawShape } from "./draw-shape.ts";

function memory(body: ShapeBody, question: Partial<MemoryQuestion> = {}) {
  const found = shapeMemory(body, { tp: 1, pp: 1, ep: 1, ...question });
  if (!found.ok) throw new Error(found.error);
  return found.value;
}
const attention = "\n        query Linear weight:float32[64,64]\n        key Linear weight:float32[64,64]\n        value Linear weight:float32[64,64]";
const inBert = (root: string) => drawShape(`${root}\n  bert BertModel\n   encoder BertEncoder\n    layer ModuleList\n     0..1 BertLayer\n      attention BertAttention${attention}\n  cls BertHead\n    decoder Linear weight:float32[8,64]`);
const reason = (body: ShapeBody) => memory(body).kv.reason;
const said = (witness: string) => `no KV cache: ${witness}, which reads a whole sequence at once`;

test("no figure, but the reason", () => {
  const found = memory(inBert("BertForMaskedLM"), { tp: 2, pp: 2 });
  expect(found.kv).toMatchObject({ reason: said("the model is BertForMaskedLM"), bytesPerToken: null, bytesPerTokenPerRank: null, attention: [], layersWithout: 2 });
  expect(found.weights.stages.map(({ kvBytesPerTokenPerRank }) => kvBytesPerTokenPerRank)).toEqual([null, null]);
  expect(found.notes.join()).not.toContain("cache");
  expect(memoryText(found)).toContain(`${said("the model is BertForMaskedLM")}\n`);
});

test.each(["BertModel", "XLMRobertaForSequenceClassification", "ModernBertModel", "DistilBertForTokenClassification", "ViTForImageClassification", "CLIPVisionModel", "SiglipVisionModel", "T5EncoderModel", "HubertModel"])("%s", (root) => {
  expect(reason(drawShape(`${root}\n  layers ModuleList\n    0..1 Layer\n      attention Attention${attention}`))).toBe(said(`the model is ${root}`));
});

test("a wrapper says nothing, what its layers lie in does", () => {
  expect(reason(inBert("SentenceTransformer"))).toBe(said("its layers lie in bert: BertModel"));
  const half = (name: string) => drawShape(`T5ForConditionalGeneration\n  ${name} T5Stack\n    block ModuleList\n      0..1 T5Block\n        attention T5Attention${attention.replaceAll("\n", "\n  ")}`);
  expect([reason(half("encoder")), reason(half("decoder"))]).toEqual([said("its layers lie in encoder: T5Stack"), null]);
});

test("as vLLM builds it, the attention says so", () => {
  const layers = (kernel: string) => drawShape(`Net\n  layers ModuleList\n    0..1 Layer\n      attention OddAttention${attention}\n        attn ${kernel}`);
  expect([reason(layers("EncoderOnlyAttention")), reason(layers("Attention"))]).toEqual([said("its attention is EncoderOnlyAttention"), null]);
});

test("the encoder of a model that decodes elsewhere is no reason to say that there is no cache", () => {
  const layer = attention.replaceAll("\n", "\n    ");
  const whisper = drawShape(`WhisperForConditionalGeneration\n  encoder WhisperEncoder\n    layers ModuleList\n      0..3 EncoderLayer\n        self_attn WhisperAttention${layer}\n  decoder WhisperDecoder\n    layers ModuleList\n      0..1 DecoderLayer\n        self_attn WhisperAttention${layer}`);
  expect(reason(whisper)).toBe("only the decoder beside the layers keeps a KV cache: its layers lie in encoder: WhisperEncoder, which reads a whole sequence at once");
});

test.each(["BertLMHeadModel", "RobertaForCausalLM", "BertGenerationDecoder", "EncoderDecoderModel", "VisionEncoderDecoderModel", "LlamaForTokenClassification"])("%s decodes, or may", (root) => {
  expect(reason(drawShape(`${root}\n  layers ModuleList\n    0..1 Layer\n      attention Attention${attention}`))).toBeNull();
});

test("so does a BertLMHeadModel whose layers lie in a BertEncoder, and what is built of torch's own blocks", () => {
  expect(memory(inBert("BertLMHeadModel")).kv).toMatchObject({ reason: null, bytesPerToken: 2 * 128 * 4 });
  expect(reason(drawShape(`TinyGPT\n  blocks TransformerEncoder\n    layers ModuleList\n      0..1 TransformerEncoderLayer\n        attention Attention${attention.replaceAll("\n", "\n  ")}`))).toBeNull();
});
