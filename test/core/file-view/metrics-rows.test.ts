import { expect, test } from "vitest";
import { metricRows } from "#core/file-view/metrics-rows.ts";
import { readMetricsFile } from "#core/workload/timeseries/read-metrics-file.ts";

const dump = (text: string) => readMetricsFile(new TextEncoder().encode(text))!.readings;

test("gauges, counters and distributions of a dump, ours by name; buckets are counted", () => {
  const { rows, notListed } = metricRows(dump(`# TYPE vllm:num_requests_running gauge
vllm:num_requests_running{model_name="m",engine="0"} 3
# TYPE vllm:prompt_tokens_total counter
vllm:prompt_tokens_total{model_name="m",engine="0"} 1200
# TYPE vllm:time_to_first_token_seconds histogram
vllm:time_to_first_token_seconds_bucket{model_name="m",le="0.5"} 3
vllm:time_to_first_token_seconds_bucket{model_name="m",le="+Inf"} 4
vllm:time_to_first_token_seconds_sum{model_name="m"} 2.0
vllm:time_to_first_token_seconds_count{model_name="m"} 4
`));
  expect(rows.map(({ metric, kind, unit, value, count, engine, modelName }) => [metric, kind, unit, value, count, engine, modelName])).toEqual([
    ["prompt_tokens", "counter", "tokens", 1200, null, "vllm", "m"],
    ["requests_running", "gauge", "requests", 3, null, "vllm", "m"],
    ["ttft_seconds", "distribution", "seconds", 0.5, 4, "vllm", "m"],
  ]);
  expect(notListed).toBe(2);
  expect(rows[2]!.title).toContain("TTFT");
});

test("of several readings a counter says how far it moved, a gauge does not", () => {
  const at = (second: number, tokens: number, running: number) => `vllm:prompt_tokens_total{model_name="m"} ${tokens} ${second}000\nvllm:num_requests_running{model_name="m"} ${running} ${second}000\n`;
  const { rows } = metricRows(dump(`# TYPE vllm:prompt_tokens_total counter\n${at(1_764_000_000, 100, 1)}${at(1_764_000_060, 700, 5)}`));
  expect(rows.map(({ metric, value, change }) => [metric, value, change])).toEqual([["prompt_tokens", 700, 600], ["requests_running", 5, null]]);
});

test("a distribution that saw nothing has no mean", () => {
  const { rows } = metricRows(dump('# TYPE vllm:e2e_request_latency_seconds histogram\nvllm:e2e_request_latency_seconds_sum{model_name="m"} 0\nvllm:e2e_request_latency_seconds_count{model_name="m"} 0\n'));
  expect(rows).toMatchObject([{ metric: "e2e_seconds", value: null, count: 0 }]);
});
