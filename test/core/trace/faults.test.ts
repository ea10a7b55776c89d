// Eighteen ways a trace mapper goes wrong, found by running one on real traces (the numbers are those of the study). Each case is the smallest file that shows
// the fault; the values are computed by hand. Whole kinds are in link/*.test.ts.
import { describe, expect, test } from "vitest";
import type { Execution } from "#core/trace/execution.ts";
import { executionRecordOf } from "#core/trace/execution-record.ts";
import { foldModules } from "#core/trace/fold-modules.ts";
import { annotation, arrow, captureOf, gradient, importDocument, importEvents, kernel, launch, module, op, recorded, samplesText } from "./trace-text.ts";

const modulesOf = (execution: Execution) => execution.modules.map(({ frame, calls }) => `${execution.frames[frame]!.name} ${calls.gpuNs.length}`);
const times = (n: number, make: (i: number) => ReturnType<typeof module>[]) => Array.from({ length: n }, (_, i) => make(i)).flat();

describe("linking", () => {
  test("1 launches of the driver count like those of the runtime", async () => {
    const execution = await importEvents(module("Net_0", [0, 50]), launch(1, [5, 6]), launch(2, [7, 8], "cuLaunchKernelEx", { cat: "cuda_driver" }), kernel(1, [60, 61]), kernel(2, [61, 64], "triton_poi_fused_add_0"));
    expect(execution.totals).toEqual({ kernels: 2, value: 4000, moduleValue: 4000 });
  });
  test("2 all kernels of an operator, summed", async () => {
    const { operations, kernelUses } = await importEvents(module("Net_0", [0, 50]), op("aten::sdpa", [1, 40]), ...times(3, (i) => [launch(i + 1, [5 + i, 6 + i]), kernel(i + 1, [60 + 10 * i, 61 + 10 * i + i], "k")]));
    expect(operations).toMatchObject([{ op: "aten::sdpa", calls: 1 }]);
    expect(kernelUses).toMatchObject([{ op: "aten::sdpa", kernel: "k", count: 3, value: 6000 }]);
  });
  test("3 every forward, also of other roots, grouped by step", async () => {
    const execution = await importEvents(...times(5, (i) => [module("Net_0", [100 * i, 100 * i + 50]), launch(i + 1, [100 * i + 5, 100 * i + 6]), kernel(i + 1, [1000 + i, 1001 + i])]), module("Vae_0", [900, 950]), launch(9, [910, 911]), kernel(9, [2000, 2010]));
    expect(modulesOf(execution)).toEqual(["Net[0] 5", "Vae[0] 1"]);
    expect(samplesText(execution).map((line) => line.split("step ")[1])).toEqual(["1", "2", "3", "4", "5", "1"]);
    expect(execution.totals.moduleValue).toBe(15_000);
  });
  test("4 modules of any thread and process, however busy another one is", async () => {
    const execution = await importEvents(
      module("Net_0", [0, 50]), launch(1, [5, 6]), kernel(1, [60, 61]), ...times(100, (i) => [op("aten::helper", [i, i + 0.5], { tid: 77 })]), module("Net_0", [0, 50], [], { pid: 2 }), launch(2, [5, 6], "cudaLaunchKernel", { pid: 2 }), kernel(2, [70, 72]),
    );
    expect(execution.totals).toEqual({ kernels: 2, value: 3000, moduleValue: 3000 });
  });
  test("14 kernels of a replayed graph, from its capture", async () => {
    const named = (at: number) => ({ ...launch(at, [at, at + 1], "hipModuleLaunchKernel"), args: { correlation: at, kernel: "k" } });
    const captures = await captureOf(launch(1, [1, 2], "hipStreamBeginCapture"), module("A_0", [3, 9]), named(4), module("B_0", [10, 19]), named(12), launch(20, [20, 21], "hipStreamEndCapture"));
    const execution = await importDocument({ traceEvents: [launch(1, [0, 1], "hipGraphLaunch"), kernel(1, [10, 11], "k"), kernel(1, [11, 14], "k")] }, { captures });
    expect(samplesText(execution)).toEqual(["A[0] > call:hipGraphLaunch > gpu:k | 1000 ns × 1", "B[0] > call:hipGraphLaunch > gpu:k | 3000 ns × 1"]);
  });
  test("17 copies and fills, streams, GPUs, ranks and backward are facts of their own", async () => {
    const execution = await importDocument({
      distributedInfo: { rank: 5, world_size: 8 },
      traceEvents: [
        module("Net_0", [0, 50]), recorded("aten::mm", [2, 9], 4), gradient("MmBackward0", [100, 120], 4), ...arrow(1, 2, 100), launch(1, [105, 106], "cudaLaunchKernel", { tid: 9 }), kernel(1, [200, 204], "k", { device: 1, stream: 20 }),
        { ...kernel(2, [300, 307], "Memset (Device)"), cat: "gpu_memset" },
      ],
    });
    expect(execution).toMatchObject({
      rank: 5, worldSize: 8, totals: { kernels: 1, value: 4000, moduleValue: 4000 }, devices: [{ device: 1, streams: 1, busyNs: 4000 }], copies: [{ kind: "Memset (Device)", count: 1, durationNs: 7000 }],
    });
  });
});

