import { existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { kernelCategories, kernelCategory, kernelRules, ruleOf } from "#core/kernel-category.ts";
import { regexFault } from "#core/regex.ts";

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
  ["void at::native::(anonymous namespace)::upsample_nearest2d_out_frame<c10::BFloat16>", "pooling"],
  ["triton_poi_fused_constant_pad_nd_moe_forward_0", "elementwise"],
  ["triton_red_fused_add_mean_mul_pow_rsqrt_0", "norm"],
  ["triton_per_fused__to_copy_addmm_mean_view_7", "reduction"],
  ["void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctorOnSelf_add<long>, std::array<char*, 2ul> >(int)", "elementwise"],
  ["void at::native::(anonymous namespace)::CatArrayBatchedCopy_contig<at::native::(anonymous namespace)::OpaqueType<2u>, unsigned int, 1, 128, 1>", "memory"],
  ["volta_scudnn_128x64_stridedB_splitK_small_nn_v1", "convolution"],
  ["sm80_xmma_fprop_implicit_gemm_indexed_wo_smem_tf32f32_tf32f32_f32_nhwckrsc_nhwc_tilesize128x16x32_stage1", "convolution"],
  // FBGEMM is a library, and what its kernels do is in the rest of the name.
  ["void split_embedding_backward_codegen_rowwise_adagrad_unweighted_kernel_cta_per_row_1<c10::Half, float>(at::GenericPackedTensorAccessor<float>, fbgemm_gpu::FixedDivisor)", "embedding"],
  ["void fbgemm_gpu::permute_2D_data_kernel<false, int, int, decltype(nullptr)>(int, int, int, int const*)", "memory"],
  ["void fbgemm_gpu::(anonymous namespace)::_compute_FP8_quantize_cuda_kernel<float>(float const*, float const*, int, int, unsigned char*, bool)", "quantisation"],
  ["void implicit_convolve_sgemm<float, float, 128, 6, 7, 3, 3, 5, 1, false, true, true>(int, int, int, float const*)", "convolution"],
  ["igemm_fwd_gtcx3_nhwc_bf16_bx0_ex1_bt128x256x32_wt32x32x8_ws1x2_wr2x2_ta1x8x2x1_1x4x1x64_tb1x8x4x1_1x4x1x64", "convolution"],
  ["void convert_fp8_kernel<float>(float const*)", "other"], // to convert is not to convolve
  ["void prefill_metadata_kernel<int>(int*)", "other"], // to prefill is not to fill
  ["gptq_marlin_gemm", "GEMM"],
  ["void marlin::Marlin<(long)1125899906909960, 256, 1, 8, 8, true, 4, 8, false>(int4 const*)", "GEMM"],
  ["awq_dequantize", "quantisation"],
  ["void deep_gemm::sm90_fp8_gemm_1d2d_impl<0u, 7168u, 16384u, 1u, 128u, 128u, 128u>(float*, int*)", "GEMM"],
  ["mla_dec_stage1_bf16_a16w16_subQ16_mqa16", "attention"],
  ["void selective_scan_fwd_kernel<Selective_Scan_fwd_kernel_traits<128, 16, 1, true> >(SSMParamsBase)", "attention"],
  ["spin_kernel(long)", "other"],
  ["", "other"],
])("%s: %s", (name, category) => expect(kernelCategory(name)).toBe(category));

test("a name of a megabyte is looked at from its beginning", () => expect(kernelCategory(`nvjet_${"moe".repeat(350_000)}`)).toBe("MoE routing"));

describe("the table", () => {
  test.each(kernelRules.map((rule, at) => [at, rule.category, rule] as const))("line %i, %s: its example is caught by this line and no other before", (at, _category, { pattern, also, unless, example }) => {
    expect(ruleOf(example)).toBe(at);
    for (const one of [pattern, also, unless]) if (one !== undefined) expect(regexFault(one)).toBe(undefined);
  });

  test("every category but other has a line", () => {
    expect(new Set(kernelRules.map(({ category }) => category))).toEqual(new Set(kernelCategories.filter((category) => category !== "other")));
  });

  test("docs/kernel-categories.md is this table (UPDATE_GOLDEN=1 writes it)", () => {
    const file = fileURLToPath(new URL("../../docs/kernel-categories.md", import.meta.url));
    if (process.env.UPDATE_GOLDEN === "1") writeFileSync(file, markdown());
    expect(readFileSync(file, "utf8")).toBe(markdown());
  });
});

