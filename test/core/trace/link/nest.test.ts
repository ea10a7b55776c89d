import { describe, expect, test } from "vitest";
import { importEvents, kernel, launch, module, op, python, samplesText } from "../trace-text.ts";

describe("nesting by time", () => {
  test("a launch belongs to the innermost call open at its start, on its own thread", async () => {
    const execution = await importEvents(
      module("Net_0", [0, 100]), module("Linear_0", [10, 50]), op("aten::linear", [12, 48]), op("aten::addmm", [14, 46]), launch(1, [20, 22]), kernel(1, [200, 210]),
      module("Other_0", [0, 100], [], { tid: 2 }),
    );
    expect(samplesText(execution)).toEqual(["Net[0] > Linear[0] > op:aten::linear > op:aten::addmm > call:cudaLaunchKernel > gpu:gemm | 10000 ns × 1"].map((line) => line + " step 1"));
  });
  test("a call that starts when another ends is its sibling", async () => {
    const execution = await importEvents(op("a", [0, 10]), op("b", [10, 20]), launch(1, [10, 12]), kernel(1, [30, 31]));
    expect(samplesText(execution)).toEqual(["op:b > call:cudaLaunchKernel > gpu:gemm | 1000 ns × 1"]);
  });
  test("calls without duration are kept, as parents too (whole-microsecond traces)", async () => {
    const execution = await importEvents(op("outer", [5, 5]), op("inner", [5, 5]), launch(1, [5, 5]), kernel(1, [9, 10]));
    expect(samplesText(execution)).toEqual(["op:outer > op:inner > call:cudaLaunchKernel > gpu:gemm | 1000 ns × 1"]);
  });
  test("of calls without duration at one time, those of one name are siblings, and no more than 16 lie in one another", async () => {
    const alike = await importEvents(op("aten::result_type", [5, 5]), op("aten::result_type", [5, 5]), launch(1, [5, 5]), kernel(1, [9, 10]));
    expect(samplesText(alike)).toEqual(["op:aten::result_type > call:cudaLaunchKernel > gpu:gemm | 1000 ns × 1"]);
    const many = await importEvents(...Array.from({ length: 1000 }, (_, i) => op(`op ${i}`, [0, 0])), launch(1, [0, 0]), kernel(1, [9, 10]));
    expect(many.stacks.map((stack) => stack.length)).toEqual([16 + 1]);
  });
  test("crossing calls: the later one is a child of the one open at its start, counted", async () => {
    const execution = await importEvents(op("a", [0, 10]), op("b", [8, 14]), launch(1, [12, 13]), kernel(1, [20, 21]));
    expect(samplesText(execution)).toEqual(["op:a > op:b > call:cudaLaunchKernel > gpu:gemm | 1000 ns × 1"]);
    expect(execution.notes).toContain("Calls that end after the call they started in, kept as its children: 1");
  });
  test("the order of events in the file does not matter", async () => {
    const events = [module("Net_0", [0, 100]), op("aten::mm", [10, 40]), launch(1, [20, 22]), kernel(1, [200, 210]), launch(2, [50, 51]), kernel(2, [210, 215], "add")];
    expect(samplesText(await importEvents(...events.toReversed())).sort()).toEqual(samplesText(await importEvents(...events)).sort());
  });
});

