import { describe, expect, test } from "vitest";
import { fitLabel, shortName, type LabelFrame } from "#dashboard/pages/flamegraph/label.ts";

const sixPixels = (text: string) => text.length * 6;
const frame = (kind: LabelFrame["kind"], name: string, file = "", line = 0): LabelFrame => ({ kind, name, file, line });

describe("shortName", () => {
  test.each([
    ["gpu_kernel", "void flash::flash_fwd_kernel<Flash_traits<64, 64>, true>(Flash_fwd_params)", "flash::flash_fwd_kernel<…>"],
    ["gpu_kernel", "sm90_xmma_gemm_bf16", "sm90_xmma_gemm_bf16"],
    ["gpu_kernel", "void at::native::reduce<512, at::ReduceOp<float>>::run(int)", "at::native::reduce<…>::run"],
    ["native", "at::native::linear(at::Tensor const&)", "at::native::linear"],
    ["native", "(anonymous namespace)::f(int)", "(anonymous namespace)::f(int)"],
    ["native", "unbalanced<a", "unbalanced<a"],
    ["python", "<module>", "<module>"],
    ["root", "", "All"],
    ["other", "(other)", "(other)"],
  ] as const)("%s %s", (kind, name, short) => expect(shortName({ kind, name })).toBe(short));
});

describe("fitLabel", () => {
  test("the file comes along while there is room, then the name alone, then an ellipsis, then nothing", () => {
    const forward = frame("python", "forward", "/site-packages/torch/linear.py", 125);
    expect(fitLabel(forward, 200, sixPixels)).toBe("forward  linear.py:125");
    expect(fitLabel(forward, 60, sixPixels)).toBe("forward");
    expect(fitLabel(forward, 40, sixPixels)).toBe("forw…");
    expect(fitLabel(forward, 23, sixPixels)).toBe("");
  });

  test("a kernel keeps its head and its tail", () => {
    expect(fitLabel(frame("gpu_kernel", "sm90_xmma_gemm_warpgroup_cublas"), 68, sixPixels)).toBe("sm90_…blas");
  });

  test("a narrow layer shows what tells it apart from its siblings", () => {
    const layer = frame("layer", "Qwen2DecoderLayer layers.17");
    expect(fitLabel(layer, 200, sixPixels)).toBe("Qwen2DecoderLayer layers.17");
    expect(fitLabel(layer, 70, sixPixels)).toBe("layers.17");
    expect(fitLabel(layer, 30, sixPixels)).toBe(".17");
    expect(fitLabel(frame("layer", "Qwen2DecoderLayer[3]"), 30, sixPixels)).toBe("[3]");
  });

  test("never wider than its box", () => {
    for (const name of ["a", "Qwen3MLP mlp", "void k<int, float>(int)"]) {
      for (let width = 0; width < 200; width++)
        expect(sixPixels(fitLabel(frame("gpu_kernel", name), width, sixPixels))).toBeLessThanOrEqual(Math.max(0, width - 8));
    }
  });
});

describe("a figure before the name", () => {
  const changed = { ...frame("python", "forward"), prefix: "−10.0 %  " };

  test("the name is cut, never the figure; at last the figure stands alone, or nothing", () => {
    expect(fitLabel(changed, 120, sixPixels)).toBe("−10.0 %  forward");
    expect(fitLabel(changed, 90, sixPixels)).toBe("−10.0 %  for…");
    expect(fitLabel(changed, 60, sixPixels)).toBe("−10.0 %");
    expect(fitLabel(changed, 45, sixPixels)).toBe("");
  });
});
