import { describe, expect, test } from "vitest";
import { executionRecordOf } from "#core/trace/execution-record.ts";
import { growthOf, growthText, mergeRequests } from "#core/trace/merge-requests.ts";
import { importDocument, kernel, launch, module } from "./trace-text.ts";

// One prefill and one decode step; times in µs.
async function request(label: string, inputTokens: number, attention: number, norm: number, extra: ReturnType<typeof module>[] = []) {
  const step = (at: number, id: number, us: [number, number]) => [
    module("Net_0", [at, at + 100]), module("Attention_0", [at + 10, at + 30]), launch(id, [at + 11, at + 12]), kernel(id, [at + 1000, at + 1000 + us[0]]), module("Norm_0", [at + 40, at + 50]), launch(id + 1, [at + 41, at + 42]), kernel(id + 1, [at + 3000, at + 3000 + us[1]]),
  ];
  return executionRecordOf(await importDocument({ lamella_request: { label, input_tokens: inputTokens, output_tokens: 2, latency_ns: 5_000_000 }, traceEvents: [...step(0, 1, [attention, norm]), ...step(10_000, 11, [3, 7]), ...extra] }));
}

test("one tree, a column per request: values, ratio, and what grows with the input", async () => {
  const merged = mergeRequests([await request("Fast", 100, 10, 7), await request("Typical", 200, 40, 7), await request("Slow", 400, 160, 7, [module("Extra_0", [90_000, 90_010])])], ["a", "b", "c"]);
  const { modules, texts, requests } = merged;
  expect(requests.map(({ label, inputTokens, latencyNs }) => [label, inputTokens, latencyNs])).toEqual([["Fast", 100, 5_000_000], ["Typical", 200, 5_000_000], ["Slow", 400, 5_000_000]]);
  expect(modules.path.map((id) => texts[id])).toEqual(["Net[0]", "Net[0].Attention[0]", "Net[0].Norm[0]", "Extra[0]"]);
  expect(modules.parent).toEqual([-1, 0, 0, -1]);
  expect(modules.value).toEqual([[27_000, 57_000, 177_000], [13_000, 43_000, 163_000], [14_000, 14_000, 14_000], [null, null, 0]]);
  expect(modules.longest[1]).toEqual([10_000, 40_000, 160_000]);
  expect(modules.ratio.map((ratio) => ratio && Number(ratio.toFixed(3)))).toEqual([6.556, 12.538, 1, null]);
  expect(modules.growth[1]).toBeCloseTo(2, 9);
  expect(modules.growth[2]).toBeCloseTo(0, 9);
  expect(modules.growth[3]).toBeNull();
});

describe("growth", () => {
  test.each([[[100, 200, 400], [10, 20, 40], 1], [[100, 200], [5, 5], 0], [[10, 1000], [1, 1000], 1.5]])("tokens %j, times %j: exponent %d", (tokens, times, exponent) => expect(growthOf(tokens, times)).toBeCloseTo(exponent, 9));
  test.each([[[100, 100], [1, 2]], [[100, 200], [0, 2]], [[0, 200], [1, 2]], [[100, 200], [null, 2]]])("tokens %j, times %j: none to read off", (tokens, times) => expect(growthOf(tokens, times)).toBeNull());
  test.each([[0.1, "the same whatever the input"], [0.5, "grows slower than the input"], [1, "scales with the input"], [2, "grows faster than the input"], [null, ""]])("%d is said: %s", (growth, text) => expect(growthText(growth)).toBe(text));
});
