import { describe, expect, test } from "vitest";
import type { Execution } from "#core/trace/execution.ts";
import { executionRecordOf } from "#core/trace/execution-record.ts";
import { modelExecution } from "#core/trace/mapper/model-execution.ts";
import { readModelExecution } from "#core/trace/mapper/read-model-execution.ts";
import { accepted, bytesOf } from "../stacks-text.ts";
import { importDocument, kernel, launch, module, op } from "../trace-text.ts";

// A net of three equal layers, 100 µs apart; layer n's mm launches two kernels of 10 + n and 3 µs, one more kernel runs after the net.
const layer = (n: number) => {
  const at = 100 + 100 * n;
  return [
    module(`Layer_${n}`, [at, at + 80 + n]), module(`Mlp_${n}`, [at + 1, at + 60 + n]), op("aten::mm", [at + 10, at + 30]),
    launch(10 * n + 1, [at + 12, at + 13]), launch(10 * n + 2, [at + 14, at + 15]), kernel(10 * n + 1, [at + 20, at + 30 + n], "gemm<128>"), kernel(10 * n + 2, [at + 40, at + 43], "splitKreduce"),
  ];
};
const traceEvents = [module("Net_0", [90, 400]), ...[0, 1, 2].flatMap(layer), op("aten::argmax", [410, 420]), launch(99, [411, 412]), kernel(99, [415, 416], "argmax_kernel")];
const document = { deviceProperties: [{ id: 0, name: "NVIDIA H100" }], traceEvents };

test("layers fold into one node with the kernels of the first and the host times of all", async () => {
  const written = modelExecution(executionRecordOf(await importDocument(document)));
  expect(written).toMatchObject({
    model: "?", device: "NVIDIA H100", mode: "unknown", iterations: 1, layers: 3,
    kernel_summary: { "gemm<128>": { count: 3, total_dur_us: 33, role: "gemm" }, splitKreduce: { count: 3, total_dur_us: 9, role: "gemm" }, argmax_kernel: { count: 1, total_dur_us: 1, role: "sampling" } },
    module_tree: {
      class: "Net", instance: 0, dur_us: 310, ops: [],
      children: [{
        class: "Layer", dur_us: 80, repeat: 3, per_layer_dur: [80, 81, 82], all_layer_durs: [80, 81, 82], avg_dur_us: 81, min_dur_us: 80, max_dur_us: 82,
        children: [{
          class: "Mlp", dur_us: 59, all_layer_durs: [59, 60, 61], children: [],
          ops: [{ op: "aten::mm", dur_us: 20, gpu: "gemm<128>", gpu_dur_us: 10, gpu_role: "gemm", all_layer_durs: [20, 20, 20], avg_us: 20, sub_ops: [{ op: "aten::mm", dur_us: 0, gpu_display: "splitKreduce", gpu_dur_us: 3 }] }],
        }],
      }],
    },
    pre_model_ops: [], post_model_ops: [{ op: "aten::argmax", dur_us: 10, gpu: "argmax_kernel", gpu_dur_us: 1, gpu_role: "sampling" }],
    stats: { total_cpu_ops: 4, total_kernels: 7, total_nn_module_events: 7 },
  });
});

const modulesOf = ({ modules, frames }: Execution) => modules.map(({ frame, calls }) => [frames[frame]!.modulePath, calls.cpuNs[0]]);
const gpuOfFirst = ({ modules, frames }: Execution) => modules.flatMap(({ frame, calls }) => (frames[frame]!.modulePath.startsWith("Net[0].Layer[0]") ? [calls.gpuNs[0]] : []));

describe("read back", () => {
  test("every module with its host time, and the GPU time of the first layer", async () => {
    const original = await importDocument(document);
    const again = accepted(readModelExecution(bytesOf(JSON.stringify(modelExecution(executionRecordOf(original))))));
    expect(modulesOf(again)).toEqual(modulesOf(original));
    expect(gpuOfFirst(again)).toEqual([13_000, 13_000]);
    expect(gpuOfFirst(original)).toEqual([13_000, 13_000]);
    expect(again).toMatchObject({ device: "NVIDIA H100", totals: { kernels: 3, value: 14_000, moduleValue: 13_000 }, gaps: [{ reason: "outside any module", kernels: 1, value: 1_000 }] });
    expect(again.notes).toContain("Of 3 × Layer the file has the kernels of the first only: the GPU time of the other 2 is missing");
  });
  test("a layer with q, k and v: a run inside a run keeps the names of the first layer", async () => {
    const block = (n: number) => [module(`Block_${n}`, [100 * n, 100 * n + 90]), ...[0, 1, 2].flatMap((i) => [module(`Head_${3 * n + i}`, [100 * n + 10 + 20 * i, 100 * n + 25 + 20 * i]), module(`Linear_${3 * n + i}`, [100 * n + 11 + 20 * i, 100 * n + 24 + 20 * i])])];
    const original = await importDocument({ traceEvents: [...block(0), ...block(1), launch(1, [12, 13]), kernel(1, [12, 20])] });
    const again = accepted(readModelExecution(bytesOf(JSON.stringify(modelExecution(executionRecordOf(original))))));
    const times = new Map(modulesOf(original).map(([path, ns]) => [path, ns]));
    for (const [path, ns] of modulesOf(again)) expect([path, times.get(path)]).toEqual([path, ns]);
  });
});

test("kernels of many calls keep their number and the sum of their times", async () => {
  const calls = [0, 1, 2].flatMap((n) => [module("Net_0", [100 * n, 100 * n + 50]), op("aten::mm", [100 * n + 1, 100 * n + 9]), launch(n + 1, [100 * n + 2, 100 * n + 3]), kernel(n + 1, [100 * n + 10, 100 * n + 15])]);
  const written = modelExecution(executionRecordOf(await importDocument({ traceEvents: calls })));
  expect(written).toMatchObject({ iterations: 3, module_tree: { dur_us: 150, ops: [{ dur_us: 24, gpu_dur_us: 15, gpu_count: 3 }] } });
  expect(accepted(readModelExecution(bytesOf(JSON.stringify(written)))).totals).toEqual({ kernels: 3, value: 15_000, moduleValue: 15_000 });
});

test("a record without modules has no tree to write", async () => {
  expect(modelExecution(executionRecordOf(await importDocument({ traceEvents: [launch(1, [1, 2]), kernel(1, [3, 4])] })))).toBeUndefined();
});
