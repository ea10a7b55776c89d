// The role of a module, by its class name: what tints it in the graph. The first row of the table that matches decides; a new role or class is one line.

export const moduleRoles = ["Embedding", "Attention", "Norm", "Linear / MLP", "Activation", "Other"] as const;
export type ModuleRole = (typeof moduleRoles)[number];

const rolePatterns: readonly (readonly [RegExp, ModuleRole])[] = [
  // Whole models and layers hold everything, whatever their family is called: Qwen3MoeDecoderLayer is no MoE block, EmbeddingGemmaModel no embedding.
  [/(Model|PreTrainedModel|(Encoder|Decoder|Transformer)(Layer|Block)?|For[A-Z]\w*|Predictor)$/, "Other"],
  [/LMHead/, "Linear / MLP"], // ParallelLMHead, a VocabParallelEmbedding by inheritance, multiplies
  [/Norm(?![a-z])|LayerNorm/, "Norm"],
  [/Embed/, "Embedding"],
  [/Attention|Attn|DeltaNet|MLA/, "Attention"],
  [/(MLP|Mlp|FeedForward|FFN|DenseActDense|GatedActDense|LayerFF|Experts?|MoE|MoeBlock|MoEBlock|SwiGLU|GEGLU|Intermediate)/, "Linear / MLP"],
  [/Linear|Conv1D$|^Dense|Router|MoEGate|MoeGate/, "Linear / MLP"],
  [/SiLU|GELU|Gelu|ReLU|ELU|GLU|Activation|Sigmoid|Tanh|Softmax|Softplus|Mish|Hardswish|SiluAndMul|MulAndSilu|SwigluOAI/i, "Activation"],
];

export function roleOfClass(className: string): ModuleRole {
  return rolePatterns.find(([pattern]) => pattern.test(className))?.[1] ?? "Other";
}
