// A large trace is linked stretch by stretch; the execution must be the one of the whole.
import { describe, expect, test } from "vitest";
import type { Execution } from "#core/trace/execution.ts";
import { importLargeTrace, importTrace } from "#core/trace/import-trace.ts";
import { QuietCuts } from "#core/trace/link/quiet-cuts.ts";
import { TraceReader } from "#core/trace/read/read-json.ts";
import { accumulation, annotation, arrow, bytesOf, gradient, kernel, launch, module, op, python, recorded, samplesText } from "../trace-text.ts";

type Events = ReturnType<typeof module>[];
const frameName = ({ path, className, modelName }: { path: string; className: string; modelName: string }) => `${className} ${path || modelName}`;

function cutsOf(events: Events, rowsMin = 1): number[] {
  let cuts!: QuietCuts;
  const reader = new TraceReader((event) => cuts.add(event));
  cuts = new QuietCuts(reader.texts, rowsMin);
  reader.push(bytesOf({ traceEvents: events }));
  reader.finish();
  return cuts.cuts().map(({ event }) => event);
}

// Times of a double are not exact here: as text.
const at = (micros: bigint, nanos: number, event: Events[number]): Events[number] => ({ ...event, ts: `${micros}.${nanos}` });
const timeless = ({ ts: _, ...event }: Events[number]): Events[number] => event;

const iteration = (at: number, id: number): Events => [
  annotation(`execute_context_0(0)_generation_${id}(${id})`, [at, at + 500]), module("Net_0", [at + 10, at + 100]), module(`Layer_${id % 3}`, [at + 20, at + 60]), recorded("aten::mm", [at + 21, at + 50], id),
  launch(id, [at + 22, at + 23]), kernel(id, [at + 600, at + 610 + id]), gradient("MmBackward0", [at + 200, at + 240], id), launch(1000 + id, [at + 210, at + 211], "cudaLaunchKernel", { tid: 9 }), kernel(1000 + id, [at + 700, at + 703]),
  accumulation([at + 240, at + 250]), python("train.py(3): log", [at + 300, at + 310]),
];

describe("places where a trace may be cut", () => {
  test("between iterations; the first event of each is a place, those inside are taken away by what reaches back", () => {
    expect(cutsOf([...iteration(0, 1), ...iteration(1000, 2), ...iteration(2000, 3)].filter((event) => Number((event["args"] as { correlation?: number }).correlation ?? 0) < 1000))).toEqual([0, 9, 18]);
  });
  test.each<[string, Events]>([
    ["a call around everything", [python("main", [0, 100]), op("a", [10, 20]), op("b", [30, 40])]],
    ["a kernel of an earlier launch", [launch(1, [0, 1]), op("a", [10, 20]), kernel(1, [50, 51])]],
    ["a backward operator of an earlier forward", [recorded("aten::mm", [0, 5], 3), op("a", [10, 20]), gradient("MmBackward0", [30, 40], 3)]],
    ["a call that comes late in the file", [op("a", [0, 5]), op("b", [10, 20]), python("early", [4, 30])]],
    ["a kernel without a time, of an earlier launch", [launch(1, [0, 1]), op("a", [10, 20]), timeless(kernel(1, [50, 51]))]],
    ["an arrow that starts before and ends after", [op("a", [0, 5]), ...arrow(7, 3, 15).slice(0, 1), op("b", [10, 20]), ...arrow(7, 3, 15).slice(1)]],
    ["an arrow at an operator before", [recorded("aten::mm", [0, 5], 3), op("a", [10, 20]), ...arrow(7, 2, 4)]],
    ["a gradient accumulated after a node before", [recorded("aten::mm", [0, 5], 3), gradient("MmBackward0", [6, 8], 3), op("a", [10, 20]), accumulation([30, 40])]],
    ["a call that lasts less than a double near the epoch tells", [at(1_700_000_000_000_000n, 120, op("a", [0, 0.12])), at(1_700_000_000_000_000n, 130, op("b", [0, 0.05]))]],
    ["a call with a negative duration, which lasts none", [{ ...op("a", [10, 10]), dur: -5 }, op("b", [7, 20])]],
  ])("not across %s", (_, events) => expect(cutsOf(events)).toEqual([0]));
});

test("none before the end of a graph's capture", () => {
  expect(cutsOf([launch(1, [0, 1], "hipStreamBeginCapture"), op("a", [10, 20]), launch(2, [30, 31], "hipStreamEndCapture"), op("b", [40, 50])])).toEqual([3]);
});

