import { expect, test } from "vitest";
import { importDocument, importEvents, launch, module, op, python, samplesText } from "../trace-text.ts";

test("a trace without kernels: the self time of operators, whatever Python lies between them", async () => {
  const execution = await importEvents(
    module("Net_0", [0, 100]), op("aten::linear", [10, 50]), op("aten::t", [11, 14]), python("f.py(3): hook", [15, 40]), op("aten::addmm", [20, 35]), op("aten::add", [60, 65]), op("aten::zeros", [120, 121.5]),
    launch(9, [21, 22], "cudaMalloc"),
  );
  expect(execution.profileType).toBe("cpu_op");
  expect(samplesText(execution)).toEqual([
    "Net[0] > op:aten::linear | 22000 ns × 1 step 1", // 40 − 3 − 15
    "Net[0] > op:aten::linear > op:aten::t | 3000 ns × 1 step 1",
    "Net[0] > op:aten::linear > py:hook > op:aten::addmm | 15000 ns × 1 step 1",
    "Net[0] > op:aten::add | 5000 ns × 1 step 1",
    "op:aten::zeros | 1500 ns × 1",
  ]);
  expect(execution.totals).toEqual({ kernels: 5, value: 46_500, moduleValue: 45_000 });
  expect(execution.gaps).toEqual([{ reason: "outside any module", kernels: 1, value: 1500 }]);
});

test("self times of nested operators add up to the outermost operator's time", async () => {
  const inner = Array.from({ length: 40 }, (_, i) => op(`op${i}`, [i + 0.125, 200 - i * 1.5]));
  const { totals } = await importEvents(op("outer", [0, 200.25]), ...inner);
  expect(totals.value).toBe(200_250);
});

test("the device of a CPU trace is what the recorder wrote, else said to be unknown", async () => {
  const traceEvents = [op("aten::mm", [0, 1])];
  expect((await importDocument({ lamella_device: "CPU: AMD EPYC 7763", traceEvents })).device).toBe("CPU: AMD EPYC 7763");
  expect((await importDocument({ traceEvents })).device).toBe("CPU (the file does not name it)");
});
