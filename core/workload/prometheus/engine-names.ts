// Ours ← theirs: what each engine calls the metrics of schema/engine-metrics.ts. Several names of one meaning stand newest first: of those that a dump has only the
// first counts (vLLM 0.10 has both gpu_cache_usage_perc and kv_cache_usage_perc), the others keep their own names.
import type { EngineMetric } from "#schema/engine-metrics.ts";
import type { Label } from "./label-text.ts";

// Without the engine's prefix and, for counters, without _total. `per`: theirs divided by this is ours. `label`: only the series that has it.
type Source = string | { readonly name: string; readonly per?: number; readonly label?: Label };
type Names = Partial<Record<EngineMetric, readonly Source[]>>;

const microseconds = 1e6;
const milliseconds = 1e3;

const vllm: Names = {
  requests_running: ["num_requests_running"],
  requests_waiting: ["num_requests_waiting"],
  requests_waiting_by_reason: ["num_requests_waiting_by_reason"],
  requests_swapped: ["num_requests_swapped"],
  kv_cache_usage_ratio: ["kv_cache_usage_perc", "gpu_cache_usage_perc"],
  cpu_kv_cache_usage_ratio: ["cpu_cache_usage_perc"],
  prefix_cache_hit_ratio: ["gpu_prefix_cache_hit_rate"],
  cpu_prefix_cache_hit_ratio: ["cpu_prefix_cache_hit_rate"],
  prompt_tokens_per_second: ["avg_prompt_throughput_toks_per_s"],
  generation_tokens_per_second: ["avg_generation_throughput_toks_per_s"],
  spec_decode_acceptance_ratio: ["spec_decode_draft_acceptance_rate"],
  prompt_tokens: ["prompt_tokens"],
  prompt_tokens_by_source: ["prompt_tokens_by_source"],
  prompt_tokens_cached: ["prompt_tokens_cached"],
  generation_tokens: ["generation_tokens"],
  prefix_cache_queries: ["prefix_cache_queries", "gpu_prefix_cache_queries"],
  prefix_cache_hits: ["prefix_cache_hits", "gpu_prefix_cache_hits"],
  external_prefix_cache_queries: ["external_prefix_cache_queries"],
  external_prefix_cache_hits: ["external_prefix_cache_hits"],
  preemptions: ["num_preemptions"],
  requests_finished: ["request_success"],
  spec_decode_draft_tokens: ["spec_decode_num_draft_tokens"],
  spec_decode_accepted_tokens: ["spec_decode_num_accepted_tokens"],
  estimated_flops: ["estimated_flops_per_gpu"],
  estimated_read_bytes: ["estimated_read_bytes_per_gpu"],
  estimated_write_bytes: ["estimated_write_bytes_per_gpu"],
  scheduler_time_seconds: ["scheduler_total_time"], // typed gauge, and only ever rises
  model_forward_time_seconds: ["model_forward_total_time"],
  ttft_seconds: ["time_to_first_token_seconds"],
  itl_seconds: ["inter_token_latency_seconds", "time_per_output_token_seconds"], // the older name counts every gap too
  tpot_seconds: ["request_time_per_output_token_seconds"],
  e2e_seconds: ["e2e_request_latency_seconds"],
  queue_seconds: ["request_queue_time_seconds", "time_in_queue_requests"],
  inference_seconds: ["request_inference_time_seconds"],
  prefill_seconds: ["request_prefill_time_seconds"],
  decode_seconds: ["request_decode_time_seconds"],
  iteration_tokens: ["iteration_tokens"], // a histogram that ends in _total
  request_prompt_tokens: ["request_prompt_tokens"],
  request_generation_tokens: ["request_generation_tokens"],
  request_generation_tokens_max: ["request_max_num_generation_tokens"],
  request_max_tokens: ["request_params_max_tokens"],
  request_completions: ["request_params_n"],
};

const sglang: Names = {
  requests_running: ["num_running_reqs"],
  requests_waiting: ["num_queue_reqs"],
  kv_cache_usage_ratio: ["token_usage"],
  kv_cache_used_tokens: ["num_used_tokens"],
  kv_cache_capacity_tokens: ["max_total_num_tokens"],
  prefix_cache_hit_ratio: ["cache_hit_rate"],
  generation_tokens_per_second: ["gen_throughput"],
  spec_decode_acceptance_ratio: ["spec_accept_rate"],
  prompt_tokens: ["prompt_tokens"],
  prompt_tokens_cached: ["cached_tokens"],
  generation_tokens: ["generation_tokens"],
  preemptions: ["num_retracted_requests"],
  requests_finished: ["num_requests"],
  requests_aborted: ["num_aborted_requests"],
  ttft_seconds: ["time_to_first_token_seconds"],
  itl_seconds: ["inter_token_latency_seconds", "time_per_output_token_seconds"],
  e2e_seconds: ["e2e_request_latency_seconds"],
  queue_seconds: ["queue_time_seconds"],
};

