// What inference engines measure of themselves, under one name for one meaning: the closed list. Base units only (seconds, bytes, tokens; shares are 0 to 1), so no
// name needs a scale. Metrics that are not here are stored under the engine's own name; their kind then follows from the ending (core/workload/prometheus/stored-name.ts).

// gauge: a level at a moment. counter: stored as increases. distribution: a histogram or summary, stored in parts (<name>_bucket, _quantile, _sum, _count).
// over: how the gauges of several series (hosts, ranks, labels) become one: a count is summed, a share is averaged (two caches at 40 % are 40 % full, not 80 %).
export type EngineMetricMeaning =
  | { readonly kind: "gauge"; readonly unit: string; readonly over: "sum" | "average"; readonly title: string }
  | { readonly kind: "counter"; readonly unit: string; readonly title: string }
  | { readonly kind: "distribution"; readonly unit: string; readonly title: string };

export const engineMetrics = {
  requests_running: { kind: "gauge", unit: "requests", over: "sum", title: "Requests in execution" },
  requests_waiting: { kind: "gauge", unit: "requests", over: "sum", title: "Requests in the queue" },
  requests_waiting_by_reason: { kind: "gauge", unit: "requests", over: "sum", title: "The same requests in the queue, by label reason; never added to requests_waiting" },
  requests_swapped: { kind: "gauge", unit: "requests", over: "sum", title: "Requests swapped out to the CPU" },
  kv_cache_usage_ratio: { kind: "gauge", unit: "ratio", over: "average", title: "Share of the KV cache in use" },
  cpu_kv_cache_usage_ratio: { kind: "gauge", unit: "ratio", over: "average", title: "Share of the KV cache on the CPU in use" },
  kv_cache_used_tokens: { kind: "gauge", unit: "tokens", over: "sum", title: "Tokens in the KV cache" },
  kv_cache_capacity_tokens: { kind: "gauge", unit: "tokens", over: "sum", title: "Tokens that the KV cache can hold" },
  prefix_cache_hit_ratio: { kind: "gauge", unit: "ratio", over: "average", title: "Prefix cache hit rate, as the engine averages it" },
  cpu_prefix_cache_hit_ratio: { kind: "gauge", unit: "ratio", over: "average", title: "Prefix cache hit rate on the CPU, as the engine averages it" },
  prompt_tokens_per_second: { kind: "gauge", unit: "tokens/s", over: "sum", title: "Prompt throughput, as the engine averages it" },
  generation_tokens_per_second: { kind: "gauge", unit: "tokens/s", over: "sum", title: "Generation throughput, as the engine averages it" },
  spec_decode_acceptance_ratio: { kind: "gauge", unit: "ratio", over: "average", title: "Share of drafted tokens accepted" },

  prompt_tokens: { kind: "counter", unit: "tokens", title: "Prompt tokens processed" },
  prompt_tokens_by_source: { kind: "counter", unit: "tokens", title: "The same prompt tokens, by label source; never added to prompt_tokens" },
  prompt_tokens_cached: { kind: "counter", unit: "tokens", title: "Prompt tokens taken from a cache" },
  generation_tokens: { kind: "counter", unit: "tokens", title: "Tokens generated" },
  prefix_cache_queries: { kind: "counter", unit: "tokens", title: "Tokens looked up in the prefix cache" },
  prefix_cache_hits: { kind: "counter", unit: "tokens", title: "Tokens found in the prefix cache" },
  external_prefix_cache_queries: { kind: "counter", unit: "tokens", title: "Tokens looked up in a prefix cache shared between engines" },
  external_prefix_cache_hits: { kind: "counter", unit: "tokens", title: "Tokens found in a prefix cache shared between engines" },
  preemptions: { kind: "counter", unit: "requests", title: "Requests put back because the KV cache was full" },
  requests_finished: { kind: "counter", unit: "requests", title: "Requests finished; label finished_reason where the engine has it" },
  requests_failed: { kind: "counter", unit: "requests", title: "Requests failed" },
  requests_aborted: { kind: "counter", unit: "requests", title: "Requests aborted" },
  spec_decode_draft_tokens: { kind: "counter", unit: "tokens", title: "Tokens drafted" },
  spec_decode_accepted_tokens: { kind: "counter", unit: "tokens", title: "Drafted tokens accepted" },
  estimated_flops: { kind: "counter", unit: "operations", title: "Floating-point operations per GPU, estimated by the engine" },
  estimated_read_bytes: { kind: "counter", unit: "bytes", title: "Bytes read per GPU, estimated by the engine" },
  estimated_write_bytes: { kind: "counter", unit: "bytes", title: "Bytes written per GPU, estimated by the engine" },
  inferences: { kind: "counter", unit: "inferences", title: "Inferences, each element of a batch counted" },
  model_executions: { kind: "counter", unit: "executions", title: "Executions of the model, each batch counted once" },
  scheduler_time_seconds: { kind: "counter", unit: "seconds", title: "Time spent in the scheduler" },
  model_forward_time_seconds: { kind: "counter", unit: "seconds", title: "Time spent in the model's forward" },
  request_time_seconds: { kind: "counter", unit: "seconds", title: "Time of all requests together" },
  queue_time_seconds: { kind: "counter", unit: "seconds", title: "Time of all requests in the queue" },
  compute_input_time_seconds: { kind: "counter", unit: "seconds", title: "Time spent preparing inputs" },
  compute_infer_time_seconds: { kind: "counter", unit: "seconds", title: "Time spent executing the model" },
  compute_output_time_seconds: { kind: "counter", unit: "seconds", title: "Time spent with outputs" },

  ttft_seconds: { kind: "distribution", unit: "seconds", title: "TTFT: time to the first token of a request" },
  itl_seconds: { kind: "distribution", unit: "seconds", title: "ITL: every gap between two tokens" },
  tpot_seconds: { kind: "distribution", unit: "seconds", title: "TPOT: time per output token after the first, one value a request" },
  e2e_seconds: { kind: "distribution", unit: "seconds", title: "E2E: time from arrival to the last token" },
  queue_seconds: { kind: "distribution", unit: "seconds", title: "Time of a request in the queue" },
  inference_seconds: { kind: "distribution", unit: "seconds", title: "Time of a request in execution" },
  prefill_seconds: { kind: "distribution", unit: "seconds", title: "Time of a request in prefill" },
  decode_seconds: { kind: "distribution", unit: "seconds", title: "Time of a request in decode" },
  iteration_tokens: { kind: "distribution", unit: "tokens", title: "Tokens of one engine step" },
  request_prompt_tokens: { kind: "distribution", unit: "tokens", title: "Prompt tokens of a request" },
  request_generation_tokens: { kind: "distribution", unit: "tokens", title: "Tokens generated for a request" },
  request_generation_tokens_max: { kind: "distribution", unit: "tokens", title: "The longest of a request's completions" },
  request_max_tokens: { kind: "distribution", unit: "tokens", title: "Tokens a request allowed (its max_tokens)" },
  request_completions: { kind: "distribution", unit: "completions", title: "Completions a request asked for (its n)" },

  gpu_utilization_ratio: { kind: "gauge", unit: "ratio", over: "average", title: "Share of the time a kernel ran" },
  gpu_memory_activity_ratio: { kind: "gauge", unit: "ratio", over: "average", title: "Share of the time device memory was read or written" },
  gpu_memory_total_bytes: { kind: "gauge", unit: "bytes", over: "sum", title: "Device memory" },
  gpu_memory_reserved_bytes: { kind: "gauge", unit: "bytes", over: "sum", title: "Device memory reserved by the driver" },
  gpu_memory_used_bytes: { kind: "gauge", unit: "bytes", over: "sum", title: "Device memory in use" },
  gpu_memory_free_bytes: { kind: "gauge", unit: "bytes", over: "sum", title: "Device memory free" },
  gpu_power_watts: { kind: "gauge", unit: "watts", over: "sum", title: "Power drawn" },
  gpu_temperature_celsius: { kind: "gauge", unit: "°C", over: "average", title: "Temperature of the GPU" },
  gpu_sm_clock_hertz: { kind: "gauge", unit: "Hz", over: "average", title: "Clock of the SMs" },
  gpu_energy_joules: { kind: "counter", unit: "joules", title: "Energy used" },
} as const satisfies Record<string, EngineMetricMeaning>;

export type EngineMetric = keyof typeof engineMetrics;
