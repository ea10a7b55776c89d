// Which benchmark tool wrote a file, by the names of its keys.
import { decodeUtf8 } from "#core/utf8.ts";
import { isRecord } from "./json-record.ts";

export const benchmarkFormats = {
  "vllm": "vllm bench serve",
  "sglang": "SGLang bench_serving",
  "inferencex": "InferenceX",
  "guidellm": "GuideLLM",
  "aiperf": "AIPerf",
  "aiperf-requests": "AIPerf",
  "llmperf": "LLMPerf",
  "request-list": "a list of requests",
} as const;

export type BenchmarkFormat = keyof typeof benchmarkFormats;

const sniffedBytes = 64 * 1024;

// From the first bytes of a file (64 KiB are enough), before it is known to be JSON at all. Undefined: no benchmark result we know.
export function benchmarkFormatOf(firstBytes: Uint8Array): BenchmarkFormat | undefined {
  const text = decodeUtf8(firstBytes.subarray(0, sniffedBytes));
  return /^\uFEFF?\s*[[{]/.test(text) ? formatOfKeys(new Set(Array.from(text.matchAll(/"([\w.:%-]{1,64})"\s*:/g), (match) => match[1]!))) : undefined;
}

// Keys of a parsed value down to the fourth level; of a list those of its first entry, all of them being alike.
export function keysOf(value: unknown): Set<string> {
  const keys = new Set<string>();
  let level: unknown[] = [value];
  for (let depth = 0; depth < 5; depth++) {
    const next: unknown[] = [];
    for (const one of level) {
      if (Array.isArray(one)) next.push(one[0]);
      else if (isRecord(one)) {
        for (const key of Object.keys(one)) keys.add(key);
        next.push(...Object.values(one).filter((inner) => typeof inner === "object"));
      }
    }
    level = next.slice(0, 256);
  }
  return keys;
}

const servingKeys = [
  "completed", "total_input_tokens", "total_output_tokens", "request_throughput", "output_throughput", "total_token_throughput", "mean_ttft_ms", "median_ttft_ms", "ttfts", "itls",
  "num_prompts", "tokenizer_id",
];

export function formatOfKeys(keys: ReadonlySet<string>): BenchmarkFormat | undefined {
  const any = (...names: string[]) => names.some((name) => keys.has(name));
  const all = (...names: string[]) => names.every((name) => keys.has(name));
  if (any("traceEvents")) return undefined;
  if (any("guidellm_version") || (any("benchmarks") && any("request_totals", "run_stats", "scheduler_metrics", "benchmarker", "run_id"))) return "guidellm";
  if (any("x_request_id", "request_start_ns", "record_processor_id") || (all("metadata", "metrics", "request_latency", "value"))) return "aiperf-requests";
  if (all("avg", "unit") && any("request_latency", "request_count", "error_request_count", "benchmark_duration")) return "aiperf";
  if (any("results_end_to_end_latency_s_mean", "results_num_requests_started", "results_ttft_s_mean")) return "llmperf";
  if (any("median_ttft", "mean_ttft", "p99_ttft") && !any("median_ttft_ms", "mean_ttft_ms", "p99_ttft_ms")) return "inferencex";
  if (any("total_output_tokens_retokenized", "sharegpt_output_len") || (any("mean_e2e_latency_ms", "median_e2e_latency_ms") && any("backend", "completed"))) return "sglang";
  if (servingKeys.filter((key) => keys.has(key)).length >= 2) return "vllm";
  const isRequest = any("ttft_s", "ttft_ms", "ttft", "time_to_first_token_ms", "time_to_first_token") && any("number_output_tokens", "output_tokens", "output_len", "output_length", "completion_tokens");
  return isRequest ? "request-list" : undefined;
}
