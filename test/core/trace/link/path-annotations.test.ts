import { expect, test } from "vitest";
import { annotatedPath } from "#core/trace/link/path-annotations.ts";
import { annotation, importEvents, kernel, launch, module, samplesText } from "../trace-text.ts";

test.each([
  ["Module:model.layers.17.self_attn", "model.layers.17.self_attn"], ["Module:lm_head", "lm_head"], ["layers.17.attention", "layers.17.attention"], ["model.layers.3", "model.layers.3"],
])("%s names a module", (name, path) => expect(annotatedPath(name)).toBe(path));
test.each(["forward", "nccl:all_reduce", "Optimizer.step#SGD.step", "## forward ##", "train.py", "v1.0 final", "1.5", "DistributedDataParallel.forward"])("%s names none", (name) => expect(annotatedPath(name)).toBeUndefined());

test("without nn.Module calls the annotations are the modules, with their recorded paths", async () => {
  const execution = await importEvents(annotation("layers.0", [0, 50]), annotation("layers.0.attention", [10, 30]), launch(1, [20, 21]), kernel(1, [60, 65]), annotation("layers.1", [50, 90]));
  expect(samplesText(execution)).toEqual([" layers.0 >  layers.0.attention > call:cudaLaunchKernel > gpu:gemm | 5000 ns × 1 step 1"]);
  expect(execution).toMatchObject({ pathSource: "recorded", totals: { moduleValue: 5000 } });
});
test("beside nn.Module calls a hook's annotation tells the path of the module around it", async () => {
  const execution = await importEvents(module("Net_0", [0, 100]), annotation("Module:net", [1, 99]), module("Attention_3", [10, 50]), annotation("Module:net.layers.3.attn", [11, 49]), launch(1, [20, 21]), kernel(1, [60, 65]));
  expect(execution.frames.filter((frame) => frame.kind === "layer").map((frame) => frame.modulePath)).toEqual(["net", "net.layers.3.attn"]);
  expect(execution.pathSource).toBe("recorded");
});
test("one module under two annotations keeps its own name", async () => {
  const execution = await importEvents(module("Net_0", [0, 100]), annotation("Module:a", [1, 9]), annotation("Module:b", [20, 29]), launch(1, [20, 21]), kernel(1, [60, 65]));
  expect(execution.pathSource).toBe("inferred");
});
