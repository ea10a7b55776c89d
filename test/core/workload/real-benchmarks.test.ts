// Public benchmark files and model configurations (folder LAMELLA_TEST_DATA). Figures of the requests were computed a second time by a few lines of Python.
import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { benchmarkFormatOf } from "#core/workload/benchmark-format.ts";
import { goodputOf } from "#core/workload/goodput.ts";
import { jsonDocuments } from "#core/workload/json-documents.ts";
import { layerCountOf } from "#core/workload/layer-count.ts";
import { readBenchmark } from "#core/workload/read-benchmark.ts";
import { representativesOf } from "#core/workload/representatives.ts";
import type { Workload } from "#core/workload/workload.ts";

const folder = process.env["LAMELLA_TEST_DATA"];
const suite = folder === undefined ? "public benchmarks: skipped, LAMELLA_TEST_DATA is not set" : "public benchmarks";

function workloadsOf(name: string): Workload[] {
  const result = readBenchmark(readFileSync(`${folder}/bench/${name}`));
  if (!result.ok) throw new Error(`${name}: ${result.error.reason}`);
  return result.value;
}

describe.skipIf(folder === undefined)(suite, () => {
  test("every file is read, or refused with a reason; the first bytes tell the same format", () => {
    for (const name of readdirSync(`${folder}/bench`)) {
      const bytes = readFileSync(`${folder}/bench/${name}`);
      const result = readBenchmark(bytes);
      if (!result.ok) expect(result.error.reason, name).toMatch(/^(a|an|PyTorch|JSON) /);
      else for (const workload of result.value) {
        expect(workload.stated.completed ?? workload.requests.n, name).toBeGreaterThanOrEqual(0);
        expect(benchmarkFormatOf(bytes), name).toBe(workload.format);
      }
    }
  });

  test.each([
    ["aiperf__profile_export_aiperf.json", "AIPerf", [[89, 11, 2343.22]]],
    ["bsc_vllm_bench_lora_qwen2.5-7b.json", "vllm bench serve", [[8192, 0, 147_697.42]]],
    ["bsc_vllm_benchmark_serving_llama2-13b.json", "vllm bench serve", [[2000, 0, 54_972.53]]],
    ["inferencex__minimax-m2.5_conc512.json", "vllm bench serve", [[5120, 0, 799.64]]],
    ["inferencex__minimax_m25_vllm_tep8_isl8192_osl128_conc32.json", "InferenceX", [[320, 0, undefined]]],
    ["llmd__A100__llm-d-2p1d__benchmark_2025-05-11_23-39-15.json", "vllm bench serve", [[240, 10, 1666.37]]],
    ["llmd__guidellm_report_v2.json", "GuideLLM", [[2, 0, 11.48], [2, 0, 9.78]]],
  ])("%s", (name, tool, runs) => {
    const workloads = workloadsOf(name);
    expect(workloads.map((workload) => workload.tool)).toEqual(runs.map(() => tool));
    const rounded = (us: number | undefined) => (us === undefined ? undefined : Math.round(us / 10) / 100);
    expect(workloads.map(({ stated }) => [stated.completed, stated.failed, rounded(stated.ttftUs?.mean)])).toEqual(runs);
  });

  test("SGLang files hold several runs each", () => {
    const rates = (name: string) => workloadsOf(name).map(({ load }) => load.requestsPerS);
    expect(rates("datacrunch_sglang__llama_3_3_70b_online_output.jsonl").slice(0, 5)).toEqual([1, 2, 4, 8, 16]);
    expect(rates("datacrunch_sglang__llama_3_3_70b_offline_output.jsonl")).toEqual(new Array(7).fill(Number.POSITIVE_INFINITY));
    expect(workloadsOf("datacrunch_sglang__deepseek_dp_mla_output.jsonl")[0]!.stated).toMatchObject({ completed: 10_000, outputTokens: 5_120_000, latencyUs: { mean: expect.closeTo(381_236_822.97, 1) } });
  });

  test("LLMPerf's 150 responses: figures, goodput, representatives", () => {
    const [{ requests, computed }] = workloadsOf("llmperf__together_7b.json") as [Workload];
    const near = (value: number) => expect.closeTo(value, 3) as number;
    expect(computed).toMatchObject({
      completed: 150, failed: 0, inputTokens: 82_500, outputTokens: 25_860,
      ttftUs: { n: 150, mean: near(582_581.925_393_33), std: near(143_211.409_297_13), percentiles: { p50: near(518_838.427), p90: near(791_095.105_600_2), p99: near(936_108.876_429_97) } },
      tpotUs: { mean: near(10_162.355_850_67), std: near(1_437.696_006_42), percentiles: { p50: near(9_911.835_237_98), p95: near(13_200.127_947_32) } },
      latencyUs: { min: near(1_847_856.542), max: near(3_045_426.207), percentiles: { p50: near(2_292_385.397_5), p99: near(3_007_096.090_759_94) } },
    });
    expect(goodputOf(requests, { ttftUs: 600_000, tpotUs: 10_000, latencyUs: 2_400_000 }, undefined)).toMatchObject({ good: 50, missed: { ttftUs: 53, tpotUs: 68, latencyUs: 43 } });
    expect(representativesOf(requests).map(({ request, latencyUs, outputTokens }) => [request, Math.round(latencyUs), outputTokens])).toEqual([[143, 2_037_624, 176], [142, 2_292_383, 169], [87, 2_593_515, 177]]);
  });

  test("layers of model configurations; quantisation files have none", () => {
    const counts = new Map(readdirSync(`${folder}/hf_config`).map((name) => {
      const documents = jsonDocuments(readFileSync(`${folder}/hf_config/${name}`, "utf8"));
      return [name, documents.ok ? layerCountOf(documents.value.values[0]) : undefined];
    }));
    const without = [...counts].filter(([, count]) => count === undefined).map(([name]) => name);
    expect(without.filter((name) => !/quant_config|tokenizer|special-tokens|generation/.test(name))).toEqual([]);
    const known: [string, number][] = [
      ["Qwen--Qwen3-1.7B_config.json", 28], ["Qwen--Qwen3-VL-8B-Instruct_config.json", 36], ["Qwen--Qwen3.5-397B-A17B_config.json", 60], ["deepseek-ai--DeepSeek-V3.2_config.json", 61], ["moonshotai--Kimi-K2.5_config.json", 61],
      ["nvidia--Gemma-4-26B-A4B-NVFP4_config.json", 30], ["nvidia--NVIDIA-Nemotron-3-Ultra-550B-A55B-BF16_config.json", 108], ["nvidia--NVIDIA-Nemotron-3-Nano-30B-A3B-NVFP4_config.json", 52], ["openai--gpt-oss-120b_config.json", 36],
    ];
    for (const [name, count] of known) if (counts.has(name)) expect([name, counts.get(name)]).toEqual([name, count]);
  });
});
