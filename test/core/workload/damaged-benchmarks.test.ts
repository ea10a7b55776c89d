// Any damage to a benchmark file gives workloads or a reason, never an exception; and what is read holds together.
import fc from "fast-check";
import { expect, test } from "vitest";
import { representativesOf } from "#core/workload/representatives.ts";
import { encodeWorkload } from "#core/upload/encode-workload.ts";
import { readBenchmark } from "#core/workload/read-benchmark.ts";
import { bytesOf } from "./benchmark-text.ts";

const serving = { backend: "vllm", num_prompts: 2, completed: 2, request_rate: "inf", duration: 3.5, mean_ttft_ms: 1.5, ttfts: [0.1, 0.2], itls: [[0.1], [0.2, 0.3]], output_lens: [2, 3], input_lens: [1, 1], latencies: [0.3, 0.8], start_times: [5, 6], errors: ["", "x"] };
const files = [
  JSON.stringify(serving), `${JSON.stringify(serving)}\n${JSON.stringify({ ...serving, request_rate: 2 })}`, JSON.stringify([{ ttft_s: 0.5, end_to_end_latency_s: 1, number_output_tokens: 3, error_code: null }]),
  JSON.stringify({ metadata: { x_request_id: "a", request_start_ns: 5e18 }, metrics: { request_latency: { value: 3, unit: "ms" }, inter_chunk_latency: { value: [1, 2], unit: "ms" } } }),
  JSON.stringify({ metadata: { guidellm_version: "1" }, benchmarks: [{ metrics: { request_totals: { successful: 1 }, request_latency: { successful: { mean: 1, count: 1, percentiles: { p50: 1 } } } }, requests: { successful: [{ request_latency: 1 }] } }] }),
  JSON.stringify({ model: "m", results_num_requests_started: 3, results_num_completed_requests: 3, results_ttft_s_mean: 0.5, timestamp: 1_718_208_656 }),
  JSON.stringify({ records: { request_count: { unit: "requests", avg: 5 }, ttft: { unit: "ms", avg: 5, p50: 4 }, min_request_timestamp: { unit: "ns", avg: 1.75e18 } } }),
].map(bytesOf);
const piece = fc.constantFrom("null", "NaN", "-1", "1e999", "1e300", "9e18", '"x"', "{}", "[]", "[[", '"', "\\", "true", ",", "0", "\u0000").map((text) => new TextEncoder().encode(text));

test("bytes overwritten, pieces put in, cut off", () => {
  fc.assert(fc.property(fc.constantFrom(...files), fc.array(fc.tuple(fc.nat(1000), piece), { minLength: 1, maxLength: 5 }), fc.nat(1200), (whole, damage, length) => {
    const bytes = whole.slice();
    for (const [at, put] of damage) bytes.set(put.subarray(0, Math.max(0, bytes.length - (at % bytes.length))), at % bytes.length);
    const result = readBenchmark(bytes.subarray(0, length));
    if (!result.ok) return void expect(result.error.reason).not.toBe("");
    expect(result.value.length).toBeGreaterThan(0);
    for (const workload of result.value) {
      const { requests, computed } = workload;
      expect(encodeWorkload(workload, { agentVersion: "test", workloadId: "ab".repeat(32), name: "damaged" }).ok).toBe(true);
      for (const column of [requests.ttftUs, requests.latencyUs, requests.startUs, requests.outputTokens]) {
        expect(column).toHaveLength(requests.n);
        expect(column.every((value) => Number.isNaN(value) || (Number.isFinite(value) && value >= 0))).toBe(true);
      }
      if (computed !== undefined) expect(computed.completed! + computed.failed!).toBe(requests.n);
      for (const { request } of representativesOf(requests)) expect(requests.failed[request]).toBe(0);
    }
  }), { numRuns: 2000 });
});
