import { describe, expect, test } from "vitest";
import { annotation, importDocument, importEvents, kernel, launch, module, op, samplesText } from "../trace-text.ts";

describe("every kernel of every launch", () => {
  test("three kernels of one operator are summed, none is dropped", async () => {
    const execution = await importEvents(
      module("Net_0", [0, 100]), op("aten::sdpa", [10, 40]), launch(1, [11, 12]), launch(2, [13, 14]), launch(3, [15, 16]), kernel(1, [50, 55]), kernel(2, [55, 57]), kernel(3, [57, 58], "softmax"),
    );
    expect(samplesText(execution)).toEqual([
      "Net[0] > op:aten::sdpa > call:cudaLaunchKernel > gpu:gemm | 7000 ns × 2 step 1",
      "Net[0] > op:aten::sdpa > call:cudaLaunchKernel > gpu:softmax | 1000 ns × 1 step 1",
    ]);
    expect(execution.totals).toEqual({ kernels: 3, value: 8000, moduleValue: 8000 });
  });
  test.each(["cuda_runtime", "cuda_driver", "hip_runtime", "mtia_runtime", "Runtime"])("launches of category %s count", async (cat) => {
    const execution = await importEvents(module("Net_0", [0, 100]), launch(1, [11, 12], "anyLaunchCall", { cat }), kernel(1, [50, 55]));
    expect(execution.totals.moduleValue).toBe(5000);
  });
  test("a kernel that runs long after its operator has ended still belongs to it, and not to the operator that runs meanwhile", async () => {
    const execution = await importEvents(module("A_0", [0, 10]), launch(1, [5, 6]), module("B_0", [10, 90]), kernel(1, [50, 80]));
    expect(samplesText(execution)).toEqual(["A[0] > call:cudaLaunchKernel > gpu:gemm | 30000 ns × 1 step 1"]);
  });
  test("an External id equal to a correlation id links nothing", async () => {
    const stranger = { ...op("aten::stranger", [0, 9]), args: { "External id": 42 } };
    const execution = await importEvents(module("Net_0", [0, 100]), stranger, op("aten::mm", [10, 20]), launch(42, [11, 12]), kernel(42, [50, 55]));
    expect(samplesText(execution)).toEqual(["Net[0] > op:aten::mm > call:cudaLaunchKernel > gpu:gemm | 5000 ns × 1 step 1"]);
  });
  test("two processes with the same ids: the kernel goes to the last launch before it, counted", async () => {
    const execution = await importEvents(launch(1, [10, 11], "cudaLaunchKernel", { pid: 1 }), launch(1, [40, 41], "cuLaunchKernel", { pid: 2 }), kernel(1, [20, 22]), kernel(1, [50, 53]));
    expect(samplesText(execution)).toEqual(["call:cudaLaunchKernel > gpu:gemm | 2000 ns × 1", "call:cuLaunchKernel > gpu:gemm | 3000 ns × 1"]);
    expect(execution.notes).toContain("Kernels whose correlation id several processes use, and of which nothing says which of them launched them; given to the last launch before them: 2");
  });
});

test("an id used again in one process: the kernel goes to the last launch before it", async () => {
  const execution = await importEvents(launch(1, [10, 11], "first"), launch(1, [40, 41], "second"), launch(1, [20, 21], "between"), kernel(1, [15, 16]), kernel(1, [30, 32]), kernel(1, [50, 54]), kernel(1, [1, 9]));
  expect(samplesText(execution)).toEqual(["call:first > gpu:gemm | 9000 ns × 2", "call:between > gpu:gemm | 2000 ns × 1", "call:second > gpu:gemm | 4000 ns × 1"]);
});

test("an id beyond 2^53 is none: as a double it would be its neighbour's", async () => {
  const [first, second] = ["9007199254740992", "9007199254740993"];
  const launched = (id: string, at: number) => `{"ph":"X","cat":"cuda_runtime","name":"launch ${id}","pid":1,"tid":1,"ts":${at},"dur":1,"args":{"correlation":${id}}}`;
  const execution = await importDocument(`{"traceEvents":[${launched(first, 1)},${launched(second, 3)},{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":5,"dur":1,"args":{"correlation":${first}}}]}`);
  expect(execution.gaps).toEqual([{ reason: "launch not recorded", kernels: 1, value: 1000 }]);
});

