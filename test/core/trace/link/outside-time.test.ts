// What lies in no module, by when it ran: before the first module call, between calls, after the last. Whole and in stretches alike.
import { expect, test } from "vitest";
import { executionRecordOf } from "#core/trace/execution-record.ts";
import type { Execution } from "#core/trace/execution.ts";
import { outsideOperators } from "#core/trace/outside-operators.ts";
import { importEvents, kernel, launch, module, op } from "../trace-text.ts";

const outside = ({ operations }: Execution) => operations.filter((one) => one.module < 0).map(({ op: name, calls, outside: when }) => `${name} ×${calls} ${when ?? "?"}`).sort();
const launched = (id: number, at: number) => [launch(id, [at + 1, at + 2]), kernel(id, [at + 3, at + 5], "k")];
const model = (at: number) => [module("Net_0", [at, at + 10]), op("aten::mm", [at + 1, at + 9]), ...launched(at, at + 1)];

test("operators and their kernels stand where they ran against the model's calls", async () => {
  const execution = await importEvents(op("copy", [0, 8]), ...launched(1, 0), ...model(20), op("copy", [40, 48]), ...launched(40, 40), ...model(60), op("copy", [80, 88]), ...launched(80, 80), op("item", [90, 95]));
  expect(outside(execution)).toEqual(["copy ×1 after", "copy ×1 before", "copy ×1 between", "item ×1 after"]);
  expect(execution.kernelUses.filter((use) => use.module < 0).map(({ op: name, count, outside: when }) => [name, count, when])).toEqual([["copy", 1, "before"], ["copy", 1, "between"], ["copy", 1, "after"]]);
  const record = executionRecordOf(execution);
  expect(new Map([...outsideOperators(record)].map(([place, ops]) => [place, ops.map(({ op: name, value, calls }) => [name, value, calls])]))).toEqual(
    new Map([["after", [["copy", 2000, 1], ["item", 0, 1]]], ["before", [["copy", 2000, 1]]], ["between", [["copy", 2000, 1]]]]),
  );
});

test("an operator that overlaps nothing of the model on another thread is placed by its own time", async () => {
  const execution = await importEvents(...model(20), op("load", [22, 30], { tid: 5 }), ...model(60));
  expect(outside(execution)).toEqual(["load ×1 between"]);
});

test("a file without modules has nothing to be before or after, and one that replays graphs does not say", async () => {
  expect(outside(await importEvents(op("a", [0, 5]), op("a", [10, 15])))).toEqual(["a ×2 ?"]);
  const replayed = await importEvents(op("a", [0, 5]), ...model(20), op("a", [40, 45]), launch(99, [50, 52], "cudaGraphLaunch"), kernel(99, [55, 60], "g"));
  expect(outside(replayed)).toEqual(["a ×2 ?"]);
  const record = executionRecordOf(replayed);
  expect([record.operations.outside, record.kernels.outside]).toEqual([undefined, undefined]);
});
