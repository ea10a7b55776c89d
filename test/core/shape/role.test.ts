import { expect, test } from "vitest";
import { roleOfClass, type ModuleRole } from "#core/shape/role.ts";

// Class names as PyTorch, transformers, vLLM and SGLang have them.
const classes: Record<ModuleRole, string> = {
  Embedding: "Embedding VocabParallelEmbedding Qwen3RotaryEmbedding LlamaRotaryEmbedding MRotaryEmbedding BertEmbeddings ViTPatchEmbeddings PatchEmbed EmbeddingBag",
  Attention:
    "Qwen3Attention LlamaAttention MultiheadAttention BertSdpaSelfAttention GPT2Attention Attention FlashAttention2 DeepseekV2MLAAttention MultiHeadLatentAttentionWrapper " +
    "Qwen3NextGatedDeltaNet RadixAttention MixtralAttention GptOssAttention",
  Norm: "LayerNorm Qwen3RMSNorm LlamaRMSNorm RMSNorm GemmaRMSNorm BatchNorm2d FrozenBatchNorm2d GroupNorm T5LayerNorm Qwen3NextRMSNormGated Qwen3MoeRMSNorm InstanceNorm3d",
  "Linear / MLP":
    "Linear Qwen3MLP LlamaMLP QKVParallelLinear MergedColumnParallelLinear RowParallelLinear ReplicatedLinear Linear8bitLt Linear4bit QuantLinear Conv1D GPT2MLP T5DenseGatedActDense " +
    "Qwen3MoeSparseMoeBlock MixtralSparseMoeBlock FusedMoE DeepseekV3MoE GptOssExperts Qwen3MoeMLP ParallelLMHead BertIntermediate T5LayerFF Qwen3MoeTopKRouter NonDynamicallyQuantizableLinear",
  Activation: "SiLU SiLUActivation GELU NewGELUActivation GELUActivation QuickGELUActivation PytorchGELUTanh ReLU ReLU6 LeakyReLU SiluAndMul GeluAndMul Sigmoid Tanh Softmax Hardswish Mish",
  Other:
    "Qwen3ForCausalLM Qwen3Model Qwen3DecoderLayer Qwen3MoeDecoderLayer Qwen3MoeForCausalLM MixtralForCausalLM BertForSequenceClassification ModuleList Sequential Dropout Identity Conv2d " +
    "MaxPool2d Bottleneck GPT2Block GPT2LMHeadModel LogitsProcessor PPMissingLayer BertEncoder TransformerEncoderLayer Mamba2Mixer DistributedDataParallel MyNet",
};

test.each(Object.entries(classes).flatMap(([role, names]) => names.split(" ").map((name) => [name, role])))("%s is %s", (className, role) => {
  expect(roleOfClass(className)).toBe(role);
});

test("an empty class name is Other", () => {
  expect(roleOfClass("")).toBe("Other");
});
