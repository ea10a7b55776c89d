import { describe, expect, test } from "vitest";
import { importDocument, importEvents, kernel, launch, module, samplesText } from "../trace-text.ts";

const layersOf = (execution: Awaited<ReturnType<typeof importEvents>>): [path: string, calls: number][] => execution.modules.map(({ frame, calls }) => [execution.frames[frame]!.modulePath, calls.gpuNs.length]);

describe("inferred paths", () => {
  test("instances of a class are counted under their caller, in order of first call", async () => {
    const execution = await importEvents(
      module("Net_0", [0, 100]), module("Block_4", [10, 40]), module("Linear_9", [12, 20]), module("Linear_7", [20, 30]), module("Block_2", [40, 80]), module("Linear_8", [42, 50]),
      launch(1, [43, 44]), kernel(1, [200, 201]),
    );
    expect(layersOf(execution)).toEqual([
      ["Net[0]", 1], ["Net[0].Block[0]", 1], ["Net[0].Block[0].Linear[0]", 1], ["Net[0].Block[0].Linear[1]", 1], ["Net[0].Block[1]", 1], ["Net[0].Block[1].Linear[0]", 1],
    ]);
    expect(execution.pathSource).toBe("inferred");
    expect(execution.frames.find((frame) => frame.modulePath === "Net[0].Block[1].Linear[0]")).toMatchObject({ kind: "layer", name: "Linear[0]", moduleClass: "Linear" });
  });
  test("the same instance called again is the same frame, in a second forward and within one", async () => {
    const execution = await importEvents(
      module("Net_0", [0, 30]), module("Act_0", [1, 5]), module("Act_0", [6, 9]), module("Net_0", [40, 70]), module("Act_0", [41, 45]), launch(1, [2, 3]), launch(2, [42, 43]), kernel(1, [80, 81]), kernel(2, [81, 83]),
    );
    expect(layersOf(execution)).toEqual([["Net[0]", 2], ["Net[0].Act[0]", 3]]);
    expect(execution.stacks).toHaveLength(1);
  });
  test("recomputation on the backward thread, with no module around it, is the module of the forward", async () => {
    const execution = await importEvents(
      module("Net_0", [0, 30]), module("Block_0", [1, 9]), module("Block_1", [10, 20]), module("Block_1", [40, 50], [], { tid: 2 }), launch(1, [42, 43], "cudaLaunchKernel", { tid: 2 }), kernel(1, [80, 81]),
    );
    expect(layersOf(execution)).toEqual([["Net[0]", 1], ["Net[0].Block[0]", 1], ["Net[0].Block[1]", 2]]);
    expect(samplesText(execution)[0]).toMatch(/^Block\[1\] > call/);
  });
  test("a class name may end in digits of its own", async () => {
    const execution = await importEvents(module("Conv2d_v2_13", [0, 9]), launch(1, [1, 2]), kernel(1, [3, 4]));
    expect(layersOf(execution)).toEqual([["Conv2d_v2[0]", 1]]);
  });
});

describe("recorded paths", () => {
  const events = [module("Net_0", [0, 100]), module("Block_0", [10, 40]), module("Linear_0", [12, 20]), module("Extra_0", [22, 30]), launch(1, [13, 14]), launch(2, [23, 24]), kernel(1, [200, 201]), kernel(2, [201, 203])];
  const map = {
    "nn.Module: Net_0": { path: "", class: "Net" }, "nn.Module: Block_0": { path: "layers.0", class: "Block" }, "nn.Module: Linear_0": { path: "layers.0.proj", class: "Linear", also: ["head"] },
  };
  const model = { lamella_model_name: "tiny", lamella_model_key: "0123456789abcdef0123456789abcdef" };
  test.each(["before", "behind"])("the recorder's map, %s the events", async (place) => {
    const kept = { ...model, lamella_module_map: map };
    const execution = await importDocument(place === "before" ? { ...kept, traceEvents: events } : { traceEvents: events, ...kept });
    expect(execution).toMatchObject({ pathSource: "recorded", modelName: "tiny", modelKey: model.lamella_model_key });
    expect(samplesText(execution)).toEqual([
      "Net tiny > Block layers.0 > Linear layers.0.proj > call:cudaLaunchKernel > gpu:gemm | 1000 ns × 1 step 1",
      "Net tiny > Block layers.0 > Extra[0] > call:cudaLaunchKernel > gpu:gemm | 2000 ns × 1 step 1",
    ]);
    expect(execution.notes).toContain("Modules missing in the recorder's module map, their paths inferred: 1");
  });
  test("entries of another form are left out, counted", async () => {
    const execution = await importDocument({ traceEvents: events, lamella_module_map: { ...map, "nn.Module: Extra_0": { path: 3 }, other: null } });
    expect(execution.notes).toContain("Unreadable entries of the recorder's module map: 2");
  });
  test("a recording of a later format is refused by name", async () => {
    await expect(importDocument({ lamella_format: 2, traceEvents: events })).rejects.toThrow("lamella_format 2");
  });
});

describe("paths over the bound, whose middle is left out", () => {
  const long = (letter: string): string => letter.repeat(6_000);
  const within = (middle: string, at: number, id: number) => [module(`${middle}_0`, [at, at + 40]), module(`${long("C")}_${id}`, [at + 1, at + 39])];
  test("modules that differ in the middle alone are one, and the report says so", async () => {
    const { notes, modules } = await importEvents(module(`${long("A")}_0`, [0, 200]), ...within(long("B"), 10, 0), ...within(long("D"), 60, 1), launch(1, [12, 13]), kernel(1, [300, 301]));
    expect(modules).toHaveLength(4);
    expect(notes).toContain("Modules whose path differs from another's only in the middle that is left out over 16,384 bytes, counted as one with it: 1");
  });
  test("modules that differ at an end stay apart, and one that is called again is itself", async () => {
    const call = (at: number) => [module(`${long("A")}_0`, [at, at + 90]), ...within(long("B"), at + 10, 0)];
    const { notes, modules } = await importEvents(...call(0), ...call(200), launch(1, [12, 13]), kernel(1, [300, 301]));
    expect(modules).toHaveLength(3);
    expect(notes.filter((note) => note.startsWith("Modules whose path differs"))).toEqual([]);
  });
  test.each([["differ in the middle alone", ["b", "d"], 1], ["are the same", ["b", "b"], 0]])("recorded paths that %s", async (_, middles, merged) => {
    const path = (middle: string): string => `${"a".repeat(9_000)}.${middle}.${"c".repeat(9_000)}`;
    const map = Object.fromEntries(middles.map((middle, i) => [`nn.Module: Linear_${i}`, { path: path(middle), class: "Linear" }]));
    const { notes } = await importDocument({ traceEvents: [module("Linear_0", [0, 10]), module("Linear_1", [20, 30]), launch(1, [2, 3]), kernel(1, [40, 41])], lamella_module_map: map });
    expect(notes.filter((note) => note.startsWith("Modules whose path differs"))).toHaveLength(merged);
  });
});
