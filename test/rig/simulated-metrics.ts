// What a vLLM server would say of itself every 15 seconds of an afternoon nobody had: load that rises and falls, histograms that follow it. The same every time. What shows
// it is on the host "simulated".
import { encodeMetrics } from "#core/upload/encode-metrics.ts";
import { engineReadings } from "#core/workload/prometheus/engine-readings.ts";

const everyS = 15;
const bounds = [0.001, 0.005, 0.01, 0.02, 0.04, 0.08, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10, 20, 40, 80];

// Adds observations spread evenly around a mean to a histogram.
function observe(counts: number[], sum: { of: number }, mean: number, n: number): void {
  for (let at = 0; at < n; at++) {
    const value = mean * (0.4 + (1.6 * (at + 0.5)) / n);
    counts[bounds.findIndex((bound) => value <= bound)]!++;
    sum.of += value;
  }
}

// Bodies of kind metrics: readings at fromS, fromS + 15 and so on.
export function simulatedMetrics(fromS: number, readings: number): Uint8Array[] {
  const names = { time_to_first_token_seconds: 0.2, inter_token_latency_seconds: 0.02, e2e_request_latency_seconds: 6, request_queue_time_seconds: 0.05, request_prefill_time_seconds: 0.12, request_decode_time_seconds: 5 } as const;
  const histograms = Object.fromEntries(Object.keys(names).map((name) => [name, { counts: bounds.map(() => 0), sum: { of: 0 } }]));
  const total = { prompt: 0, generation: 0, queries: 0, hits: 0, preemptions: 0, stop: 0, length: 0, abort: 0 };
  const texts = Array.from({ length: readings }, (_, reading) => {
    const load = 0.55 + 0.45 * Math.sin(reading / 19) + 0.1 * Math.sin(reading / 2.3);
    const busy = Math.max(0, load);
    const finished = Math.round(2 + 40 * busy);
    for (const [name, mean] of Object.entries(names)) observe(histograms[name]!.counts, histograms[name]!.sum, mean * (0.6 + busy ** 2), name === "inter_token_latency_seconds" ? finished * 8 : finished);
    total.prompt += finished * 812;
    total.generation += finished * 190;
    total.queries += finished * 812;
    total.hits += Math.round(finished * 812 * (0.35 + 0.2 * Math.sin(reading / 40)));
    total.preemptions += busy > 0.95 ? 2 : 0;
    total.stop += Math.round(finished * 0.8);
    total.length += finished - Math.round(finished * 0.8);
    total.abort += reading % 20 === 0 ? 1 : 0;
    const labels = 'model_name="org/simulated",engine="0"';
    const gauge = (name: string, value: number) => `# TYPE vllm:${name} gauge\nvllm:${name}{${labels}} ${value}\n`;
    const counter = (name: string, value: number, more = "") => `# TYPE vllm:${name} counter\nvllm:${name}{${labels}${more}} ${value}\n`;
    const histogram = (name: string) => {
      let below = 0;
      const { counts, sum } = histograms[name]!;
      const buckets = bounds.map((bound, at) => `vllm:${name}_bucket{${labels},le="${bound}"} ${(below += counts[at]!)}\n`).join("");
      return `# TYPE vllm:${name} histogram\n${buckets}vllm:${name}_bucket{${labels},le="+Inf"} ${below}\nvllm:${name}_sum{${labels}} ${sum.of}\nvllm:${name}_count{${labels}} ${below}\n`;
    };
    return [
      gauge("num_requests_running", Math.round(64 * Math.min(1, busy))), gauge("num_requests_waiting", Math.round(Math.max(0, busy - 0.8) * 120)), gauge("kv_cache_usage_perc", Math.min(0.99, 0.15 + 0.8 * busy)),
      counter("prompt_tokens_total", total.prompt), counter("generation_tokens_total", total.generation), counter("prefix_cache_queries_total", total.queries), counter("prefix_cache_hits_total", total.hits),
      counter("num_preemptions_total", total.preemptions), ...(["stop", "length", "abort"] as const).map((reason) => counter("request_success_total", total[reason], `,finished_reason="${reason}"`)),
      ...Object.keys(names).map(histogram),
    ].join("");
  });
  const samples = texts.map((text, reading) => ({ atS: fromS + reading * everyS, samples: engineReadings(text).readings[0]!.samples }));
  return [...encodeMetrics(samples, { agentVersion: "simulated 1", hostName: "simulated", importId: "", shiftS: 0 }).parts];
}
