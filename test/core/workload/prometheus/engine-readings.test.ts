// Dumps → what is stored of them. Each line of an expectation: metric{labels} value engine/model, with + for what counts up.
import { describe, expect, test } from "vitest";
import { engineNames, engines } from "#core/workload/prometheus/engine-names.ts";
import { engineReadings } from "#core/workload/prometheus/engine-readings.ts";
import { isPrometheusText } from "#core/workload/prometheus/is-prometheus-text.ts";
import { storedName } from "#core/workload/prometheus/stored-name.ts";
import { engineMetrics } from "#schema/engine-metrics.ts";

const read = (text: string) => {
  const { readings, notes, ownNames, times } = engineReadings(text);
  return { lines: readings.flatMap(({ samples }) => samples.map(({ metric, cumulative, engine, modelName, labels, value }) => `${cumulative ? "+" : ""}${metric}{${labels}} ${value} ${engine}/${modelName}`)), notes, ownNames, times, readings };
};

describe("one meaning, one name", () => {
  test.each([
    ['vllm:num_requests_waiting{model_name="m",engine="0"} 2', "requests_waiting{engine=0} 2 vllm/m"],
    ["vllm_num_requests_waiting 2", "requests_waiting{} 2 vllm/"], // as a collector renames it
    ['vllm:kv_cache_usage_perc{model_name="m"} 0.5', "kv_cache_usage_ratio{} 0.5 vllm/m"],
    ['vllm:gpu_cache_usage_perc{model_name="m"} 0.5', "kv_cache_usage_ratio{} 0.5 vllm/m"],
    ["vllm:prompt_tokens_total 10", "+prompt_tokens{} 10 vllm/"],
    ["vllm:gpu_prefix_cache_queries_total 10", "+prefix_cache_queries{} 10 vllm/"],
    ['vllm:request_success_total{finished_reason="stop"} 3', "+requests_finished{finished_reason=stop} 3 vllm/"],
    ["# TYPE vllm:scheduler_total_time gauge\nvllm:scheduler_total_time 1.5", "+scheduler_time_seconds{} 1.5 vllm/"],
    ['vllm:time_per_output_token_seconds_bucket{le="0.05"} 3', "+itl_seconds_bucket{le=0.05} 3 vllm/"],
    ['vllm:request_time_per_output_token_seconds_bucket{le="0.05"} 3', "+tpot_seconds_bucket{le=0.05} 3 vllm/"],
    ['vllm:iteration_tokens_total_bucket{le="8.0"} 3', "+iteration_tokens_bucket{le=8} 3 vllm/"], // a histogram in spite of its ending
    ["sglang:num_queue_reqs 7", "requests_waiting{} 7 sglang/"],
    ["sglang:token_usage 0.28", "kv_cache_usage_ratio{} 0.28 sglang/"],
    ["sglang:num_requests_total 7", "+requests_finished{} 7 sglang/"],
    ['nv_inference_request_duration_us{model="m",version="1"} 2500000', "+request_time_seconds{version=1} 2.5 triton/m"],
    ['# TYPE nv_inference_request_success counter\nnv_inference_request_success{model="m"} 4', "+requests_finished{} 4 triton/m"],
    ['nv_inference_pending_request_count{model="m"} 4', "requests_waiting{} 4 triton/m"], // ends in _count and is a level
    ['nv_trt_llm_request_metrics{request_type="scheduled",model="m"} 4', "requests_running{request_type=scheduled} 4 triton/m"],
    ['nv_trt_llm_kv_cache_block_metrics{kv_cache_block_type="fraction"} 0.25', "kv_cache_usage_ratio{kv_cache_block_type=fraction} 0.25 triton/"],
    ["trtllm_kv_cache_utilization 0.62", "kv_cache_usage_ratio{} 0.62 tensorrt-llm/"],
    ['trtllm_time_per_output_token_seconds_bucket{le="0.1"} 1', "+tpot_seconds_bucket{le=0.1} 1 tensorrt-llm/"],
    ['dynamo_frontend_queued_requests{model="m"} 4', "requests_waiting{} 4 dynamo/m"],
    ['dynamo_frontend_request_duration_seconds_bucket{model="m",le="+Inf"} 4', "+e2e_seconds_bucket{le=+Inf} 4 dynamo/m"],
  ])("%s", (text, expected) => expect(read(text)).toMatchObject({ lines: [expected], ownNames: [], notes: [] }));

  test("a histogram in milliseconds: bounds and sum are converted, counts are not", () => {
    const text = 'nv_inference_first_response_histogram_ms{le="100"} 8\nnv_inference_first_response_histogram_ms{le="+Inf"} 37\nnv_inference_first_response_histogram_ms_sum 10771\nnv_inference_first_response_histogram_ms_count 37';
    expect(read(text).lines).toEqual(["+ttft_seconds_bucket{le=0.1} 8 triton/", "+ttft_seconds_bucket{le=+Inf} 37 triton/", "+ttft_seconds_sum{} 10.771 triton/", "+ttft_seconds_count{} 37 triton/"]);
  });

  test("waiting by reason is a breakdown: it stays apart from the requests waiting", () => {
    expect(read('vllm:num_requests_waiting 5\nvllm:num_requests_waiting_by_reason{reason="capacity"} 3\nvllm:num_requests_waiting_by_reason{reason="deferred"} 2').lines).toEqual([
      "requests_waiting{} 5 vllm/", "requests_waiting_by_reason{reason=capacity} 3 vllm/", "requests_waiting_by_reason{reason=deferred} 2 vllm/",
    ]);
  });

  test("where a version writes both names the newer counts, in either order, and the older keeps its own", () => {
    for (const lines of [["vllm:gpu_cache_usage_perc 0.4", "vllm:kv_cache_usage_perc 0.4"], ["vllm:kv_cache_usage_perc 0.4", "vllm:gpu_cache_usage_perc 0.4"]]) {
      const { lines: found, notes } = read(lines.join("\n"));
      expect(found.sort()).toEqual(["kv_cache_usage_ratio{} 0.4 vllm/", "vllm:gpu_cache_usage_perc{} 0.4 vllm/"]);
      expect(notes).toEqual([`Series under an older name of kv_cache_usage_ratio beside the newer one, kept under their own name: 1, the first in line ${lines[0]!.includes("gpu") ? 1 : 2}`]);
    }
  });

  test("every name of ours has a name of an engine, or is read from nvidia-smi or a log", () => {
    const read = new Set(engineNames.flatMap((engine) => Object.keys(engines[engine].names)));
    expect(Object.keys(engineMetrics).filter((name) => !read.has(name) && !name.startsWith("gpu_"))).toEqual([]);
  });
});

