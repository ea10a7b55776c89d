// The panels of the page and what each draws: which metric, which part of its steps, under which word.
import type { EngineMetric } from "#schema/engine-metrics.ts";
import type { MetricSteps } from "#schema/api/metrics.ts";

export type StepPart = Exclude<keyof MetricSteps, "t" | "points" | "bound">;
export type Trace = {
  readonly label: string;
  readonly metric: EngineMetric;
  readonly part: StepPart;
  readonly per?: EngineMetric; // divided by this one, step by step
  readonly instead?: { readonly metric: EngineMetric; readonly part: StepPart }; // for engines that do not have the first
  readonly reason?: string; // only requests that finished so
};
export type PanelUnit = "requests" | "tokens/s" | "seconds" | "ratio" | "requests/s";
export type PanelSpec = { readonly name: string; readonly title: string; readonly unit: PanelUnit; readonly traces: readonly Trace[] };

const quantiles = (metric: EngineMetric, word = ""): readonly Trace[] => (["p50", "p95", "p99"] as const).map((part) => ({ label: `${word}${part}`, metric, part }));

export const finishReasons = ["stop", "length", "abort", "error"] as const;

export const panels: readonly PanelSpec[] = [
  { name: "queue", title: "Requests in the engine", unit: "requests", traces: [{ label: "running", metric: "requests_running", part: "avg" }, { label: "waiting", metric: "requests_waiting", part: "avg" }] },
  {
    name: "tokens", title: "Tokens per second", unit: "tokens/s",
    traces: [
      { label: "in", metric: "prompt_tokens", part: "rate", instead: { metric: "prompt_tokens_per_second", part: "avg" } },
      { label: "out", metric: "generation_tokens", part: "rate", instead: { metric: "generation_tokens_per_second", part: "avg" } },
    ],
  },
  { name: "ttft", title: "TTFT", unit: "seconds", traces: quantiles("ttft_seconds") },
  { name: "itl", title: "ITL", unit: "seconds", traces: quantiles("itl_seconds") },
  { name: "tpot", title: "TPOT", unit: "seconds", traces: quantiles("tpot_seconds") },
  { name: "e2e", title: "E2E latency", unit: "seconds", traces: quantiles("e2e_seconds") },
  { name: "queue-time", title: "Time in the queue", unit: "seconds", traces: quantiles("queue_seconds") },
  { name: "prefill", title: "Prefill", unit: "seconds", traces: quantiles("prefill_seconds") },
  { name: "decode", title: "Decode", unit: "seconds", traces: quantiles("decode_seconds") },
  { name: "kv", title: "KV cache in use", unit: "ratio", traces: [{ label: "average", metric: "kv_cache_usage_ratio", part: "avg" }, { label: "highest", metric: "kv_cache_usage_ratio", part: "max" }] },
  { name: "prefix", title: "Prefix cache hit rate", unit: "ratio", traces: [{ label: "hits", metric: "prefix_cache_hits", part: "increase", per: "prefix_cache_queries", instead: { metric: "prefix_cache_hit_ratio", part: "avg" } }] },
  { name: "preemptions", title: "Preemptions", unit: "requests", traces: [{ label: "in the step", metric: "preemptions", part: "increase" }] },
  { name: "finished", title: "Requests finished, by reason", unit: "requests/s", traces: [{ label: "all", metric: "requests_finished", part: "rate" }, ...finishReasons.map((reason) => ({ label: reason, metric: "requests_finished" as const, part: "rate" as const, reason }))] },
];

// What must be asked of the API for them, each once: a metric, of all requests or of those that finished for one reason.
export type Asked = { readonly metric: EngineMetric; readonly reason?: string };

export function askedFor(specs: readonly PanelSpec[]): readonly Asked[] {
  const found = new Map<string, Asked>();
  for (const { traces } of specs)
    for (const { metric, per, instead, reason } of traces) {
      found.set(askedKey(metric, reason), reason === undefined ? { metric } : { metric, reason });
      for (const more of [per, instead?.metric]) if (more !== undefined) found.set(askedKey(more), { metric: more });
    }
  return [...found.values()];
}

export function askedKey(metric: EngineMetric, reason?: string): string {
  return reason === undefined ? metric : `${metric} ${reason}`;
}