describe("files", () => {
  test("5 kernels alone, without an operator", async () => expect((await importEvents(kernel(1, [0, 5]))).gaps).toEqual([{ reason: "launch not recorded", kernels: 1, value: 5000 }]));
  test("6 a bare list", async () => expect((await importDocument([launch(1, [0, 1]), kernel(1, [2, 3])])).totals.value).toBe(1000));
  test("7 more dims than types: both as they are recorded", async () => {
    const { kernelUses } = await importEvents({ ...op("aten::cat", [0, 9]), args: { "Input Dims": [[2], [3], []], "Input type": ["float"] } }, launch(1, [1, 2]), kernel(1, [3, 4]));
    expect(kernelUses).toMatchObject([{ dims: "[[2],[3],[]]", dtypes: '["float"]' }]);
  });
  test("8 12,000 nested calls", async () => {
    const depth = 12_000;
    const execution = await importEvents(...times(depth, (i) => [op(`f${i}`, [i, 3 * depth - i])]), launch(1, [depth + 5, depth + 6]), kernel(1, [9e5, 9e5 + 1]));
    expect(execution.totals).toMatchObject({ kernels: 1, value: 1000 });
    expect(execution.notes).toContain("Stacks deeper than 1,024 frames, their middle left out: 1");
  });
  test("13 operators that last 0: kept, with their kernels", async () => {
    const execution = await importEvents(module("Net_0", [0, 50]), op("aten::view", [10, 10]), op("aten::mm", [20, 20]), launch(1, [20, 20]), kernel(1, [60, 61]));
    expect(samplesText(execution)).toEqual(["Net[0] > op:aten::mm > call:cudaLaunchKernel > gpu:gemm | 1000 ns × 1 step 1"]);
    expect(execution.operations.map(({ op: name, calls }) => [name, calls])).toEqual([["aten::mm", 1], ["aten::view", 1]]);
  });
  test("18 calls that cross: the later one belongs to what is open when it starts, and nothing aborts", async () => {
    const execution = await importEvents(module("A_0", [0, 50]), module("B_0", [40, 90]), launch(1, [60, 61]), kernel(1, [100, 101]));
    expect(samplesText(execution)).toEqual(["A[0] > B[0] > call:cudaLaunchKernel > gpu:gemm | 1000 ns × 1 step 1"]);
    expect(execution.notes).toContain("Calls that end after the call they started in, kept as its children: 1");
  });
});

describe("modules", () => {
  const foldedNames = async (...events: ReturnType<typeof module>[]) => {
    const record = executionRecordOf(await importEvents(...events, launch(1, [1, 2]), kernel(1, [9000, 9001])));
    return foldModules(record).map(({ rows, ownCopies }) => `${record.texts[record.modules.name[rows[0]!]!]} ×${ownCopies}`);
  };
  const block = (i: number, at: number, inner: string) => [module(`Block_${i}`, [at, at + 90]), module(`${inner}_${i}`, [at + 10, at + 20])];
  test("9 eight layers below a wrapper with one child", async () => {
    expect(await foldedNames(module("Wrapper_0", [0, 900]), module("Net_0", [0.5, 899]), ...times(8, (i) => block(i, 5 + 100 * i, "Mlp")))).toEqual(["Wrapper[0] ×1", "Net[0] ×1", "Block[0] ×8", "Mlp[0] ×1"]);
  });
  test("10 word, position and type embeddings are three Embedding", async () => {
    expect(await foldedNames(module("Net_0", [0, 90]), ...times(3, (i) => [module(`Embedding_${i}`, [10 + 10 * i, 15 + 10 * i])]))).toEqual(["Net[0] ×1", "Embedding[0] ×1", "Embedding[1] ×1", "Embedding[2] ×1"]);
  });
  test("11 two dense blocks before four MoE blocks of the same class", async () => {
    expect(await foldedNames(module("Net_0", [0, 900]), ...times(6, (i) => block(i, 5 + 100 * i, i < 2 ? "Dense" : "MoE")))).toEqual(["Net[0] ×1", "Block[0] ×2", "Dense[0] ×1", "Block[2] ×4", "MoE[0] ×1"]);
  });
  test("12 a module called inside an operator", async () => {
    const execution = await importEvents(module("Net_0", [0, 90]), op("CompiledFunction", [5, 80]), module("Inner_0", [10, 50]), launch(1, [20, 21]), kernel(1, [100, 101]));
    expect(samplesText(execution)).toEqual(["Net[0] > op:CompiledFunction > Inner[0] > call:cudaLaunchKernel > gpu:gemm | 1000 ns × 1 step 1"]);
  });
  test("15 modules rank by GPU time, where the time on the host says the opposite", async () => {
    const { modules, texts } = executionRecordOf(await importEvents(
      module("Net_0", [0, 90]), module("Attention_0", [1, 60]), launch(1, [2, 3]), kernel(1, [100, 110]), module("Mlp_0", [61, 65]), launch(2, [62, 63]), kernel(2, [110, 150]),
    ));
    const row = (name: string) => modules.name.findIndex((id) => texts[id] === name);
    expect([modules.value[row("Mlp[0]")], modules.value[row("Attention[0]")]]).toEqual([40_000, 10_000]);
    expect([modules.cpu.total[row("Mlp[0]")], modules.cpu.total[row("Attention[0]")]]).toEqual([4000, 59_000]);
  });
  test("16 prefill or decode is read from the steps", async () => {
    const { steps } = await importEvents(annotation("execute_context_1(888)_generation_0(0)", [0, 50]), annotation("execute_context_0(0)_generation_4(4)", [60, 90]), launch(1, [5, 6]), kernel(1, [7, 8]));
    expect(steps.map(({ phase, prefillTokens, decodeTokens }) => [phase, prefillTokens, decodeTokens])).toEqual([["prefill", 888, 0], ["decode", 0, 4]]);
  });
});