const about: Record<(typeof kernelCategories)[number], string> = {
  collective: "communication between GPUs", "KV cache": "writing keys and values to the cache, and its pages", sampling: "from logits to a token",
  attention: "attention, and other ways to mix tokens: linear attention, state spaces", "MoE routing": "which expert a token goes to, and bringing it there", quantisation: "to and from fewer bits",
  rotary: "rotary position embedding", norm: "layer, RMS, batch and group norm", GEMM: "matrix products, those of experts too", convolution: "convolutions, and the layouts and transforms they need",
  activation: "SiLU, GELU and others, the gated ones too", softmax: "softmax outside attention, and losses", embedding: "embedding tables, forward and backward", optimizer: "optimizer steps over many tensors",
  pooling: "pooling and resizing", sort: "sorts and top-k", reduction: "sums, means, scans", memory: "copies, fills, gathers, transposes", elementwise: "one value in, one value out",
  other: "what no line catches",
};

function markdown(): string {
  const code = (text: string) => `\`\`${text.replaceAll("|", "\\|")}\`\``;
  const short = (text: string) => (text.length > 90 ? `${text.slice(0, 89)}…` : text);
  const rows = kernelRules.map(({ category, pattern, also, unless, example }) =>
    `| ${category} | ${code(pattern)}${also === undefined ? "" : ` and ${code(also)}`}${unless === undefined ? "" : ` but not ${code(unless)}`} | ${code(short(example))} |`);
  return `<!-- Written by UPDATE_GOLDEN=1 npm test -- unit from core/kernel-category.ts; change that. -->
# Kernel categories

What a GPU kernel does is read from its name, by the first line of this table that fits: in a report, in \`lamella top --by category\`, in a comparison. Patterns are RE2, the same
wherever they are asked. To add a kernel, add its name to a pattern in [core/kernel-category.ts](../core/kernel-category.ts), above lines that would catch it first, with an example.

| category | what its kernels do |
|---|---|
${kernelCategories.map((category) => `| ${category} | ${about[category]} |`).join("\n")}

## The table

A line fits when the pattern matches, the second one too where there is one, and the one after "but not" does not. Names are looked at to their 4,096th character.

| category | pattern | example |
|---|---|---|
${rows.join("\n")}
`;
}

const data = process.env.LAMELLA_TEST_DATA;

describe.skipIf(data === undefined)("real kernels (LAMELLA_TEST_DATA is set)", () => {
  test("63 names of a training run", () => {
    const names = readFileSync(join(data!, "kernel_names/parcagpu__kernel_names.txt"), "utf8").split("\n").filter((name) => name !== "");
    // In the order of the file, told apart by reading them.
    const told = [
      ["convolution", 5], ["GEMM", 2], ["convolution", 2], ["memory", 1], ["convolution", 8], ["GEMM", 1], ["reduction", 3], ["elementwise", 2], ["memory", 1], ["elementwise", 1], ["memory", 1], ["elementwise", 1],
      ["activation", 1], ["elementwise", 5], ["memory", 2], ["optimizer", 2], ["pooling", 4], ["optimizer", 5], ["convolution", 5], ["elementwise", 1], ["norm", 4], ["convolution", 2], ["GEMM", 4],
    ] as const;
    expect(names.map((name) => kernelCategory(name))).toEqual(told.flatMap(([category, count]) => Array.from({ length: count }, () => category)));
  });

  test("of all traces together less than a hundredth of a percent of the time is other", { timeout: 120_000 }, () => {
    const folder = join(data!, "kineto");
    let [whole, other] = [0, 0];
    for (const file of existsSync(folder) ? readdirSync(folder) : []) {
      const bytes = readFileSync(join(folder, file));
      const text = (file.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString("utf8");
      // Without reading the whole: kernels are flat objects of one event each.
      for (const [, event] of text.matchAll(/\{([^{}]*"cat": ?"(?:kernel|Kernel|gpu_memcpy|gpu_memset)"[^{}]*)/g)) {
        const name = /"name": ?("(?:[^"\\]|\\.)*")/.exec(event!)?.[1];
        const duration = Number(/"dur": ?([0-9.]+)/.exec(event!)?.[1] ?? 0);
        if (name === undefined) continue;
        whole += duration;
        if (kernelCategory(JSON.parse(name) as string) === "other") other += duration;
      }
    }
    expect(whole).toBeGreaterThan(1e6); // µs
    expect(other / whole).toBeLessThan(1e-4);
  });
});
