// What a GPU kernel does, by its name: the first line that fits. Order matters: a flash-attention kernel is written with cutlass, the KV-cache writer carries
// "flash" in its name, FlashInfer samples too. A line fits when `pattern` matches, `also` too, and `unless` does not. Patterns are RE2, read by the store and,
// through core/regex.ts, here: so a category means the same in a trace and in a flamegraph. Every line has an example that no line before it catches
// (test/core/kernel-category.test.ts, and there the names of real traces); docs/kernel-categories.md is this table (UPDATE_GOLDEN=1 writes it).
import { javascriptRegex } from "./regex.ts";

export const kernelCategories = [
  "collective", "KV cache", "sampling", "attention", "MoE routing", "quantisation", "rotary", "norm", "GEMM", "convolution", "activation", "softmax", "embedding",
  "optimizer", "pooling", "sort", "reduction", "memory", "elementwise", "other",
] as const;
export type KernelCategory = (typeof kernelCategories)[number];

export type KernelRule = { readonly category: KernelCategory; readonly pattern: string; readonly also?: string; readonly unless?: string; readonly example: string };

// Looked at from the beginning: template arguments go on for kilobytes.
export const kernelNameLookedAt = 4_096; // characters

// The library FBGEMM has kernels of every kind.
const gemm = String.raw`(^|[^b]|[^f]b)gemm`;