describe("nesting by Python's parent ids", () => {
  test("where whole microseconds hide the order, the ids tell it", async () => {
    const execution = await importEvents(
      python("m.py(1): main", [0, 20], [1, -1]), python("m.py(5): first", [10, 10], [2, 1]), python("m.py(9): second", [10, 10], [3, 1]), launch(1, [10, 10]), kernel(1, [30, 31]),
    );
    expect(samplesText(execution)).toEqual(["py:main > py:second > call:cudaLaunchKernel > gpu:gemm | 1000 ns × 1"]);
  });
  test("whether the ids lie close together or far apart", async () => {
    const [main, first, second] = [7, 1_000_000_007, 2_000_000_000];
    const execution = await importEvents(
      python("m.py(1): main", [0, 20], [main, -1]), python("m.py(3): inner", [10, 10], [first, main]), python("m.py(5): leaf", [10, 10], [second, first]), launch(1, [10, 10]), kernel(1, [30, 31]),
      python("m.py(7): main", [40, 60], [first + 1, -1]), python("m.py(9): one", [50, 50], [first + 2, first + 1]), python("m.py(11): two", [50, 50], [first + 3, first + 1]), launch(2, [50, 50]), kernel(2, [70, 71]),
    );
    expect(samplesText(execution)).toEqual([
      "py:main > py:inner > py:leaf > call:cudaLaunchKernel > gpu:gemm | 1000 ns × 1",
      "py:main > py:two > call:cudaLaunchKernel > gpu:gemm | 1000 ns × 1",
    ]);
  });
  test("a call whose end was lost holds nothing that its caller called later", async () => {
    const execution = await importEvents(
      module("Net_0", [0, 50], [1, -1]), python("<built-in method __enter__>", [10, 900], [2, 1]), python("m.py(9): second", [20, 30], [3, 1]), launch(1, [21, 22]), kernel(1, [60, 61]),
    );
    expect(samplesText(execution)).toEqual(["Net[0] > py:second > call:cudaLaunchKernel > gpu:gemm | 1000 ns × 1 step 1"]);
  });
  test("what an operator calls back names a caller further out (checkpointing's hooks): it stays where it ran", async () => {
    const execution = await importEvents(
      python("m.py(1): forward", [0, 100], [1, -1]), module("Conv2d_0", [10, 90], [2, 1]), op("aten::conv2d", [20, 80]), python("checkpoint.py(1101): pack_hook", [30, 70], [3, 1]), launch(1, [40, 41]), kernel(1, [200, 201]),
    );
    expect(samplesText(execution)).toEqual(["py:forward > Conv2d[0] > op:aten::conv2d > py:pack_hook > call:cudaLaunchKernel > gpu:gemm | 1000 ns × 1 step 1"]);
  });
  test("a module called inside an operator (a compiled region, a custom backward) stays inside it", async () => {
    const execution = await importEvents(
      module("Net_0", [0, 100], [1, -1]), op("CompiledFunction", [10, 90]), module("Linear_0", [20, 80], [2, 1]), op("aten::mm", [30, 40]), launch(1, [31, 32]), kernel(1, [200, 203]),
    );
    expect(samplesText(execution)).toEqual(["Net[0] > op:CompiledFunction > Linear[0] > op:aten::mm > call:cudaLaunchKernel > gpu:gemm | 3000 ns × 1 step 1"]);
  });
  test("a parent on another thread is not this thread's caller", async () => {
    const execution = await importEvents(python("m.py(1): main", [0, 50], [1, -1]), python("e.py(2): backward", [10, 40], [2, 1], { tid: 2 }), launch(1, [20, 21], "cudaLaunchKernel", { tid: 2 }), kernel(1, [60, 61]));
    expect(samplesText(execution)).toEqual(["py:backward > call:cudaLaunchKernel > gpu:gemm | 1000 ns × 1"]);
  });
});

test("20,000 nested calls: no recursion, the root and the leaf kept, the cut counted", async () => {
  const depth = 20_000;
  const calls = Array.from({ length: depth }, (_, i) => python(`r.py(1): f${i}`, [i, 3 * depth - i]));
  const execution = await importEvents(...calls, launch(1, [depth, depth + 1]), kernel(1, [4 * depth, 4 * depth + 1]));
  const [stack] = execution.stacks;
  expect(stack).toHaveLength(1024);
  expect([execution.frames[stack![0]!]!.name, execution.frames[stack!.at(-1)!]!.name]).toEqual(["f0", "gemm"]);
  expect(execution.notes).toContain("Stacks deeper than 1,024 frames, their middle left out: 1");
});
