// What a GPU kernel does, by its name: the first line that fits. Order matters: a flash-attention kernel is written with cutlass, the KV-cache writer carries
// "flash" in its name, FlashInfer samples too. Every line was checked against names of real traces (test/core/trace/kernel-category.test.ts).
export const kernelCategories = [
  "collective", "KV cache", "sampling", "attention", "MoE routing", "quantisation", "rotary", "norm", "GEMM", "convolution", "activation", "softmax", "embedding",
  "optimizer", "reduction", "memory", "elementwise", "other",
] as const;
export type KernelCategory = (typeof kernelCategories)[number];

// Looked at from the beginning: template arguments go on for kilobytes, and some patterns take the square of a name's length.
const lookedAtMax = 4_096; // characters

// What Inductor fuses carries the names of all operators it fused: only the kind of loop says what it costs.
const rules: readonly (readonly [KernelCategory, RegExp])[] = [
  ["norm", /^triton_(red|per)_.*rsqrt/],
  ["elementwise", /^triton_poi_/],
  ["reduction", /^triton_(red|per)_/],
  ["collective", /nccl|rccl|all_?reduce|all_?gather|reduce_?scatter|all_?to_?all|cross_device_reduce|one_?shot|two_?shot|nvshmem|deep_?ep|custom_ar|quick_reduce/i],
  ["KV cache", /reshape_and_cache|concat_and_cache|store_kv|set_kv|append_paged_kv|kv_indices|copy_blocks|swap_blocks/i],
  ["sampling", /(?<![Uu]p_?)[Ss]ampl|top_?k_?top_?p|top_?p\b|argmax|ArgMax|multinomial|Multinomial|gumbel|penalt|logits_processor|MinP/],
  ["attention", /attn|attention|fmha|\bmha\b|\bmla\b|flash_?(fwd|bwd|decode|infer)|flash::|paged_?(prefill|decode)|BatchPrefill|BatchDecode|SinglePrefill|unified_2d|unified_3d|xqa|splitkv|merge_state|chunk_gated|linear_attn/i],
  ["GEMM", /fused_moe_kernel|^((?!moe).)*moe.*gemm|grouped_?gemm/is],
  ["MoE routing", /moe|expert|topk_?(gating|softmax|router)|router|routing|permute_tokens|align_block_size|grouped_topk|sorting/i],
  ["quantisation", /(?<!norm_)quant(?!.*(gemm|matmul))|fp8_?(scale|cast)|scaled_fp|cvt_fp|(nvfp4|mxfp4)(?<!(matmul|gemm).*)|per_token_group/i],
  ["rotary", /rotary|rope\b|_rope|rope_/i],
  ["norm", /rms_?norm|layer_?norm|LayerNorm|group_?norm|batch_?norm|BatchNorm|bn_(fw|bw)|Rowwise_?Moments|RowwiseMoments|instance_?norm|RMSNorm|\bnorm_|Norm(Fwd|Bwd|Kernel)/],
  ["convolution", /fprop|dgrad|wgrad|implicit_gemm/i],
  ["GEMM", /gemm|gemv|Cijk_|cublas|nvjet|matmul|_mm_|\bmm_|wgmma|splitKreduce|split_?k_?reduce|dot_kernel|tensorop|xmma|bmm/i],
  ["convolution", /conv|fft2d|scudnn|winograd|nchwTo|nhwcTo|igemm|Im2Col|im2col/i],
  ["activation", /silu|gelu|swiglu|act_and_mul|relu|sigmoid|tanh|mish|swish/i],
  ["softmax", /softmax/i],
  ["embedding", /embedding|EmbeddingBag|vocab_parallel|indexSelect|index_select/i],
  ["optimizer", /multi_tensor_apply|adam|FusedSgd|sgd|optimizer/i],
  ["reduction", /reduce|sum_kernel|mean_kernel|cumsum|scan|Welford/i],
  ["memory", /memcpy|memset|copy|fill|FillFunctor|CatArray|gather|scatter|transpose|permute|index_(put|elementwise)|pad_|arange|unrolled_elementwise_kernel<.*Copy|direct_copy/i],
  ["elementwise", /elementwise|vectorized|BinaryFunctor|UnaryFunctor|add_kernel|mul_kernel|where|compare|dropout/i],
];

export function kernelCategory(name: string): KernelCategory {
  const text = name.slice(0, lookedAtMax);
  return rules.find(([, pattern]) => pattern.test(text))?.[0] ?? "other";
}
