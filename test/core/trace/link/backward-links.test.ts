import { describe, expect, test } from "vitest";
import { accumulation, annotation, arrow, gradient, importEvents, kernel, launch, module, op, recorded, samplesText } from "../trace-text.ts";

describe("backward operators stand where their forward operator stood", () => {
  test("the kernel of a gradient belongs to the module of the forward, in the same node as the forward's own", async () => {
    const execution = await importEvents(
      module("Net_0", [0, 100]), module("Linear_0", [10, 40]), recorded("aten::linear", [11, 30], 7), recorded("aten::addmm", [12, 29], 7), launch(1, [13, 14]), kernel(1, [50, 55]),
      gradient("AddmmBackward0", [200, 260], 7), op("aten::mm", [210, 220], { tid: 9 }), launch(2, [211, 212], "cudaLaunchKernel", { tid: 9 }), kernel(2, [300, 303]),
    );
    expect(samplesText(execution)).toEqual([
      "Net[0] > Linear[0] > op:aten::linear > op:aten::addmm > call:cudaLaunchKernel > gpu:gemm | 5000 ns × 1 step 1",
      "Net[0] > Linear[0] > op:aten::linear > op:autograd::engine::evaluate_function: AddmmBackward0 > op:aten::mm > call:cudaLaunchKernel > gpu:gemm | 3000 ns × 1 step 1",
    ]);
    expect(execution.totals).toEqual({ kernels: 2, value: 8000, moduleValue: 8000 });
  });
  test("an operator that recorded nothing carries the next number too: the last one with a number made the node", async () => {
    const execution = await importEvents(
      module("A_0", [0, 20]), recorded("aten::detach", [5, 6], 3), module("B_0", [30, 50]), recorded("aten::mul", [35, 40], 3), gradient("MulBackward0", [100, 120], 3), launch(1, [105, 106], "cudaLaunchKernel", { tid: 9 }), kernel(1, [130, 131]),
    );
    expect(samplesText(execution)[0]).toMatch(/^B\[0\] > op:autograd::engine/);
  });
  test("autograd counts threads by itself: arrows tell which thread it means, even against the count of meetings", async () => {
    const other = { tid: 2 };
    const execution = await importEvents(
      module("Right_0", [0, 50]), recorded("aten::mul", [10, 20], 5), module("Wrong_0", [0, 90], [], other), recorded("aten::mul", [10, 20], 5, other), recorded("aten::mul", [30, 40], 6, other),
      gradient("MulBackward0", [100, 120], 5), ...arrow(1, 10, 100), gradient("MulBackward0", [130, 140], 6), launch(1, [105, 106], "cudaLaunchKernel", { tid: 9 }), kernel(1, [150, 151]),
    );
    expect(samplesText(execution)[0]).toMatch(/^Right\[0\] > /);
    expect(execution.notes).toContain("Backward operators whose forward operator is not in the file: 1");
  });
  test("ranks in one file number their threads, operators and arrows alike: each keeps to its own process", async () => {
    const rank = (pid: number) => [
      module(`Rank${pid}_0`, [0, 50], [], { pid }), recorded("aten::mul", [10, 20], 5, { pid }), recorded("aten::mul", [10, 20], 5, { pid, tid: 2 }), gradient("MulBackward0", [100, 120], 5, { pid }),
      ...arrow(1, 10, 100).map((one) => ({ ...one, pid })), launch(pid, [105, 106], "cudaLaunchKernel", { pid, tid: 9 }), kernel(pid, [150, 151]),
    ];
    expect(samplesText(await importEvents(...rank(1), ...rank(2))).map((line) => line.split(" > ")[0])).toEqual(["Rank1[0]", "Rank2[0]"]);
  });
  test("an arrow from a thread without that number is not believed", async () => {
    const execution = await importEvents(module("A_0", [0, 50]), recorded("aten::mul", [10, 20], 1), gradient("MulBackward0", [100, 120], 1), ...arrow(1, 77, 100, { fromThread: 5 }), launch(1, [105, 106], "cudaLaunchKernel", { tid: 9 }), kernel(1, [130, 131]));
    expect(samplesText(execution)[0]).toMatch(/^A\[0\] > /);
  });
  test("without the forward in the file it is the backward pass, and said so", async () => {
    const events = [gradient("AddmmBackward0", [200, 260], 7), launch(2, [211, 212], "cudaLaunchKernel", { tid: 9 }), kernel(2, [300, 303])];
    expect((await importEvents(module("Net_0", [0, 9]), ...events)).gaps).toEqual([{ reason: "backward, module unknown", kernels: 1, value: 3000 }]);
    expect((await importEvents(...events)).gaps).toEqual([{ reason: "outside any module", kernels: 1, value: 3000 }]);
  });
  test("a number that only comes later is no forward", async () => {
    const execution = await importEvents(gradient("MulBackward0", [0, 20], 5), launch(1, [5, 6], "cudaLaunchKernel", { tid: 9 }), kernel(1, [9, 10]), module("Net_0", [50, 90]), recorded("aten::mul", [60, 70], 5));
    expect(execution.gaps).toEqual([{ reason: "backward, module unknown", kernels: 1, value: 1000 }]);
  });
});