describe("what is not in the list keeps its own name, with an ending that tells its kind", () => {
  test.each([
    ["vllm:lora_requests_info 1", "vllm:lora_requests_info{} 1 vllm/"],
    ["# TYPE sglang:steps counter\nsglang:steps 9", "+sglang:steps_total{} 9 sglang/"],
    ["# TYPE sglang:steps counter\nsglang:steps_total 9", "+sglang:steps_total{} 9 sglang/"],
    ["# TYPE nv_pool_count gauge\nnv_pool_count 9", "nv_pool_count_value{} 9 triton/"],
    ["# TYPE vllm:odd_total gauge\nvllm:odd_total 9", "vllm:odd_total_value{} 9 vllm/"],
    ['sglang:func_latency_seconds_bucket{le="0.05",name="f"} 3', "+sglang:func_latency_seconds_bucket{le=0.05,name=f} 3 sglang/"],
    ["# TYPE sglang:f summary\nsglang:f_sum 3", "+sglang:f_sum{} 3 sglang/"],
    ['# TYPE sglang:f summary\nsglang:f{quantile="0.5"} 3', "sglang:f_quantile{quantile=0.5} 3 sglang/"],
    ["python_gc_collections_total 3", "+python_gc_collections_total{} 3 /"],
    ["requests_running 3", "requests_running_value{} 3 /"], // of no engine: not our metric of that name
  ])("%s", (text, expected) => {
    const { lines } = read(text);
    expect(lines).toEqual([expected]);
    const { part, meaning } = storedName(/^\+?([\w:]+)/.exec(lines[0]!)![1]!);
    expect(meaning.kind === "counter" || (part !== null && part !== "quantile")).toBe(lines[0]!.startsWith("+"));
  });

  test("series without a prefix belong to the only engine of the dump", () => {
    expect(read("vllm:num_requests_running 1\nprocess_open_fds 12").lines[1]).toBe("process_open_fds{} 12 vllm/");
    expect(read("vllm:num_requests_running 1\nsglang:num_running_reqs 1\nprocess_open_fds 12").lines[2]).toBe("process_open_fds{} 12 /");
  });
});