test("stretch by stretch or whole: the same execution", async () => {
  const events = Array.from({ length: 40 }, (_, i) => iteration(1000 * i, i + 1)).flat();
  const shifted = events.map((event) => ({ ...event, args: { ...(event["args"] as object), ...("correlation" in (event["args"] as object) ? { correlation: correlationOf(event) } : {}) } }));
  const bytes = bytesOf({ traceEvents: shifted, lamella_module_map: { "nn.Module: Layer_1": { path: "layers.1", class: "Layer" } }, lamella_model_name: "tiny" });
  const whole = await importTrace([bytes], { frameName });
  const parts = await importLargeTrace(() => [bytes], { frameName }, 30);
  expect(cutsOf(shifted, 30).length).toBeGreaterThan(8);
  expect(parts).toEqual(whole);
  expect((whole as { value: Execution }).value.totals).toMatchObject({ kernels: 80, moduleValue: (whole as { value: Execution }).value.totals.value });
});

// What only the whole file tells must not depend on where it is cut.
const forward = (i: number, more: Events = [], module_ = module("Net_0", [1000 * i + 1, 1000 * i + 50])): Events => [
  ...more, module_, launch(i + 10, [1000 * i + 5, 1000 * i + 6]), kernel(i + 10, [1000 * i + 60, 1000 * i + 1700], "gemm", { stream: i }),
];
const mark = (i: number, name: string, pid = 1): Events => [{ ...annotation(name, [1000 * i, 1000 * i + 90]), pid }];
const decode = "execute_context_0(0)_generation_1(1)";
const captured = (at: number, id: number) => ({ ...launch(id, [at, at + 1], "hipModuleLaunchKernel"), args: { correlation: id, kernel: "gemm" } });
test.each<[string, Events]>([
  ["kernels of several streams that overlap", [0, 1, 2, 3].flatMap((i) => forward(i))],
  ["annotations that are the only modules", [0, 1, 2].flatMap((i) => forward(i, [], annotation("layers.0.mlp", [1000 * i, 1000 * i + 50])))],
  ["engine marks around some forwards only", [0, 1, 2, 3].flatMap((i) => forward(i, i % 2 === 1 ? mark(i, decode) : []))],
  ["ProfilerSteps before engine marks", [0, 1, 2, 3].flatMap((i) => forward(i, mark(i, i < 2 ? `ProfilerStep#${i}` : decode)))],
  ["marks of another process", [0, 1, 2].flatMap((i) => forward(i, mark(i, `ProfilerStep#${i + 3}`, i === 0 ? 1 : 2)))],
  ["kernels from before the recording", [module("Net_0", [0, 5]), kernel(3, [1, 2]), ...forward(1)]],
  ["small times in front", [module("Net_0", [0, 5]), launch(1, [1, 2]), kernel(1, [3, 4]), ...[0, 1].flatMap((i) => forward(i).map((event) => ({ ...event, ts: 1.7e15 + Number(event["ts"]) })))]],
  ["a graph replayed later than captured, and earlier", [
    op("x", [0, 1]), launch(1, [10, 11], "hipGraphLaunch"), kernel(1, [20, 30]), launch(2, [90, 91], "hipStreamBeginCapture"), module("L_0", [100, 150]), captured(110, 3), launch(4, [160, 161], "hipStreamEndCapture"),
    module("L_0", [1000, 1050]), launch(5, [2000, 2001], "hipGraphLaunch"), kernel(5, [2010, 2020]), module("L_0", [3000, 3050]), launch(6, [3010, 3011]), kernel(6, [3020, 3021]),
  ]],
])("stretch by stretch or whole: %s", async (_, events) => {
  const bytes = bytesOf({ traceEvents: events });
  expect(cutsOf(events).length).toBeGreaterThan(1);
  expect(await importLargeTrace(() => [bytes], { frameName }, 1)).toEqual(await importTrace([bytes], { frameName }));
});

