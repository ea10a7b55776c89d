import { expect, test } from "vitest";
import { kernelCategory } from "#core/trace/kernel-category.ts";

// Names as real traces and engines have them.
test.each([
  ["void pytorch_flash::flash_fwd_kernel<pytorch_flash::Flash_fwd_kernel_traits<64, 128, 128, 4, false, false, cutlass::half_t> >(pytorch_flash::Flash_fwd_params)", "attention"],
  ["void vllm::reshape_and_cache_flash_kernel<__hip_bfloat16, __hip_bfloat16, (vllm::Fp8KVCacheDataType)0>(__hip_bfloat16 const*, long)", "KV cache"],
  ["_ZN7ck_tile6kentryILi1ENS_42FmhaBatchPrefillWithPagedKVCacheKernelINS_", "attention"],
  ["kernel_unified_attention_2d", "attention"],
  ["Cijk_Alik_Bljk_BBS_BH_Bias_HA_S_SAV_UserArgs_MT128x192x64_MI16x16x1_SN", "GEMM"],
  ["sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_warpgroupsize1x1x1_execute_segment_k_off_kernel__5x_cublas", "GEMM"],
  ["nvjet_tst_128x160_64x6_1x2_h_bz_coopA_TNT", "GEMM"],
  ["fused_moe_kernel", "GEMM"],
  ["_matmul_ogs_NNT_bf16xbf16xmxfp4_128x128x128x1_swiglu", "GEMM"],
  ["void vllm::moe::topkGatingSoftmax<4, 128, 4, 16>(float const*, bool const*, float*, int, int*, int*, int, int, int)", "MoE routing"],
  ["ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)", "collective"],
  ["void vllm::cross_device_reduce_1stage<__nv_bfloat16, 4>(vllm::RankData*, vllm::RankSignals, vllm::Signal*, __nv_bfloat16*, int, int)", "collective"],
  ["_ZN5aiter24add_rmsnorm_quant_kernelIDF16bDF16bLi256ELi16ELb0ELb0ELb1ELi1EEEv", "norm"],
  ["void vllm::act_and_mul_kernel<c10::BFloat16, &(c10::BFloat16 vllm::silu_kernel<c10::BFloat16>(c10::BFloat16 const&)), true>(c10::BFloat16*, c10::BFloat16 const*, int)", "activation"],
  ["void vllm::rotary_embedding_kernel<c10::BFloat16, true>(long const*, c10::BFloat16*, c10::BFloat16*, c10::BFloat16 const*, int, long, long, long, int, int, int)", "rotary"],
  ["void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, at::native::ArgMaxOps<float>, unsigned int, long, 4, 4> >", "sampling"],
  ["void at::native::(anonymous namespace)::upsample_nearest2d_out_frame<c10::BFloat16>", "other"],
  ["triton_poi_fused_constant_pad_nd_moe_forward_0", "elementwise"],
  ["triton_red_fused_add_mean_mul_pow_rsqrt_0", "norm"],
  ["triton_per_fused__to_copy_addmm_mean_view_7", "reduction"],
  ["void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctorOnSelf_add<long>, std::array<char*, 2ul> >(int)", "elementwise"],
  ["void at::native::(anonymous namespace)::CatArrayBatchedCopy_contig<at::native::(anonymous namespace)::OpaqueType<2u>, unsigned int, 1, 128, 1>", "memory"],
  ["volta_scudnn_128x64_stridedB_splitK_small_nn_v1", "convolution"],
  ["sm80_xmma_fprop_implicit_gemm_indexed_wo_smem_tf32f32_tf32f32_f32_nhwckrsc_nhwc_tilesize128x16x32_stage1", "convolution"],
  ["", "other"],
])("%s: %s", (name, category) => expect(kernelCategory(name)).toBe(category));

test("a name of a megabyte is looked at from its beginning", () => expect(kernelCategory(`nvjet_${"moe".repeat(350_000)}`)).toBe("MoE routing"));