const tensorrtLlm: Names = {
  requests_running: ["num_requests_running"],
  requests_waiting: ["num_requests_waiting"],
  kv_cache_usage_ratio: ["kv_cache_utilization"],
  prefix_cache_hit_ratio: ["kv_cache_hit_rate"],
  requests_finished: ["request_success"],
  ttft_seconds: ["time_to_first_token_seconds"],
  tpot_seconds: ["time_per_output_token_seconds"], // one value a request
  e2e_seconds: ["e2e_request_latency_seconds"],
  queue_seconds: ["request_queue_time_seconds"],
};

const triton: Names = {
  requests_running: [{ name: "nv_trt_llm_request_metrics", label: ["request_type", "scheduled"] }],
  // Triton's own queue stands before each model, also before those that only tokenize; the backend's queue is the one that waits for the GPU.
  requests_waiting: [{ name: "nv_trt_llm_request_metrics", label: ["request_type", "waiting"] }, "nv_inference_pending_request_count"],
  kv_cache_usage_ratio: [{ name: "nv_trt_llm_kv_cache_block_metrics", label: ["kv_cache_block_type", "fraction"] }],
  requests_finished: ["nv_inference_request_success"],
  requests_failed: ["nv_inference_request_failure"],
  inferences: ["nv_inference_count"],
  model_executions: ["nv_inference_exec_count"],
  request_time_seconds: [{ name: "nv_inference_request_duration_us", per: microseconds }],
  queue_time_seconds: [{ name: "nv_inference_queue_duration_us", per: microseconds }],
  compute_input_time_seconds: [{ name: "nv_inference_compute_input_duration_us", per: microseconds }],
  compute_infer_time_seconds: [{ name: "nv_inference_compute_infer_duration_us", per: microseconds }],
  compute_output_time_seconds: [{ name: "nv_inference_compute_output_duration_us", per: microseconds }],
  ttft_seconds: [{ name: "nv_inference_first_response_histogram_ms", per: milliseconds }],
  e2e_seconds: [{ name: "nv_inference_request_summary_us", per: microseconds }],
  queue_seconds: [{ name: "nv_inference_queue_summary_us", per: microseconds }],
  gpu_utilization_ratio: ["nv_gpu_utilization"],
  gpu_memory_total_bytes: ["nv_gpu_memory_total_bytes"],
  gpu_memory_used_bytes: ["nv_gpu_memory_used_bytes"],
  gpu_power_watts: ["nv_gpu_power_usage"],
  gpu_energy_joules: ["nv_energy_consumption"],
};

const dynamo: Names = {
  requests_running: ["frontend_inflight_requests"],
  requests_waiting: ["frontend_queued_requests"],
  kv_cache_usage_ratio: ["component_kvstats_gpu_cache_usage_percent", "component_gpu_cache_usage_percent"], // 0 to 1 in spite of their names
  prefix_cache_hit_ratio: ["component_kvstats_gpu_prefix_cache_hit_rate"],
  generation_tokens: ["frontend_output_tokens"],
  requests_finished: ["frontend_requests"],
  ttft_seconds: ["frontend_time_to_first_token_seconds"],
  itl_seconds: ["frontend_inter_token_latency_seconds"],
  e2e_seconds: ["frontend_request_duration_seconds"],
  request_prompt_tokens: ["frontend_input_sequence_tokens"],
  request_generation_tokens: ["frontend_output_sequence_tokens"],
};

// A scrape through some collectors has _ where the engine writes a colon.
export const engines = {
  vllm: { prefix: /^vllm[:_]/, names: vllm },
  sglang: { prefix: /^sglang[:_]/, names: sglang },
  "tensorrt-llm": { prefix: /^trtllm[:_]/, names: tensorrtLlm },
  triton: { prefix: /^(?=nv_)/, names: triton },
  dynamo: { prefix: /^dynamo_/, names: dynamo },
} as const satisfies Record<string, { prefix: RegExp; names: Names }>;

export type EngineName = keyof typeof engines;
export const engineNames = Object.keys(engines) as EngineName[];

export function engineOf(name: string): EngineName | null {
  return engineNames.find((engine) => engines[engine].prefix.test(name)) ?? null;
}

export type Ours = { readonly metric: EngineMetric; readonly per: number; readonly rank: number }; // rank: 0 is the newest name

type Entry = Ours & { readonly label: Label | null };

const byName = new Map<string, Entry[]>(); // "engine name" → the meanings its labels choose from
for (const engine of engineNames) {
  for (const [metric, sources] of Object.entries<readonly Source[] | undefined>(engines[engine].names)) {
    for (const [rank, source] of sources!.entries()) {
      const { name, per = 1, label = null } = typeof source === "string" ? { name: source } : source;
      const key = `${engine} ${name}`;
      byName.set(key, [...(byName.get(key) ?? []), { metric: metric as EngineMetric, per, rank, label }]);
    }
  }
}

// What an engine's name means; null for a name that is not in the list.
export function oursOf(engine: EngineName, name: string, labels: readonly Label[]): Ours | null {
  const bare = name.replace(engines[engine].prefix, "");
  const entries = byName.get(`${engine} ${bare}`) ?? byName.get(`${engine} ${bare.replace(/_total$/, "")}`) ?? [];
  return entries.find(({ label }) => label === null || labels.some(([key, value]) => key === label[0] && value === label[1])) ?? null;
}