describe("what is not stored is said", () => {
  test.each([
    ["# TYPE vllm:prompt_tokens_total counter\nvllm:prompt_tokens_total 1\nvllm:prompt_tokens_created 1.7e9", 1, "Series that only say when another one was created (_created), skipped: 1, the first in line 3"],
    ['vllm:iteration_tokens_total_bucket{le="+Inf"} 1\nvllm:iteration_tokens_total_created 1.7e9', 1, "Series that only say when another one was created (_created), skipped: 1, the first in line 2"],
    ["vllm:num_requests_running NaN\nvllm:num_requests_waiting +Inf\nup 1", 1, "Values that are no finite number (NaN, Inf), not stored: 2, the first in line 1"],
    ["vllm:gpu_prefix_cache_hit_rate -1.0\nup 1", 1, "Shares of -1 (the engine's word for: not measured), not stored: 1, the first in line 1"],
    ['vllm:e2e_request_latency_seconds_bucket{le="soon"} 1\nup 1', 1, "Buckets whose bound (label le) is no number, skipped: 1, the first in line 1"],
  ])("%s", (text, kept, note) => {
    const { lines, notes } = read(text);
    expect([lines.length, notes]).toEqual([kept, [note]]);
  });

  test("a level that is named after a creation is a level", () => {
    expect(read("vllm:last_model_created 12").lines).toEqual(["vllm:last_model_created{} 12 vllm/"]);
  });
});

test("labels that an import sets itself do not get lost when a dump has them", () => {
  expect(read('vllm:num_requests_running{since="boot",import="x"} 1').lines).toEqual(["requests_running{exported_import=x,exported_since=boot} 1 vllm/"]);
});

test("moments in the text become readings, by time", () => {
  expect(read("vllm:num_requests_running 2 2000\nvllm:num_requests_running 1 1000\nvllm:num_requests_waiting 5 2000").readings.map(({ atS, samples }) => [atS, samples.map(({ value }) => value)])).toEqual([[1, [1]], [2, [2, 5]]]);
  const mixed = read("vllm:num_requests_running 2 2000\nvllm:num_requests_waiting 5");
  expect([mixed.times, mixed.readings.length]).toEqual(["none", 1]);
});

test.each([
  ["# HELP vllm:x Words\n", true], ["# TYPE up gauge\nup 1\n", true], ['vllm:num_requests_running{engine="0"} 1\n', true], ["nv_gpu_utilization 0.5\n", true],
  ["main;step;gemm 12\n", false], ["swapper 12\n", false], ['{"traceEvents":[]}', false], ["time [s],num_requests_running\n", false], ["", false], ["# a shell script\nnv_x\n", false],
])("%j is Prometheus text: %s", (head, expected) => expect(isPrometheusText(new TextEncoder().encode(head as string))).toBe(expected));
