import { expect, test } from "vitest";
import { readRocprof } from "#core/trace/rocprof/read-rocprof.ts";
import type { RocprofProcess, RocprofRecord } from "#core/trace/rocprof/rocprof-file.ts";
import { accepted, bytesOf, stackLines } from "../stacks-text.ts";

const frameName = ({ path }: { path: string }) => `layer ${path}`;
const read = (...processes: RocprofProcess[]) => readRocprof(bytesOf(JSON.stringify({ "rocprofiler-sdk-tool": processes })), { frameName });
const record = (correlation: number, [start, end]: [number, number], more: object = {}): RocprofRecord => ({ kind: 0, operation: 1, thread_id: 7, correlation_id: { internal: correlation }, start_timestamp: 1_000 + start, end_timestamp: 1_000 + end, ...more });
const dispatch = (correlation: number, span: [number, number], kernel: number, gpu = 2) => ({ ...record(correlation, span), dispatch_info: { agent_id: { handle: gpu }, kernel_id: kernel } });

const process: RocprofProcess = {
  metadata: { pid: 42 },
  agents: [{ id: { handle: 1 }, type: 1, product_name: "CPU" }, { id: { handle: 2 }, type: 2, name: "gfx950", product_name: "AMD Instinct MI350X" }],
  strings: { buffer_records: [{ kind: "HIP_RUNTIME_API", operations: ["hipMalloc", "hipLaunchKernel"] }, { kind: "MEMORY_COPY", operations: ["NONE", "HOST_TO_DEVICE"] }], marker_api: [{ key: 90, value: "step 3" }, { key: 91, value: "model.layers.0.mlp" }, { key: 92, value: "a mark" }] },
  kernel_symbols: [{ kernel_id: 0, formatted_kernel_name: "gemm<128>" }, { kernel_id: 1, kernel_name: "add.kd" }],
  buffer_records: {
    marker_api: [record(90, [0, 100]), record(91, [10, 50]), record(92, [20, 20])],
    hip_api: [record(1, [12, 14]), record(2, [60, 61])],
    memory_copy: [record(5, [70, 78], { kind: 1, bytes: 64 })],
    kernel_dispatch: [dispatch(1, [200, 260], 0), dispatch(2, [250, 280], 1), dispatch(3, [300, 305], 9)],
  },
};

test("kernels below thread, ranges at launch time and HIP call; a range named by a path is a layer", () => {
  const execution = accepted(read(process));
  expect(stackLines(execution)).toEqual([
    "native:thread 7 > nvtx:step 3 > layer:layer model.layers.0.mlp > gpu_api:hipLaunchKernel > gpu_kernel:gemm<128> | 60 × 1",
    "native:thread 7 > nvtx:step 3 > gpu_api:hipLaunchKernel > gpu_kernel:add.kd | 30 × 1",
    "native:thread 7 > gpu_api:(launch not recorded) > gpu_kernel:kernel 9 | 5 × 1",
  ]);
  expect(execution).toMatchObject({
    profileType: "cuda", device: "AMD Instinct MI350X", gpuNames: ["AMD Instinct MI350X"], pathSource: "recorded", durationNs: 305,
    busyNs: 85, // 200–280 and 300–305
    devices: [{ device: 2, name: "AMD Instinct MI350X", streams: 1, kernels: 3, value: 95, busyNs: 85 }], copies: [{ kind: "HOST_TO_DEVICE", count: 1, durationNs: 8, bytes: 64 }],
    totals: { kernels: 3, value: 95, moduleValue: 60 },
    gaps: [{ reason: "launch not recorded", kernels: 1, value: 5 }, { reason: "outside any module", kernels: 1, value: 30 }],
    found: { launches: 2, copies: 1, copyNs: 8 },
    modules: [{ parent: -1, depth: 0, calls: { gpuNs: [60], cpuNs: [40], step: [0] } }],
  });
  expect(execution.kernelUses.map(({ kernel, value, module }) => [kernel, value, module >= 0])).toEqual([["gemm<128>", 60, true], ["add.kd", 30, false], ["kernel 9", 5, false]]);
  expect(execution.notes).toContain("Kernels the file has no name for, shown by their id: 1");
});

test("without HIP calls kernels stand below the thread that dispatched them, and the report says what to switch on", () => {
  const { notes, gaps } = accepted(read({ ...process, buffer_records: { kernel_dispatch: [dispatch(1, [0, 9], 0)] } }));
  expect(gaps).toEqual([{ reason: "launch not recorded", kernels: 1, value: 9 }]);
  expect(notes.join("\n")).toMatch(/record with --hip-trace[\s\S]*--marker-trace/);
});

test("several processes of one file keep their threads and ids apart", () => {
  const other = { ...process, metadata: { pid: 43 }, buffer_records: { ...process.buffer_records, marker_api: [], kernel_dispatch: [dispatch(1, [400, 410], 0)] } };
  expect(stackLines(accepted(read(process, other)))).toContain("native:thread 7 > gpu_api:hipLaunchKernel > gpu_kernel:gemm<128> | 10 × 1");
});

test.each([
  ["no dispatches", JSON.stringify({ "rocprofiler-sdk-tool": [{ buffer_records: {} }] }), "without kernel dispatches"],
  ["half a file", '{"rocprofiler-sdk-tool":[{"buffer_records":{"kernel_dispatch":[', "cannot be parsed as JSON"],
  ["another shape", '{"rocprofiler-sdk-tool":{"buffer_records":7}}', "without kernel dispatches"],
])("%s: refused", (_, text, reason) => {
  expect(readRocprof(bytesOf(text), { frameName })).toMatchObject({ ok: false, error: { reason: expect.stringContaining(reason) } });
});
