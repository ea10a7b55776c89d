// What a kernel does in the words of model_execution.json, by which viewers colour it. What has no word there is "other".
import type { KernelCategory } from "#core/kernel-category.ts";

const roles: Partial<Record<KernelCategory, string>> = {
  GEMM: "gemm", attention: "flash_attention", norm: "rms_norm", activation: "silu_and_mul", rotary: "rotary_embedding", "KV cache": "kv_cache", elementwise: "elementwise", embedding: "embedding", sampling: "sampling",
};

export function kernelRole(category: string): string {
  return (Object.hasOwn(roles, category) ? roles[category as KernelCategory] : undefined) ?? "other";
}