// What only a later stretch tells changes how an earlier one is linked: the file is read a third time, and the value is the one of the whole.
const own = { tid: 9 };
const twoThreads = (at: number, number: number): Events => [
  module("Left_0", [at, at + 50]), recorded("aten::mul", [at + 10, at + 20], number), module("Right_0", [at, at + 50], [], { tid: 2 }), recorded("aten::mul", [at + 10, at + 20], number, { tid: 2 }),
  gradient("MulBackward0", [at + 60, at + 80], number), launch(number, [at + 65, at + 66], "cudaLaunchKernel", own), kernel(number, [at + 90, at + 91]),
];
const inStream = (id: number, at: number, pid: number, device: number): Events => [launch(id, [at, at + 1], `launch${pid}`, { pid }), { ...kernel(id, [at + 5, at + 6], `on${device}`), pid: device, args: { correlation: id, device } }];
const learnedLate: [string, Events, samples: string[], paths: string[]][] = [
  ["a submodule called alone before the model calls it", [module("Block_0", [0, 10]), launch(1, [1, 2]), kernel(1, [3, 4]), module("Net_0", [100, 130]), module("Block_0", [110, 120]), launch(2, [111, 112]), kernel(2, [113, 115])],
    ["Block[0] > call:cudaLaunchKernel > gpu:gemm | 1000 ns × 1 step 1", "Net[0] > Block[0] > call:cudaLaunchKernel > gpu:gemm | 2000 ns × 1 step 1"], ["Net[0]", "Net[0].Block[0]"]],
  ["hooks that name a module only later", [module("Attention_3", [0, 10]), launch(1, [1, 2]), kernel(1, [3, 4]), module("Attention_3", [100, 120]), annotation("Module:net.attn", [101, 119]), launch(2, [110, 111]), kernel(2, [113, 115])],
    ["Attention net.attn > call:cudaLaunchKernel > gpu:gemm | 1000 ns × 1 step 1", "Attention net.attn > range:Module:net.attn > call:cudaLaunchKernel > gpu:gemm | 2000 ns × 1 step 2"], ["net.attn"]],
  ["an annotation that contradicts one before", [module("Net_0", [0, 10]), annotation("Module:a", [1, 9]), launch(1, [2, 3]), kernel(1, [3, 4]), module("Net_0", [100, 110]), annotation("Module:b", [101, 109])],
    ["Net[0] > range:Module:a > call:cudaLaunchKernel > gpu:gemm | 1000 ns × 1 step 1"], ["Net[0]"]],
  ["an arrow that tells two forward threads apart only later", [...twoThreads(0, 1), ...twoThreads(1000, 2), ...arrow(5, 1010, 1060, { fromThread: 2 })],
    [1, 2].map((step) => `Right[0] > op:autograd::engine::evaluate_function: MulBackward0 > call:cudaLaunchKernel > gpu:gemm | 1000 ns × 1 step ${step}`), ["Left[0]", "Right[0]"]],
  ["modules that come only after a backward pass without any", [gradient("MulBackward0", [0, 20], 5), launch(1, [5, 6], "cudaLaunchKernel", own), kernel(1, [9, 10]), annotation("layers.0.mlp", [100, 120])],
    ["op:autograd::engine::evaluate_function: MulBackward0 > call:cudaLaunchKernel > gpu:gemm | 1000 ns × 1"], ["layers.0.mlp"]],
  ["ids that tell only later whose launches a GPU runs", [...inStream(1, 0, 1, 0), ...inStream(1, 2, 2, 1), ...inStream(20, 100, 1, 0), ...inStream(30, 200, 2, 1)],
    ["call:launch1 > gpu:on0 | 2000 ns × 2", "call:launch2 > gpu:on1 | 2000 ns × 2"], []],
];
test.each(learnedLate)("known to the first stretch: %s", async (_, events, samples, paths) => {
  const bytes = bytesOf({ traceEvents: events });
  expect(cutsOf(events).length).toBeGreaterThan(1);
  const whole = await importTrace([bytes], { frameName });
  expect(await importLargeTrace(() => [bytes], { frameName }, 1)).toEqual(whole);
  const { value } = whole as { value: Execution };
  expect(samplesText(value)).toEqual(samples);
  expect(value.modules.map(({ frame }) => value.frames[frame]!.modulePath)).toEqual(paths);
});

test.each([["two where nothing is learned late", iteration(0, 1), 2], ["three where it is", learnedLate[0]![1], 3]] as const)("readings of the file: %s", async (_, events, readings) => {
  const bytes = bytesOf({ traceEvents: events });
  let opened = 0;
  await importLargeTrace(() => (opened++, [bytes]), { frameName }, 1);
  expect(opened).toBe(readings);
});

// Ids grow over the whole file, as the driver counts them: forward and backward launches of one iteration before those of the next.
function correlationOf(event: Events[number]): number {
  const id = (event["args"] as { correlation: number }).correlation;
  return id > 1000 ? (id - 1000) * 2 + 1 : id * 2;
}
