// vLLM's server log: the line it writes every few seconds says throughputs, queues and cache use ("Avg prompt throughput: 50.0 tokens/s, … Running: 1 reqs, …"). The
// log has no year and no zone, so its times tell distances alone; its figures are rounded as printed.
import type { EngineMetric } from "#schema/engine-metrics.ts";
import { labelText } from "../prometheus/label-text.ts";
import { LineNotes } from "../prometheus/line-notes.ts";
import type { EngineSample, MetricsFile, Reading } from "../prometheus/reading.ts";
import { logHead } from "./timeseries-kind.ts";

const ours: Readonly<Record<string, EngineMetric>> = {
  "Avg prompt throughput": "prompt_tokens_per_second", "Avg generation throughput": "generation_tokens_per_second", Running: "requests_running", Swapped: "requests_swapped", Pending: "requests_waiting",
  Waiting: "requests_waiting", "GPU KV cache usage": "kv_cache_usage_ratio", "CPU KV cache usage": "cpu_kv_cache_usage_ratio", "Prefix cache hit rate": "prefix_cache_hit_ratio",
};

export function vllmLog(text: string): MetricsFile {
  const notes = new LineNotes();
  const readings: Reading[] = [];
  let modelName = "";
  let lastS = -Infinity;
  let year = 2_000; // any leap year: the log has none
  for (const [row, line] of text.split("\n").entries()) {
    modelName ||= /Initializing an? .*engine.* model='([^']+)'/.exec(line)?.[1] ?? "";
    const stats = /(?:Engine (\d+): )?(Avg prompt throughput: .*)$/.exec(line);
    if (stats === null) continue;
    const [, month, day, hour, minute, second] = logHead.exec(line) ?? [];
    if (month === undefined) {
      notes.add("Lines of metrics without a time, skipped", row + 1);
      continue;
    }
    const at = () => Date.UTC(year, Number(month) - 1, Number(day), Number(hour), Number(minute), Number(second)) / 1_000;
    if (at() < lastS - 180 * 86_400) year++; // New Year passed
    lastS = at();
    const labels = labelText(stats[1] === undefined ? [] : [["engine", String(Number(stats[1]))]]);
    const samples: EngineSample[] = [];
    for (const [, title, digits, unit] of stats[2]!.matchAll(/([A-Z][A-Za-z ]*): ([\d.]+) ?(tokens\/s|reqs|%)/g)) {
      const metric = ours[title!];
      if (metric === undefined) notes.add(`Figures named "${title}", which this reader does not know, skipped`, row + 1);
      else samples.push({ metric, cumulative: false, engine: "vllm", modelName, labels, value: unit === "%" ? Number(digits) / 100 : Number(digits) });
    }
    readings.push({ atS: lastS, samples });
  }
  return { readings: readings.sort((a, b) => a.atS! - b.atS!), times: "relative", ownNames: [], notes: notes.texts() };
}
