// CSVs and logs, drawn small. Each line of an expectation: second metric{labels} value, with + for what counts up.
import { describe, expect, test } from "vitest";
import { readMetricsFile } from "#core/workload/timeseries/read-metrics-file.ts";

function read(text: string) {
  const file = readMetricsFile(new TextEncoder().encode(text));
  if (file === null) return null;
  const { kind, times, notes, ownNames, readings } = file;
  return { kind, times, notes, ownNames, lines: readings.flatMap(({ atS, samples }) => samples.map(({ metric, cumulative, labels, value }) => `${atS} ${cumulative ? "+" : ""}${metric}{${labels}} ${value}`)), models: [...new Set(readings.flatMap(({ samples }) => samples.map(({ modelName }) => modelName)))] };
}

describe("vLLM metrics over time", () => {
  test("columns are its metrics without the prefix; rows that cannot be read are named", () => {
    const text = ["time [s],gpu_cache_usage_perc,num_requests_running,generation_tokens_total,my_gauge,my_count_total", "0.5,0.25,3,10,1,2", "1.5,-1,4.0,,nan,3", "2.5,0.5", "later,0,0,0,0,0", ""].join("\n");
    expect(read(text)).toEqual({
      kind: "vLLM metrics over time (CSV)", times: "relative", ownNames: ["vllm:my_gauge", "vllm:my_count_total"], models: [""],
      lines: ["0.5 kv_cache_usage_ratio{} 0.25", "0.5 requests_running{} 3", "0.5 +generation_tokens{} 10", "0.5 vllm:my_gauge{} 1", "0.5 +vllm:my_count_total{} 2", "1.5 requests_running{} 4", "1.5 +vllm:my_count_total{} 3"],
      notes: [
        "Rows with another number of cells than the head, skipped: 1, the first in line 4", "Shares of -1 (the engine's word for: not measured), not stored: 1, the first in line 3",
        "Cells that are no finite number, skipped: 2, the first in line 3", "Rows without a time, skipped: 1, the first in line 5",
      ],
    });
  });

  test("Unix seconds are moments", () => expect(read("timestamp,num_requests_running\n1764426720.5,3")).toMatchObject({ times: "unix", lines: ["1764426720.5 requests_running{} 3"] }));
});

describe("nvidia-smi over time", () => {
  test("each GPU by its labels, in base units, whether the unit stands in the cell or in the head", () => {
    const cells = "timestamp, index, utilization.gpu [%], memory.used [MiB], power.draw [W], clocks_event_reasons.hw_slowdown\n2025/02/21 20:06:59.250, 0, 41 %, 2 MiB, 300.50 W, Not Active\n2025/02/21 20:06:59.250, 1, 7 %, 3 MiB, [N/A], Active\n";
    expect(read(cells)).toMatchObject({
      kind: "nvidia-smi over time (CSV)", times: "relative", ownNames: ["nvidia-smi:clocks_event_reasons.hw_slowdown"], notes: ["Cells that are no number with a known unit (such as [N/A]), skipped: 1, the first in line 3"],
      lines: [
        ["gpu_utilization_ratio{gpu=0} 0.41", "gpu_memory_used_bytes{gpu=0} 2097152", "gpu_power_watts{gpu=0} 300.5", "nvidia-smi:clocks_event_reasons.hw_slowdown{gpu=0} 0"],
        ["gpu_utilization_ratio{gpu=1} 0.07", "gpu_memory_used_bytes{gpu=1} 3145728", "nvidia-smi:clocks_event_reasons.hw_slowdown{gpu=1} 1"],
      ].flat().map((line) => `${Date.UTC(2025, 1, 21, 20, 6, 59, 250) / 1_000} ${line}`),
    });
    expect(read("time [s],uuid,memory.used [MiB],temperature.gpu\n1,GPU-a,2,61\n")).toMatchObject({ lines: ["1 gpu_memory_used_bytes{gpu_uuid=GPU-a} 2097152", "1 gpu_temperature_celsius{gpu_uuid=GPU-a} 61"], notes: [] });
  });
});

describe("a vLLM log", () => {
  const stats = "Avg prompt throughput: 50.0 tokens/s, Avg generation throughput: 21.5 tokens/s, Running: 1 reqs";

  test("both generations of its line, the model it was started with, and New Year", () => {
    const text = [
      "INFO 12-31 23:59:00 llm_engine.py:237] Initializing an LLM engine (v0.5.2) with config: model='org/net', speculative_config=None",
      `INFO 12-31 23:59:55 metrics.py:360] ${stats}, Swapped: 0 reqs, Pending: 2 reqs, GPU KV cache usage: 0.5%, CPU KV cache usage: 0.0%.`,
      'INFO:     127.0.0.1:58774 - "GET /metrics HTTP/1.1" 200 OK',
      `(APIServer pid=41) INFO 01-01 00:00:05 [loggers.py:116] Engine 001: ${stats}, Waiting: 3 reqs, GPU KV cache usage: 12.5%, Prefix cache hit rate: 40.0%, Mood: 7%`,
      `no time here: ${stats}`,
    ].join("\n");
    const start = Date.UTC(2000, 11, 31, 23, 59, 55) / 1_000;
    expect(read(text)).toEqual({
      kind: "vLLM server log", times: "relative", ownNames: [], models: ["org/net"],
      lines: [
        ...["prompt_tokens_per_second{} 50", "generation_tokens_per_second{} 21.5", "requests_running{} 1", "requests_swapped{} 0", "requests_waiting{} 2", "kv_cache_usage_ratio{} 0.005", "cpu_kv_cache_usage_ratio{} 0"].map((line) => `${start} ${line}`),
        ...["prompt_tokens_per_second{engine=1} 50", "generation_tokens_per_second{engine=1} 21.5", "requests_running{engine=1} 1", "requests_waiting{engine=1} 3", "kv_cache_usage_ratio{engine=1} 0.125", "prefix_cache_hit_ratio{engine=1} 0.4"].map((line) => `${start + 10} ${line}`),
      ],
      notes: ['Figures named "Mood", which this reader does not know, skipped: 1, the first in line 4', "Lines of metrics without a time, skipped: 1, the first in line 5"],
    });
  });
});

test.each(["", "time,voltage\n1,2\n", "a,b,c\n", '{"a":1}', "main;step 12\n", "INFO all is well\n"])("%j is no file of metrics", (text) => expect(read(text)).toBeNull());
