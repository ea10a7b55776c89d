import { describe, expect, test } from "vitest";
import { executionRecordBytes, executionRecordOf } from "#core/trace/execution-record.ts";
import { executionRecord } from "#schema/api/execution-record.ts";
import { limits } from "#schema/limits.ts";
import { annotation, captureOf, importDocument, importEvents, kernel, launch, module, op } from "./trace-text.ts";

const withDims = (event: object, dims: unknown, types: unknown) => ({ ...event, args: { "Input Dims": dims, "Input type": types } });
const layer = (i: number, at: number, us: number) => [
  module(`Layer_${i}`, [at, at + 20]), withDims(op("aten::mm", [at + 2, at + 10]), [[1, 64], [64, 64]], ["c10::Half", "c10::Half"]), launch(at, [at + 3, at + 4]),
  kernel(at, [1000 + 100 * at, 1000 + 100 * at + us], "gemm", { grid: [8, 1, 1], block: [128, 1, 1] }),
];

describe("the execution record", () => {
  test("is what the contract says, and has every module with its calls, the slowest named", async () => {
    const record = executionRecordOf(await importEvents(module("Net_0", [0, 100]), ...layer(0, 10, 5), ...layer(1, 40, 7), module("Net_0", [200, 300]), ...layer(0, 210, 9), ...layer(1, 240, 3)));
    expect(executionRecord.parse(record)).toEqual(record);
    const { modules, texts, kernels } = record;
    expect(modules.name.map((id) => texts[id])).toEqual(["Net[0]", "Layer[0]", "Layer[1]"]);
    expect(modules.parent).toEqual([-1, 0, 0]);
    expect(modules).toMatchObject({ calls: [2, 2, 2], kernels: [4, 2, 2], value: [24_000, 14_000, 10_000], gpu: { min: [12_000, 5000, 3000], median: [12_000, 7000, 5000], max: [12_000, 9000, 7000], slowest: [1, 2, 1] } });
    expect(modules.cpu).toMatchObject({ total: [200_000, 40_000, 40_000], min: [100_000, 20_000, 20_000] });
    const use = (row: number) => [kernels.module[row], ...[kernels.op, kernels.kernel, kernels.category, kernels.grid, kernels.block, kernels.dims, kernels.dtypes].map((column) => texts[column[row]!]), kernels.count[row], kernels.value[row]];
    expect(use(0)).toEqual([1, "aten::mm", "gemm", "GEMM", "[8,1,1]", "[128,1,1]", "[[1,64],[64,64]]", '["c10::Half","c10::Half"]', 2, 14_000]);
    expect(record.categories).toEqual([{ category: "GEMM", kernels: 4, value: 24_000 }]);
    expect(record.totals).toEqual({ kernels: 4, value: 24_000, moduleValue: 24_000, busyNs: 24_000 });
  });
  test("operators and kernels below no module are there too; sums equal the totals", async () => {
    const record = executionRecordOf(await importEvents(module("Net_0", [0, 100]), ...layer(0, 10, 5), op("aten::add", [200, 210]), launch(2, [201, 202]), kernel(2, [9000, 9004], "add"), kernel(1, [9010, 9011], "lost")));
    expect(record.kernels.value.reduce((a, b) => a + b)).toBe(record.totals.value);
    expect(record.operations.module.map((row, i) => [row, record.texts[record.operations.op[i]!]])).toEqual([[-1, "aten::add"], [1, "aten::mm"]]);
  });
  test("a replay is one call of each module it was captured from, without a time on the host", async () => {
    const named = (at: number, kernelName: string) => ({ ...launch(at, [at, at + 1], "hipModuleLaunchKernel"), args: { correlation: at, kernel: kernelName } });
    const captures = await captureOf(launch(1, [1, 2], "hipStreamBeginCapture"), module("Net_0", [3, 50]), module("Layer_0", [10, 20]), named(12, "gemm"), named(30, "add"), launch(90, [90, 91], "hipStreamEndCapture"));
    const replay = (at: number) => [launch(at, [at, at + 1], "hipGraphLaunch"), kernel(at, [at + 10, at + 12], "gemm"), kernel(at, [at + 12, at + 13], "add")];
    const record = executionRecordOf(await importDocument({ traceEvents: [...replay(1000), ...replay(2000)] }, { captures }));
    expect(record.modules.name.map((id) => record.texts[id])).toEqual(["Net[0]", "Layer[0]"]);
    expect(record.modules).toMatchObject({ parent: [-1, 0], calls: [2, 2], value: [6000, 4000], gpu: { median: [3000, 2000] }, cpu: { median: [0, 0], slowest: [0, 0] } });
  });
});

test("more steps than a record has room for: those that took longest stay, the rest is counted", async () => {
  const events = Array.from({ length: 6000 }, (_, i) => [annotation(`ProfilerStep#${i + 1}`, [100 * i, 100 * i + 90]), launch(i + 1, [100 * i + 1, 100 * i + 2]), kernel(i + 1, [100 * i + 5, 100 * i + 6 + (i === 5999 ? 1 : 0)])]).flat();
  const bytes = executionRecordBytes(await importEvents(...events));
  expect(bytes.length).toBeLessThanOrEqual(limits.executionDigestBytesMax);
  const { steps, notes } = JSON.parse(new TextDecoder().decode(bytes));
  expect(steps).toHaveLength(3000);
  expect(steps.at(-1)).toMatchObject({ number: 6000, value: 2000 });
  expect(notes).toContain("Steps without room in the record, those whose kernels took least: 3,000");
});

test("a whole number beyond 2^53 in the recorder's forward analysis", async () => {
  const execution = await importDocument('{"lamella_forward": {"big": 12345678901234567890}, "traceEvents": [{"ph": "X", "cat": "cpu_op", "name": "a", "pid": 1, "tid": 1, "ts": 1, "dur": 1}]}');
  expect(JSON.parse(new TextDecoder().decode(executionRecordBytes(execution))).forward).toEqual({ big: 12345678901234567000 });
});

test("a record that would be too large leaves out the shortest, counted", async () => {
  const events = Array.from({ length: 400 }, (_, i) => kernel(1, [i, i + 1], `${"k".repeat(8000)}${i}`));
  const bytes = executionRecordBytes(await importEvents(launch(1, [0, 1]), ...events));
  expect(bytes.length).toBeLessThanOrEqual(limits.executionDigestBytesMax);
  const { kernels, kernelsLeftOut, totals } = JSON.parse(new TextDecoder().decode(bytes));
  expect(kernels.value.length + kernelsLeftOut).toBe(400);
  expect(kernels.value.length).toBeGreaterThan(50);
  expect(totals.kernels).toBe(400);
});
