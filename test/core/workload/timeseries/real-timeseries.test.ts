// Public time series (folder LAMELLA_TEST_DATA). Expected values were computed by a separate script from the text of the files.
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { readMetricsFile } from "#core/workload/timeseries/read-metrics-file.ts";

const folder = process.env["LAMELLA_TEST_DATA"];
const suite = folder === undefined ? "public time series: skipped, LAMELLA_TEST_DATA is not set" : "public time series";

function read(name: string) {
  const file = readMetricsFile(readFileSync(`${folder}/engine_timeseries/${name}`))!;
  const values = (metric: string) => file.readings.flatMap(({ samples }) => samples.filter((sample) => sample.metric === metric).map(({ value }) => value));
  const figures = (metric: string) => ({ mean: values(metric).reduce((sum, value) => sum + value, 0) / values(metric).length, max: Math.max(...values(metric)), last: values(metric).at(-1) });
  return { ...file, figures, spanS: file.readings.at(-1)!.atS! - file.readings[0]!.atS! };
}

describe.skipIf(folder === undefined)(suite, () => {
  test("vLLM metrics once a second", () => {
    const { kind, times, readings, notes, ownNames, figures } = read("bsc_vllm_engine_metrics_timeseries.csv");
    expect([kind, times, readings.length, notes, ownNames]).toEqual(["vLLM metrics over time (CSV)", "relative", 134, [], []]);
    expect(figures("kv_cache_usage_ratio")).toEqual({ mean: expect.closeTo(0.7651971000851597, 12), max: 0.9996246246246246, last: 0 });
    expect(figures("requests_waiting")).toEqual({ mean: expect.closeTo(800.5074626865671, 9), max: 1_898, last: 0 });
    expect([figures("prompt_tokens").last, figures("generation_tokens").last, figures("requests_finished").last, figures("preemptions").last]).toEqual([526_443, 260_130, 2_001, 91]);
    expect(figures("model_forward_time_seconds").last).toBe(114.19970318302512);
  });

  test("nvidia-smi once a second", () => {
    const { kind, readings, notes, figures } = read("bsc_nvidia_smi_timeseries.csv");
    expect([kind, readings.length, notes]).toEqual(["nvidia-smi over time (CSV)", 134, []]);
    expect(figures("gpu_utilization_ratio")).toMatchObject({ mean: expect.closeTo(0.805, 12), max: 0.98 });
    expect(figures("gpu_memory_activity_ratio").mean).toBeCloseTo(0.8278358208955224, 12);
    expect(figures("gpu_memory_used_bytes")).toMatchObject({ mean: expect.closeTo(59_709.37313432836 * 2 ** 20, 0), max: 59_712 * 2 ** 20 });
    expect(readings[0]!.samples[0]!.labels).toBe("gpu_uuid=GPU-31785635-835f-8ea5-0dc3-adb14fd7195f");
  });

  test("the log of the same server: 25 lines of metrics among 2,197", () => {
    const { kind, readings, notes, figures, spanS } = read("bsc_vllm_v0.5_server_out.log");
    expect([kind, readings.length, notes, spanS]).toEqual(["vLLM server log", 25, [], 126]); // 20:06:59 to 20:09:05
    expect(figures("prompt_tokens_per_second").mean).toBeCloseTo(104_634.4 / 25, 9);
    expect(figures("generation_tokens_per_second").mean).toBeCloseTo(51_670.5 / 25, 9);
    expect([figures("requests_running").max, figures("requests_waiting").max, figures("kv_cache_usage_ratio").max]).toEqual([128, 1_872, 0.997]);
    expect(readings[0]!.samples[0]!.modelName).toMatch(/\/llama-2-13b$/);
  });
});