describe("small times in a file of large ones", () => {
  const epoch = 1_700_000_000_000_000; // µs
  const [small, large] = [[op("a", [0, 5]), op("b", [10, 20]), launch(1, [11, 12])], [op("c", [epoch, epoch + 5])]];
  test.each([["before", [...small, ...large]], ["behind", [...large, ...small]]])("%s them: calls nest and last as written, kernels have no time", async (_, events) => {
    const execution = await importDocument({ traceEvents: [...events, kernel(1, [30, 33]), kernel(1, [epoch + 50, epoch + 52])] });
    expect(samplesText(execution)).toEqual(["op:b > call:cudaLaunchKernel > gpu:gemm | 5000 ns × 2"]);
    expect(execution.operations.map(({ op: name, cpuNs }) => [name, cpuNs])).toEqual([["b", 10_000], expect.anything(), expect.anything()]);
    expect(execution).toMatchObject({ busyNs: 2000, durationNs: 52_000, recordedAtNs: BigInt(epoch) * 1000n });
  });
});

describe("what cannot be placed is kept and named", () => {
  test("launched before capture: no launch, and an id lower than any in the file", async () => {
    const execution = await importEvents(launch(500, [0, 1], "cudaDeviceSynchronize"), module("Net_0", [10, 50]), launch(510, [11, 12]), kernel(420, [0, 7]), kernel(499, [7, 9]), kernel(505, [9, 10]), kernel(510, [60, 64]));
    expect(execution.gaps).toEqual([
      { reason: "launched before capture", kernels: 2, value: 9000 },
      { reason: "launch not recorded", kernels: 1, value: 1000 },
    ]);
    expect(samplesText(execution)[0]).toBe("call:(launched before capture) > gpu:gemm | 9000 ns × 2");
    expect(execution.totals).toEqual({ kernels: 4, value: 14000, moduleValue: 4000 });
  });
  test("correlation 0 is no id, and a file without launches says that they were not recorded", async () => {
    expect((await importEvents(launch(1, [0, 1]), kernel(0, [5, 6]))).gaps).toEqual([{ reason: "launch not recorded", kernels: 1, value: 1000 }]);
    expect((await importEvents(kernel(7, [5, 6]), kernel(8, [6, 8]))).gaps).toEqual([{ reason: "launch not recorded", kernels: 2, value: 3000 }]);
  });
  test("a graph launch outside modules is a graph replay, inside a module it is the module's", async () => {
    const execution = await importEvents(
      module("Net_0", [0, 10]), launch(1, [5, 6], "hipGraphLaunch"), launch(2, [20, 21], "cudaGraphLaunch"), kernel(1, [30, 31]), kernel(2, [40, 42]), kernel(2, [42, 45], "add"), launch(3, [50, 51]), kernel(3, [60, 61]),
    );
    expect(execution.gaps).toEqual([{ reason: "graph replay", kernels: 2, value: 5000 }, { reason: "outside any module", kernels: 1, value: 1000 }]);
    expect(execution.totals.moduleValue).toBe(1000);
  });
  test("a range of the user's is a frame of its thread; the profiler's copy of it on the GPU's track is nothing", async () => {
    const onGpu = { ...annotation("my range", [10, 100]), cat: "gpu_user_annotation", pid: 0, tid: 7 };
    const execution = await importEvents(annotation("my range", [0, 20]), onGpu, launch(1, [5, 6]), kernel(1, [10, 11]), launch(2, [30, 31]), kernel(2, [40, 42]));
    expect(samplesText(execution)).toEqual(["range:my range > call:cudaLaunchKernel > gpu:gemm | 1000 ns × 1", "call:cudaLaunchKernel > gpu:gemm | 2000 ns × 1"]);
  });
  test("kernels without a time or duration are counted", async () => {
    const execution = await importDocument({ traceEvents: [launch(1, [1000, 1001]), kernel(1, [0, 0]), { ph: "X", cat: "kernel", name: "lost", args: { correlation: 1 } }] });
    expect(samplesText(execution)).toEqual(["call:cudaLaunchKernel > gpu:gemm | 0 ns × 1", "call:cudaLaunchKernel > gpu:lost | 0 ns × 1"]);
    expect(execution.notes).toContain("Events without a duration, read as 0: 1");
  });
  test("a kernel of unknown time (0) in front does not move the others' clock", async () => {
    const epoch = 1_712_345_678_901_234; // µs; a double counts these in quarters
    const execution = await importDocument({ traceEvents: [kernel(1, [0, 0]), op("a", [epoch, epoch + 10]), op("b", [epoch + 10, epoch + 20]), launch(1, [epoch + 10, epoch + 11])] });
    expect(samplesText(execution)).toEqual(["op:b > call:cudaLaunchKernel > gpu:gemm | 0 ns × 1"]);
    expect(execution).toMatchObject({ recordedAtNs: BigInt(epoch) * 1000n, durationNs: 20_000 });
  });
  test("launches without a kernel, and kernels before their launch, are noted", async () => {
    const { notes } = await importEvents(launch(1, [10, 11]), launch(2, [12, 13]), kernel(1, [5, 6]));
    expect(notes).toContain("Kernel launches without a kernel in the file (dropped, or still running at the end): 1");
    expect(notes).toContain("Kernels that start before their launch (host and GPU clocks differ), linked by id all the same: 1");
  });
});