describe("accumulating gradients", () => {
  const forward = [module("Linear_0", [0, 50]), recorded("aten::addmm", [10, 20], 1), gradient("AddmmBackward0", [100, 120], 1), accumulation([120, 140])];
  test("belongs to the module whose backward ran right before it", async () => {
    const execution = await importEvents(...forward, launch(1, [125, 126], "cudaLaunchKernel", { tid: 9 }), kernel(1, [150, 152]));
    expect(execution.totals).toEqual({ kernels: 1, value: 2000, moduleValue: 2000 });
    expect(execution.notes).toContain("Gradient accumulations, placed in the module whose backward ran right before them: 1");
  });
  test("the collective it sets off reduces gradients of many modules and belongs to none", async () => {
    const execution = await importEvents(...forward, { ...annotation("nccl:all_reduce", [124, 130]), tid: 9 }, launch(1, [125, 126], "cudaLaunchKernel", { tid: 9 }), kernel(1, [150, 190], "ncclDevKernel_AllReduce"));
    expect(samplesText(execution)).toEqual([
      "op:autograd::engine::evaluate_function: torch::autograd::AccumulateGrad > range:nccl:all_reduce > call:cudaLaunchKernel > gpu:ncclDevKernel_AllReduce | 40000 ns × 1",
    ]);
    expect(execution.gaps).toEqual([{ reason: "collective over gradients", kernels: 1, value: 40000 }]);
  });
});

test("a module computed again in the backward pass (activation checkpointing) stands in its place in the model, in the step of its forward", async () => {
  const thread = { tid: 9 };
  const execution = await importEvents(
    module("Net_0", [0, 100]), module("Block_0", [10, 40]), module("Relu_0", [50, 60]), recorded("aten::relu", [51, 55], 4),
    gradient("ReluBackward0", [200, 300], 4), module("Block_0", [210, 250], [], thread), launch(1, [220, 221], "cudaLaunchKernel", thread), kernel(1, [310, 312]), launch(2, [290, 291], "cudaLaunchKernel", thread), kernel(2, [320, 321]),
  );
  expect(samplesText(execution)).toEqual([
    "Net[0] > Block[0] > call:cudaLaunchKernel > gpu:gemm | 2000 ns × 1 step 1",
    "Net[0] > Relu[0] > op:autograd::engine::evaluate_function: ReluBackward0 > call:cudaLaunchKernel > gpu:gemm | 1000 ns × 1 step 1",
  ]);
  expect(execution.steps).toHaveLength(1);
});

test("reentrant checkpointing: the backward pass inside a node belongs to the modules it was just computed again in", async () => {
  const thread = { tid: 9 };
  const execution = await importEvents(
    module("Net_0", [0, 100]), module("Block_0", [10, 40]), recorded("CheckpointFunction", [12, 38], 3), module("Linear_0", [15, 30]),
    gradient("CheckpointFunctionBackward", [200, 400], 3), module("Linear_0", [210, 250], [], thread), recorded("aten::addmm", [215, 240], 0, thread), launch(1, [220, 221], "cudaLaunchKernel", thread), kernel(1, [500, 501]),
    gradient("AddmmBackward0", [260, 300], 0, { forwardThread: 2 }), launch(2, [270, 271], "cudaLaunchKernel", thread), kernel(2, [510, 512]), launch(3, [350, 351], "cudaLaunchKernel", thread), kernel(3, [520, 523]),
  );
  expect(samplesText(execution).map((line) => line.replace(/ > call.*\| /, " | "))).toEqual([
    "Net[0] > Block[0] > Linear[0] > op:aten::addmm | 1000 ns × 1 step 1",
    "Net[0] > Block[0] > Linear[0] > op:autograd::engine::evaluate_function: AddmmBackward0 | 2000 ns × 1 step 1",
    "Net[0] > Block[0] > op:autograd::engine::evaluate_function: CheckpointFunctionBackward | 3000 ns × 1 step 1",
  ]);
});
