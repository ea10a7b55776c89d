// Lines of panels from answers of the API, and the words beside them.
import { expect, test } from "vitest";
import type { EngineSteps, MetricSeries } from "#schema/api/metrics.ts";
import { axisText, metricText } from "#dashboard/pages/metrics/metric-text.ts";
import { panelData, stepGrid, type Answers } from "#dashboard/pages/metrics/panel-lines.ts";
import { askedFor, panels, type PanelSpec } from "#dashboard/pages/metrics/panels.ts";
import { whyMissing } from "#dashboard/pages/metrics/why-missing.ts";

const panel = (name: string): PanelSpec => panels.find((one) => one.name === name)!;
const engine = (name: string, steps: Partial<EngineSteps["steps"]> & { t: number[] }, more: Partial<EngineSteps> = {}): EngineSteps => ({ engine: name, since: "point", series: 1, estimate: null, steps: { points: steps.t.map(() => 1), ...steps }, ...more });
const answers = (all: Record<string, EngineSteps[]>): Answers => new Map(Object.entries(all).map(([metric, engines]) => [metric, { metric, engines, stepS: 60 } as unknown as MetricSeries]));
const drawn = (name: string, all: Record<string, EngineSteps[]>) => panelData(panel(name), answers(all), [0, 60, 120]);

test("a step without a point is a gap; of several engines each has its lines", () => {
  const { lines } = drawn("queue", { requests_running: [engine("sglang", { t: [60], avg: [3] }), engine("vllm", { t: [0, 120], avg: [1, 2] })], requests_waiting: [engine("vllm", { t: [120], avg: [0] })] });
  expect(lines.map(({ label, values }) => [label, values])).toEqual([["sglang running", [null, 3, null]], ["vllm running", [1, null, 2]], ["vllm waiting", [null, null, 0]]]);
});

test("a hit rate is hits by lookups of the same step, or as the engine averages it", () => {
  const { lines } = drawn("prefix", { prefix_cache_hits: [engine("vllm", { t: [0, 60, 120], increase: [5, 0, 4] })], prefix_cache_queries: [engine("vllm", { t: [0, 60], increase: [10, 0] })], prefix_cache_hit_ratio: [engine("sglang", { t: [60], avg: [0.25] })] });
  expect(lines.map(({ label, values }) => [label, values])).toEqual([["sglang hits", [null, 0.25, null]], ["vllm hits", [0.5, null, null]]]);
});

test("tokens that are not counted are as the engine averages them; a single dump has no rate and says so", () => {
  const { lines, notes } = drawn("tokens", { prompt_tokens: [engine("vllm", { t: [0], increase: [900] }, { since: "start" })], generation_tokens: [engine("vllm", { t: [60], increase: [600], rate: [10] })], prompt_tokens_per_second: [engine("old", { t: [0], avg: [7] })] });
  expect(lines.map(({ label, values }) => [label, values])).toEqual([["old in", [7, null, null]], ["vllm out", [null, 10, null]]]);
  expect(notes).toEqual(["vllm: nothing but one dump lies in this range, so its counts are since the engine started and have no rate"]);
});

test("quantiles from buckets are marked, and those that lie above the last bucket too", () => {
  const { lines } = drawn("ttft", { ttft_seconds: [engine("vllm", { t: [0, 60], p50: [0.2, 0.3], p95: [0.9, 2], p99: [2, 2], bound: [2, 2] }, { estimate: "buckets" })] });
  expect(lines.map(({ label, estimate, above }) => [label, estimate, above])).toEqual([["p50", "buckets", [false, false, false]], ["p95", "buckets", [false, true, false]], ["p99", "buckets", [true, true, false]]]);
  expect([metricText(0.2, "seconds", true), metricText(2, "seconds", true, true), metricText(0.256, "ratio"), metricText(null, "ratio"), metricText(1234.5, "tokens/s"), metricText(0, "seconds")]).toEqual(["≈ 200 ms", "> 2 s", "25.6 %", "—", "1,235", "0"]);
  expect([axisText(0.25, "seconds"), axisText(2.5, "seconds"), axisText(0.5, "ratio"), axisText(12_500, "tokens/s")]).toEqual(["250 ms", "2.5 s", "50 %", "12.5k"]);
});

test("the grid has every step of the range, from the one that holds its start", () => {
  expect(stepGrid(70, 240, 60)).toEqual([60, 120, 180]);
  expect(stepGrid(60, 70, 60)).toEqual([60]);
});

test("each metric is asked for once, and a panel without one says who would report it", () => {
  const asked = askedFor(panels);
  expect(new Set(asked.map(({ metric, reason }) => `${metric} ${reason}`)).size).toBe(asked.length);
  expect(asked.filter(({ metric }) => metric === "requests_finished").map(({ reason }) => reason)).toEqual([undefined, "stop", "length", "abort", "error"]);
  expect(whyMissing(panel("preemptions"), ["vllm"], false)).toBe("No engine reported it in this range. vllm calls it num_preemptions: an older or newer version may not have it, or nothing happened yet.");
  expect(whyMissing(panel("preemptions"), ["triton"], true)).toContain("No engine of this selection reports it. Those that do: vllm (num_preemptions), sglang (num_retracted_requests). Triton passes on what its vLLM backend measures only with REPORT_CUSTOM_METRICS");
});