describe("steps", () => {
  const twoForwards = [module("Net_0", [0, 10]), launch(1, [5, 6]), kernel(1, [7, 8]), module("Net_0", [20, 30]), launch(2, [25, 26]), kernel(2, [27, 29]), launch(3, [40, 41]), kernel(3, [50, 55])];
  test("without step marks: the how-manieth call of the root module", async () => {
    expect(samplesText(await importEvents(...twoForwards))).toEqual([
      "Net[0] > call:cudaLaunchKernel > gpu:gemm | 1000 ns × 1 step 1", "Net[0] > call:cudaLaunchKernel > gpu:gemm | 2000 ns × 1 step 2", "call:cudaLaunchKernel > gpu:gemm | 5000 ns × 1",
    ]);
  });
  test("ProfilerStep#n where the file has it, as annotation or (2021) as operator, and no frame of its own", async () => {
    const execution = await importEvents(annotation("ProfilerStep#6", [0, 15]), op("ProfilerStep#7", [15, 60]), ...twoForwards);
    expect(samplesText(execution).map((line) => line.split(" | ")[1])).toEqual(["1000 ns × 1 step 6", "2000 ns × 1 step 7", "5000 ns × 1 step 7"]);
    expect(execution.frames.map((frame) => frame.name)).not.toContain("ProfilerStep#7");
  });
  test("one step alone: its samples, calls and operators, and nothing of the others", async () => {
    const document = { traceEvents: [...twoForwards, op("aten::a", [4, 6]), op("aten::b", [24, 27])] };
    const execution = await importDocument(document, { step: 2 });
    expect(samplesText(execution)).toEqual(["Net[0] > op:aten::b > call:cudaLaunchKernel > gpu:gemm | 2000 ns × 1 step 2"]);
    expect(execution).toMatchObject({ totals: { kernels: 1, value: 2000 }, steps: [{ number: 2, kernels: 1 }], operations: [{ op: "aten::b", calls: 1 }] });
    expect(execution.modules.map(({ calls }) => calls.gpuNs)).toEqual([[2000]]);
    await expect(importDocument(document, { step: 3 })).rejects.toThrow("step 3 is not in the file; it has steps 1 to 2");
  });
  test("calls of a root module on several threads are counted in time", async () => {
    const root = (at: number, tid: number) => [module("Net_0", [at, at + 10], [], { tid }), launch(at, [at + 5, at + 6], "cudaLaunchKernel", { tid }), kernel(at, [at + 7, at + 8])];
    const { steps } = await importEvents(...root(100, 1), ...root(200, 2), ...root(300, 1));
    expect(steps.map(({ number, startNs }) => [number, startNs])).toEqual([[1, 0], [2, 100_000], [3, 200_000]]);
  });
  test("marks that cross are steps of their own, the one begun last counts; marks inside a ProfilerStep are not", async () => {
    const decode = (span: [number, number]) => annotation("execute_context_0(0)_generation_1(1)", span);
    const launches = [launch(1, [10, 11]), launch(2, [55, 56]), launch(3, [100, 101]), kernel(1, [20, 21]), kernel(2, [60, 62]), kernel(3, [110, 113])];
    expect((await importEvents(decode([0, 60]), decode([50, 120]), ...launches)).steps.map(({ value }) => value)).toEqual([1000, 5000]);
    expect((await importEvents(annotation("ProfilerStep#7", [0, 120]), annotation("ProfilerStep#8", [20, 30]), ...launches)).steps).toMatchObject([{ number: 7, value: 6000 }]);
  });
  test("ProfilerStep#0 is step 1, because 0 means none", async () => {
    const execution = await importEvents(annotation("ProfilerStep#0", [0, 15]), annotation("ProfilerStep#1", [15, 60]), ...twoForwards);
    expect(execution.samples.map((sample) => sample.step)).toEqual([1, 2, 2]);
    expect(execution.notes).toContain("Steps are counted from 1: ProfilerStep#0 is step 1");
  });
});