export const kernelRules: readonly KernelRule[] = [
  // What Inductor fuses carries the names of all operators it fused: only the kind of loop, and what a reduction is for, says what it costs.
  { category: "norm", pattern: String.raw`^triton_(red|per)_.*(rsqrt|_norm)`, example: "triton_red_fused_add_mean_mul_pow_rsqrt_0" },
  { category: "softmax", pattern: String.raw`^triton_(red|per)_.*softmax`, example: "triton_per_fused__softmax_add_2" },
  { category: "attention", pattern: String.raw`^triton_tem_.*attention`, example: "triton_tem_fused_flex_attention_0" },
  { category: "GEMM", pattern: String.raw`^triton_(tem|mm|bmm)_`, example: "triton_tem_fused_addmm_relu_3" },
  { category: "elementwise", pattern: String.raw`^triton_poi_`, example: "triton_poi_fused_addmm_gelu_view_15" },
  { category: "reduction", pattern: String.raw`^triton_(red|per)_`, example: "triton_per_fused__to_copy_addmm_mean_view_7" },
  {
    category: "collective",
    pattern: "(?i)nccl|rccl|all_?reduce|all_?gather|reduce_?scatter|all_?to_?all|cross_device_reduce|one_?shot|two_?shot|nvshmem|deep_?ep|custom_ar|quick_reduce",
    example: "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
  },
  {
    category: "KV cache",
    pattern: "(?i)reshape_and_cache|concat_and_cache|store_kv|set_kv|append_paged_kv|kv_indices|copy_blocks|swap_blocks",
    example: "void vllm::reshape_and_cache_flash_kernel<__nv_bfloat16, __nv_bfloat16, (vllm::Fp8KVCacheDataType)0>(__nv_bfloat16 const*, long)",
  },
  { category: "pooling", pattern: "(?i)max_?pool|av(g|erage)_?pool|pooling_(fw|bw)|upsampl|grid_?sampl", example: "void at::native::(anonymous namespace)::max_pool_forward_nchw<float, float>(int, float const*)" },
  {
    category: "sampling", pattern: String.raw`[Ss]ampl|top_?k_?top_?p|top_?p\b|argmax|ArgMax|multinomial|Multinomial|gumbel|penalt|logits_processor|MinP`,
    example: "void flashinfer::sampling::TopKTopPSamplingFromProbKernel<1024u, (cub::BlockScanAlgorithm)2, float, int>(float*, int*)",
  },
  {
    category: "attention",
    pattern: String.raw`(?i)attn|attention|fmha|(^|[^a-z])(mha|mla|mqa|gqa)([^a-z]|$)|flash_?(fwd|bwd|decode|infer)|flash::|paged_?(prefill|decode)|BatchPrefill|BatchDecode|SinglePrefill|unified_[23]d|xqa|splitkv`
      + String.raw`|merge_state|reduce_segments|^_?bwd_(kernel|preprocess)`,
    example: "void pytorch_flash::flash_fwd_kernel<pytorch_flash::Flash_fwd_kernel_traits<64, 128, 128, 4, false, false, cutlass::half_t> >(pytorch_flash::Flash_fwd_params)",
  },
  // Other ways to mix tokens: linear attention, state spaces.
  { category: "attention", pattern: "(?i)chunk_(gated|scan|state|fwd|bwd)|gated_delta|selective_(scan|state)|state_passing|fused_recurrent", example: "_chunk_scan_fwd_kernel" },
  { category: "GEMM", pattern: "(?i)fused_moe_kernel|grouped_?gemm", example: "fused_moe_kernel" },
  { category: "GEMM", pattern: "(?i)moe", also: `(?i)${gemm}`, example: "void tensorrt_llm::kernels::cutlass_kernels::moeGemmKernel<__nv_bfloat16>(int)" },
  {
    category: "MoE routing", pattern: "(?i)moe|expert|topk_?(gating|softmax|router|forward)|router|routing|permute_tokens|align_block_size|grouped_topk|bitmatrix",
    example: "void vllm::moe::topkGatingSoftmax<4, 128, 4, 16>(float const*, bool const*, float*, int, int*, int*, int, int, int)",
  },
  { category: "rotary", pattern: String.raw`(?i)rotary|rope\b|_rope|rope_`, example: "void vllm::rotary_embedding_kernel<c10::BFloat16, true>(long const*, c10::BFloat16*, c10::BFloat16*, c10::BFloat16 const*, int, long)" },
  {
    category: "norm",
    pattern: String.raw`(?i)(rms|layer|group|batch|instance)_?norm|bn_(fw|bw)|rowwise_?moments|\bnorm_|norm_?(fwd|bwd|kernel)|gammabeta|(fused|backwardfused)params|internalgradients`,
    example: "_ZN5aiter24add_rmsnorm_quant_kernelIDF16bDF16bLi256ELi16ELb0ELb0ELb1ELi1EEEv",
  },
  { category: "quantisation", pattern: "(?i)quant", unless: `(?i)${gemm}|matmul`, example: "void vllm::dynamic_per_token_scaled_fp8_quant_kernel<c10::BFloat16>(c10::Float8_e4m3fn*, float*, c10::BFloat16 const*)" },
  { category: "quantisation", pattern: "(?i)fp8_?(scale|cast|rowwise|qparam)|scaled_fp|cvt_fp|per_token_group", example: "void fbgemm_gpu::(anonymous namespace)::_FP8rowwise_to_float_cuda_kernel<float>(unsigned char const*, int, int, float*)" },
  { category: "quantisation", pattern: "(?i)nvfp4|mxfp4", unless: `(?i)${gemm}|matmul`, example: "void tensorrt_llm::kernels::silu_and_mul_nvfp4_expand(__nv_bfloat16 const*)" },
  {
    category: "embedding", pattern: "(?i)embedding|vocab_parallel|index_?select|compute_grad_weight|krn_partial|partial_segments|bounds_check_indices",
    example: "void split_embedding_codegen_forward_unweighted_kernel<c10::Half, c10::Half, float, false, long, 2ul, 32ul>(at::GenericPackedTensorAccessor<float, 1ul>)",
  },
  {
    category: "convolution",
    pattern: "(?i)fprop|dgrad|wgrad|implicit_gemm|conv([^e]|e[^r]|$)|scudnn|winograd|igemm|im2d?2?col|nchwTo|nhwcTo|ToNchw|ToNhwc|bwd_weight|fft[12]d_|sum_complex|flip_filter|computeB?OffsetsKernel",
    example: "sm80_xmma_fprop_implicit_gemm_indexed_wo_smem_tf32f32_tf32f32_f32_nhwckrsc_nhwc_tilesize128x16x32_stage1",
  },
  {
    category: "GEMM", pattern: String.raw`(?i)${gemm}|gemv|Cijk_|cublas|nvjet|matmul|_mm_|\bmm_|bmm|wgmma|xmma|_tensorop_|dot_kernel|split_?k_?reduce|reduce_?split_?k|marlin|machete`,
    example: "Cijk_Alik_Bljk_BBS_BH_Bias_HA_S_SAV_UserArgs_MT128x192x64_MI16x16x1_SN",
  },
  {
    category: "activation", pattern: "(?i)silu|gelu|swiglu|act_and_mul|relu|sigmoid|tanh|mish|swish|threshold_kernel",
    example: "void vllm::act_and_mul_kernel<c10::BFloat16, &(c10::BFloat16 vllm::silu_kernel<c10::BFloat16>(c10::BFloat16 const&)), true>(c10::BFloat16*, c10::BFloat16 const*, int)",
  },
  { category: "softmax", pattern: "(?i)softmax|nll_?loss|ClassNLL|cross_?entropy", example: "void (anonymous namespace)::softmax_warp_forward<c10::BFloat16, c10::BFloat16, float, 9, false, false>(c10::BFloat16*, c10::BFloat16 const*, int, int, int)" },
  {
    category: "optimizer", pattern: "(?i)multi_tensor_apply|adam|sgd|optimizer",
    example: "void at::native::(anonymous namespace)::multi_tensor_apply_kernel<at::native::(anonymous namespace)::TensorListMetadata<1>, at::native::(anonymous namespace)::BinaryOpScalarFunctor<float, 1, 1, 0> >",
  },
  {
    category: "sort", pattern: "(?i)radix_?sort|merge_?sort|bitonic|sort_?(key|by)|device_block_merge|topk",
    example: "void cub::DeviceRadixSortOnesweepKernel<cub::DeviceRadixSortPolicy<long, int, int>::Policy800, false, long, int, int, int>(int*, int*, int*)",
  },
  { category: "reduction", pattern: "(?i)reduce|sum_kernel|mean_kernel|cumsum|scan|Welford|lpnorm", example: "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, at::native::MeanOps<float, float, float, float>, unsigned int, float, 4, 4> >" },
  {
    category: "memory",
    pattern: "(?i)memcpy|memset|copy|(^|[^e])fill|CatArray|gather|scatter|transpose|permute|index_(put|elementwise)|linearize_index|pad_|pad[123]d|arange|compute_cuda_kernel|tensorTransform",
    example: "void at::native::(anonymous namespace)::CatArrayBatchedCopy_contig<at::native::(anonymous namespace)::OpaqueType<2u>, unsigned int, 1, 128, 1>",
  },
  {
    category: "elementwise", pattern: "(?i)elementwise|vectorized|BinaryFunctor|UnaryFunctor|add_kernel|mul_kernel|where|compare|dropout|scalePackedTensor|TensorOpWith|transform_(kernel|config)",
    example: "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctorOnSelf_add<long>, std::array<char*, 2ul> >(int)",
  },
];

const compiled = kernelRules.map(({ category, ...patterns }) => ({ category, pattern: regex(patterns.pattern)!, also: regex(patterns.also), unless: regex(patterns.unless) }));

export function kernelCategory(name: string): KernelCategory {
  return compiled[ruleOf(name)]?.category ?? "other";
}

// The line of `kernelRules` that decides; −1: none.
export function ruleOf(name: string): number {
  const text = name.length <= kernelNameLookedAt ? name : Array.from(name.slice(0, 2 * kernelNameLookedAt)).slice(0, kernelNameLookedAt).join("");
  return compiled.findIndex(({ pattern, also, unless }) => pattern.test(text) && (also?.test(text) ?? true) && !unless?.test(text));
}

function regex(pattern: string | undefined): RegExp | undefined {
  if (pattern === undefined) return undefined;
  const made = javascriptRegex(pattern);
  if (made === undefined) throw new Error(`invariant: ${pattern} has no JavaScript twin`);
  return made;
}
