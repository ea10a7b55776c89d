// Public dumps (folder LAMELLA_TEST_DATA). Expected values were computed by a separate script from the text of the files.
import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { distributionColumns } from "#core/workload/prometheus/distribution-columns.ts";
import { engineReadings } from "#core/workload/prometheus/engine-readings.ts";
import { isPrometheusText } from "#core/workload/prometheus/is-prometheus-text.ts";
import { labelsOf } from "#core/workload/prometheus/label-text.ts";
import { storedName } from "#core/workload/prometheus/stored-name.ts";

const folder = process.env["LAMELLA_TEST_DATA"];
const suite = folder === undefined ? "public dumps: skipped, LAMELLA_TEST_DATA is not set" : "public dumps";
const bytesOf = (name: string) => readFileSync(`${folder}/prometheus/${name}`);
const read = (name: string) => {
  const file = engineReadings(bytesOf(name).toString());
  return { ...file, samples: file.readings[0]!.samples };
};

// As the store groups the parts of a metric that one series has.
function distribution(name: string, metric: string) {
  const parts = read(name).samples.filter((sample) => storedName(sample.metric).metric === metric);
  const boundOf = (labels: string) => labelsOf(labels)!.find(([key]) => key === "le" || key === "quantile")?.[1] ?? "";
  return distributionColumns([parts.map((sample) => ({ part: storedName(sample.metric).part, bound: boundOf(sample.labels), series: 1, total: sample.value, average: sample.value }))]);
}

describe.skipIf(folder === undefined)(suite, () => {
  // samples that the file has; of them stored; names outside the list
  test.each([
    ["bsc_vllm_v0.5_cache_config_only.txt", 1, 1, ["vllm:cache_config_info"]],
    ["bsc_vllm_v0.5_llama2-13b_128_metrics.txt", 15, 13, ["vllm:cache_config_info"]], // two prefix cache hit rates of -1
    ["bsc_vllm_v0.5_llama2-13b_1_metrics.txt", 15, 13, ["vllm:cache_config_info"]],
    ["sglang_docs_production_metrics.txt", 91, 91, ["sglang:func_latency_seconds"]],
    ["triton_first_response_histogram.txt", 7, 7, []],
    ["triton_queue_summary.txt", 7, 7, []],
    ["triton_trtllm_inference_metrics.txt", 10, 10, []],
    ["triton_vllm_backend_metrics.txt", 26, 26, []],
  ] as [string, number, number, string[]][])("%s: %i samples, %i stored", (name, inFile, stored, ownNames) => {
    const { samples, ownNames: own, notes } = read(name);
    expect(isPrometheusText(bytesOf(name).subarray(0, 4_096))).toBe(true);
    expect([samples.length, own]).toEqual([stored, ownNames]);
    const left = notes.filter((note) => !note.startsWith("Lines that are no samples")).reduce((sum, note) => sum + Number(/: (\d+)/.exec(note)![1]), 0);
    expect(samples.length + left).toBe(inFile);
    for (const { engine, value } of samples) expect([engine !== "", Number.isFinite(value)]).toEqual([true, true]);
  });

  test("every file of the folder is among them", () => expect(readdirSync(`${folder}/prometheus`)).toHaveLength(8));

  test("the elided lines of a document are named, and nothing else is lost", () => {
    expect(read("triton_vllm_backend_metrics.txt").notes).toEqual(["Lines that are no samples, skipped: 6, the first in line 12"]);
  });

  test("quantiles: SGLang's gaps between tokens, and a time to the first token that lies above every bound", () => {
    const itl = distribution("sglang_docs_production_metrics.txt", "itl_seconds");
    expect(itl).toMatchObject({ estimate: "buckets", columns: { count: [7_400_757], bound: [2.5] } });
    expect([itl.columns.avg, itl.columns.p50, itl.columns.p90, itl.columns.p95, itl.columns.p99].flat()).toEqual([0.11714539190449838, 0.0930823731364498, 0.14093561055694892, 0.1497914109915567, 0.6322764945899642].map((value) => expect.closeTo(value, 12)));
    // 77 % of the requests waited longer than the last bound; the mean says 214 s.
    expect(distribution("sglang_docs_production_metrics.txt", "ttft_seconds").columns).toMatchObject({ count: [11_008], avg: [expect.closeTo(213.65351993202904, 9)], bound: [30], p50: [30], p99: [30] });
  });

  test("a histogram whose HELP has another name than its samples, in milliseconds", () => {
    expect(distribution("triton_first_response_histogram.txt", "ttft_seconds").columns).toMatchObject({
      count: [37], avg: [expect.closeTo(0.2911081081081081, 12)], p50: [expect.closeTo(0.2909090909090909, 12)], p90: [expect.closeTo(1.325, 12)], p95: [expect.closeTo(1.7875, 12)], p99: [expect.closeTo(3.89, 12)],
    });
  });

  test("a summary shows the engine's own quantiles", () => {
    expect(distribution("triton_queue_summary.txt", "queue_seconds")).toMatchObject({ estimate: "engine", columns: { count: [161], avg: [expect.closeTo(0.01111 / 161, 15)], p50: [0.000055], p90: [0.000097], p95: [0.000098], p99: [0.000101] } });
  });

  test("vLLM behind Triton is vLLM, its model from Triton's label", () => {
    expect(read("triton_vllm_backend_metrics.txt").samples[0]).toEqual({ metric: "prompt_tokens", cumulative: true, engine: "vllm", modelName: "vllm_model", labels: "version=1", value: 10 });
  });

  test("the labels of the cache's configuration survive", () => {
    expect(Object.fromEntries(labelsOf(read("bsc_vllm_v0.5_cache_config_only.txt").samples[0]!.labels)!)).toMatchObject({ block_size: "16", num_gpu_blocks: "2664", cache_dtype: "auto" });
  });
});
