import { describe, expect, test } from "vitest";
import { annotation, captureOf, importDocument, kernel, launch, module, op, samplesText } from "../trace-text.ts";

const captured = (at: number, name: string, tid = 1) => ({ ...launch(at, [at, at + 1], "hipModuleLaunchKernel", { tid }), args: { correlation: at, kernel: name } });
const capture = [
  module("Net_0", [0, 100]), launch(1, [1, 2], "hipStreamBeginCapture"), module("Layer_0", [10, 40]), op("aten::mm", [11, 30]), captured(12, "gemm"), module("Layer_1", [50, 80]), captured(52, "gemm"), captured(54, "add"), launch(90, [90, 91], "hipStreamEndCapture"),
  captured(95, "after"),
];
const replay = (...kernels: [name: string, node?: number][]) => ({ traceEvents: [launch(7, [1000, 1001], "hipGraphLaunch"), ...kernels.map(([name, node], i) => kernel(7, [2000 + 10 * i, 2001 + 10 * i], name, node === undefined ? {} : { "graph node id": node }))] });

describe("kernels of a replayed graph get the modules they were captured in", () => {
  test("the n-th kernel of a name is the n-th captured launch of that name; the graph's launch stands right above", async () => {
    const execution = await importDocument(replay(["gemm"], ["add"], ["gemm"]), { captures: await captureOf(...capture) });
    expect(samplesText(execution)).toEqual([
      "Net[0] > Layer[0] > op:aten::mm > call:hipGraphLaunch > gpu:gemm | 1000 ns × 1", "Net[0] > Layer[1] > call:hipGraphLaunch > gpu:add | 1000 ns × 1", "Net[0] > Layer[1] > call:hipGraphLaunch > gpu:gemm | 1000 ns × 1",
    ]);
    expect(execution.gaps).toEqual([]);
    expect(execution.notes).toContain("Kernels of replayed graphs, placed in the modules they were captured in: 3");
  });
  test("node ids give the order of capture where start times do not", async () => {
    const execution = await importDocument(replay(["gemm", 12], ["add", 13], ["gemm", 11]), { captures: await captureOf(...capture) });
    expect(samplesText(execution).map((line) => line.split(" | ")[0])).toEqual([
      "Net[0] > Layer[0] > op:aten::mm > call:hipGraphLaunch > gpu:gemm", "Net[0] > Layer[1] > call:hipGraphLaunch > gpu:gemm", "Net[0] > Layer[1] > call:hipGraphLaunch > gpu:add",
    ]);
    expect(execution.totals.moduleValue).toBe(3000);
  });
  test("a graph that fits in part gives what fits; the rest is named", async () => {
    const execution = await importDocument(replay(["gemm"], ["gemm"], ["memset_kernel"]), { captures: await captureOf(...capture) });
    expect(execution.totals).toEqual({ kernels: 3, value: 3000, moduleValue: 2000 });
    expect(execution.gaps).toEqual([{ reason: "graph replay", kernels: 1, value: 1000 }]);
  });
  test("a graph that shares less than half is another graph", async () => {
    const execution = await importDocument(replay(["add"], ["other"], ["third"]), { captures: await captureOf(...capture) });
    expect(execution.gaps).toEqual([{ reason: "graph replay", kernels: 3, value: 3000 }]);
  });
  test("calls of a module in order of start, those of replays among those of the host", async () => {
    const run = (at: number) => [module("Net_0", [at, at + 90]), module("Layer_0", [at + 10, at + 40]), launch(at, [at + 12, at + 13]), kernel(at, [at + 500, at + 509])];
    const execution = await importDocument({ traceEvents: [...replay(["gemm"], ["add"], ["gemm"]).traceEvents, ...run(3000), ...run(100)] }, { captures: await captureOf(...capture) });
    const layer = execution.modules.find(({ frame }) => execution.frames[frame]!.modulePath === "Net[0].Layer[0]")!;
    expect(layer.calls).toMatchObject({ gpuNs: [9000, 1000, 9000], cpuNs: [30_000, Number.NaN, 30_000] });
  });
  test("no capture, no guess", async () => {
    expect((await importDocument(replay(["gemm"], ["add"], ["gemm"]))).gaps).toEqual([{ reason: "graph replay", kernels: 3, value: 3000 }]);
  });
  test("CUDA launches name no kernel: a graph of as many launches fits, in order", async () => {
    const nameless = capture.map((event) => ({ ...event, args: { correlation: (event["args"] as { correlation?: number }).correlation } }));
    const execution = await importDocument(replay(["gemm", 1], ["gemm", 2], ["add", 3]), { captures: await captureOf(...nameless) });
    expect(samplesText(execution).map((line) => line.split(" > call")[0])).toEqual(["Net[0] > Layer[0] > op:aten::mm", "Net[0] > Layer[1]", "Net[0] > Layer[1]"]);
  });
  test("alike pieces are taken in turn within a step, those of the step's batch first", async () => {
    const piece = (at: number, layer: number) => [launch(at, [at, at + 1], "hipStreamBeginCapture"), module(`Layer_${layer}`, [at + 2, at + 5]), captured(at + 3, "gemm"), launch(at + 6, [at + 6, at + 7], "hipStreamEndCapture")];
    const captures = await captureOf(
      module("Net_0", [0, 200]), annotation("capture_8_PIECEWISE", [1, 30]), ...piece(2, 7), ...piece(10, 8), annotation("capture_16_PIECEWISE", [40, 90]), ...piece(42, 0), ...piece(52, 1),
    );
    const step = (at: number) => [annotation("execute_16_context_0(sq0sk0)_generation_9(sq9sk9)", [at, at + 90]), ...[1, 2].flatMap((n) => [launch(at + n, [at + n, at + n + 1], "hipGraphLaunch"), kernel(at + n, [at + 20 * n, at + 20 * n + 1])])];
    const execution = await importDocument({ traceEvents: [...step(1000), ...step(2000)] }, { captures });
    expect(samplesText(execution).map((line) => line.replace(/ > call.*step/, " step"))).toEqual(["Net[0] > Layer[2] step 1", "Net[0] > Layer[3] step 1", "Net[0] > Layer[2] step 2", "Net[0] > Layer[3] step 2"]);
  });
  test("modules around the replay and around the capture are not said twice", async () => {
    const document = replay(["gemm"], ["gemm"], ["add"]);
    const execution = await importDocument({ traceEvents: [module("Net_0", [990, 1010]), ...document.traceEvents] }, { captures: await captureOf(...capture) });
    expect(samplesText(execution)[0]).toBe("Net[0] > Layer[0] > op:aten::mm > call:hipGraphLaunch > gpu:gemm | 1000 ns × 1 step 1");
  });
});

test("a capture trace taken for the run says so", async () => {
  const { notes } = await importDocument({ traceEvents: [...capture, kernel(95, [200, 201], "after")] });
  expect(notes).toContain("The file shows a graph being captured (3 launches) and none replayed: what they cost is in the trace of the run; import that one with --capture and this file");
});

test("a file without a capture is no capture trace", async () => {
  await expect(captureOf(module("Net_0", [0, 10]), launch(1, [5, 6]))).rejects.toThrow("no graph is captured in it");
});
