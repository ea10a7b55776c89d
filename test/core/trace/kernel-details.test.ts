import { expect, test } from "vitest";
import { bareName, KernelJoin } from "#core/trace/kernel-details.ts";

const metrics = (name: string, durationNs: number) => ({ name, launches: 1, durationNs, memoryPercent: 80, computePercent: 20, dramPercent: null, bottleneck: null });

test.each([
  ["void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float> >(at::native::ReduceOp<float>)", "at::native::reduce_kernel"],
  ["void at::native::(anonymous namespace)::CatArrayBatchedCopy<float, 2>(float*)", "at::native::{anonymous}::CatArrayBatchedCopy"],
  ["triton_poi_fused_add_0", "triton_poi_fused_add_0"],
])("%s is %s", (name, bare) => expect(bareName(name)).toBe(bare));

test("whole names first, then bare ones; of several launches the longest", () => {
  const join = new KernelJoin({ fused: [{ kernel: "triton_poi_fused_add_0", operators: ["aten.add", "aten.relu"], sources: [] }], metrics: [metrics("gemm", 5), metrics("gemm", 9), metrics("void softmax<float>(int)", 3), metrics("softmax", 7)] });
  expect(join.operators("triton_poi_fused_add_0")).toBe("aten.add, aten.relu");
  expect(join.operators("gemm")).toBe("");
  expect(join.metrics("gemm")?.durationNs).toBe(9);
  expect(join.metrics("void softmax<float>(int)")?.durationNs).toBe(3);
  expect(join.metrics("void softmax<half>(int)")?.durationNs).toBe(7);
  expect(join.metrics("other")).toBeUndefined();
});
