import { describe, expect, test } from "vitest";
import { stepMarkOf } from "#core/trace/link/step-mark.ts";
import { annotation, importEvents, kernel, launch } from "../trace-text.ts";

describe("marks of engines, old and new", () => {
  test.each([
    ["execute_context_0(0)_generation_4(4)", "decode", 0, 0, 4, 4, 0],
    ["execute_context_1(888_788544)_generation_0(0)", "prefill", 1, 888, 0, 0, 0],
    ["execute_context_2(512)_generation_3(3)", "mixed", 2, 512, 3, 3, 0],
    ["execute_32_context_0(sq0sk0sqsq0sqsk0)_generation_32(sq32sk55086sqsq32sqsk55086)", "decode", 0, 0, 32, 32, 32],
    ["execute_8192_context_9(sq8155sk8430sqsq7475785sqsk7671310)_generation_37(sq37sk34489sqsq37sqsk34489)", "mixed", 9, 8155, 37, 37, 8192],
    ["step[EXTEND bs=15 toks=15360]", "prefill", 15, 15360, 0, 0, 0],
    ["step[DECODE bs=32]", "decode", 0, 0, 32, 32, 0],
    ["capture_32_FULL", "capture", 0, 0, 0, 0, 32],
    ["execute_diffusion_1_1024x1024", "", 0, 0, 0, 0, 0],
  ])("%s", (label, phase, prefillRequests, prefillTokens, decodeRequests, decodeTokens, batch) => {
    expect(stepMarkOf(label)).toEqual({ profilerStep: -1, label, phase, prefillRequests, prefillTokens, decodeRequests, decodeTokens, batch });
  });
  test.each(["aten::mm", "execute", "nccl:all_reduce", "## Call CompiledFxGraph fpd72 ##", "my step[1]", "capture_the_flag"])("%s is no step", (label) => {
    expect(stepMarkOf(label)).toBeUndefined();
  });
});

test("two marks of one step are one step, with what only the inner says; its kernels, their time and how long the GPU was busy", async () => {
  const { steps } = await importEvents(
    annotation("execute_unknown_7", [0, 50]), annotation("step[DECODE bs=32]", [10, 40]), annotation("step[EXTEND bs=1 toks=100]", [60, 90]),
    launch(1, [20, 21]), kernel(1, [100, 110]), launch(2, [22, 23]), kernel(2, [105, 115]), launch(3, [70, 71]), kernel(3, [120, 121]),
  );
  expect(steps).toMatchObject([
    { number: 1, label: "execute_unknown_7", phase: "decode", decodeRequests: 32, startNs: 0, durationNs: 50_000, kernels: 2, value: 20_000, busyNs: 15_000 },
    { number: 2, label: "step[EXTEND bs=1 toks=100]", phase: "prefill", prefillTokens: 100, kernels: 1, value: 1000, busyNs: 1000 },
  ]);
});
