// Qwen3-32B as Hugging Face transformers registers it; sizes from its public config. 32,762,123,264 parameters, by the model card 32.8B.
import type { ShapeBody } from "#schema/api/models.ts";
import { drawShape } from "./draw-shape.ts";

export function qwen3(aliases: Record<string, string> = {}): ShapeBody {
  return drawShape(
    `
    Qwen3ForCausalLM
      model Qwen3Model
        embed_tokens Embedding weight:bfloat16[151936,5120]
        layers ModuleList
          0..63 Qwen3DecoderLayer
            self_attn Qwen3Attention
              q_proj Linear weight:bfloat16[8192,5120]
              k_proj Linear weight:bfloat16[1024,5120]
              v_proj Linear weight:bfloat16[1024,5120]
              o_proj Linear weight:bfloat16[5120,8192]
              q_norm Qwen3RMSNorm weight:bfloat16[128]
              k_norm Qwen3RMSNorm weight:bfloat16[128]
            mlp Qwen3MLP
              gate_proj Linear weight:bfloat16[25600,5120]
              up_proj Linear weight:bfloat16[25600,5120]
              down_proj Linear weight:bfloat16[5120,25600]
              act_fn SiLUActivation
            input_layernorm Qwen3RMSNorm weight:bfloat16[5120]
            post_attention_layernorm Qwen3RMSNorm weight:bfloat16[5120]
        norm Qwen3RMSNorm weight:bfloat16[5120]
        rotary_emb Qwen3RotaryEmbedding ~inv_freq:float32[64] ~original_inv_freq:float32[64]
      lm_head Linear weight:bfloat16[151936,5120]
    `,
    aliases,
    "Qwen3ForCausalLM",
  );
}
