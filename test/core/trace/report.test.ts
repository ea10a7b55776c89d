import { expect, test } from "vitest";
import { headline, reportLines } from "#core/trace/report.ts";
import { missingParts } from "#core/trace/missing-parts.ts";
import { importDocument, kernel, launch, module, op, python } from "./trace-text.ts";

const base = { baseTimeNanoseconds: 1_750_000_000_000_000_000, deviceProperties: [{ id: 0, name: "NVIDIA H100 80GB HBM3" }] };
const forward = [module("Net_0", [0, 100]), op("aten::mm", [10, 40]), launch(510, [11, 12]), kernel(510, [60, 1560]), kernel(420, [0, 500])];

test("the headline says how much there is, how much lies in modules, and where the rest is", async () => {
  expect(headline(await importDocument({ ...base, traceEvents: forward }))).toBe(
    "2 kernels · 2.00 ms GPU time · 1.50 ms (75.0 %) inside modules · 1 kernel (0.50 ms) launched before capture",
  );
});

test("the report names the device, the gaps with their shares, and what is missing", async () => {
  const lines = reportLines(await importDocument({ ...base, traceEvents: forward }));
  expect(lines[0]).toBe("NVIDIA H100 80GB HBM3 · recorded 2025-06-15 15:06:40 UTC · 1.56 ms · 5 events");
  expect(lines).toContainEqual(expect.stringMatching(/^not in a module: 1 kernel \(0\.50 ms\) launched before capture \(25\.0 %\): .*synchronize/));
  expect(lines).toContainEqual(expect.stringMatching(/^missing: module paths .*no jump to the model's structure.*lamella\.record/));
});

test.each([
  ["with_stack was off", [op("aten::mm", [0, 9]), launch(1, [1, 2]), kernel(1, [3, 4])], "modules (with_stack was off)", { with_stack: 0 }],
  ["no Python calls", [op("aten::mm", [0, 9]), launch(1, [1, 2]), kernel(1, [3, 4])], "modules (the file holds no Python calls)"],
  ["no module was called", [python("m.py(1): main", [0, 9]), launch(1, [1, 2]), kernel(1, [3, 4])], "modules (Python calls were recorded, but no nn.Module was called among them)"],
  ["no launch calls", [op("aten::mm", [0, 9]), kernel(1, [3, 4])], "launch calls"],
  ["no kernels", [op("aten::mm", [0, 9])], "GPU kernels"],
  ["no operators", [launch(1, [1, 2]), kernel(1, [3, 4])], "operators"],
  ["no device name", [launch(1, [1, 2]), kernel(1, [3, 4])], "the GPU's name"],
])("%s: said, with what to switch on", async (_, traceEvents, what, metadata?: object) => {
  expect(missingParts(await importDocument({ ...metadata, traceEvents }))).toContainEqual({ what, disables: expect.any(String), remedy: expect.any(String) });
});

test("nothing of a file steers the terminal", async () => {
  const evil = { ...base, deviceProperties: [{ id: 0, name: "\u001b[2J\u202eH100\r\n" }], traceEvents: forward };
  for (const line of reportLines(await importDocument(evil))) expect(line).not.toMatch(/[\p{Cc}\u202e]/u);
});
