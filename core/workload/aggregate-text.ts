// What the engine itself counted, as lines: labelled as aggregates, so that nobody takes them for a request's.
import type { EngineAggregate } from "#schema/api/workloads.ts";
import { printable } from "#core/printable.ts";
import { storedName } from "./prometheus/stored-name.ts";

const shown = [
  "queue_seconds", "prefill_seconds", "decode_seconds", "inference_seconds", "ttft_seconds", "itl_seconds", "tpot_seconds", "e2e_seconds", "kv_cache_usage_ratio", "preemptions", "prompt_tokens",
  "generation_tokens", "prefix_cache_queries", "prefix_cache_hits",
];

export function aggregateLines(aggregates: readonly EngineAggregate[]): string[] {
  const lines = shown.flatMap((metric) => aggregates.filter((one) => one.metric === metric).map((one) => `  ${printable(one.engine === "" ? "" : `${one.engine} `)}${metric}: ${valueText(one)}`));
  const more = aggregates.length - lines.length;
  return ["engine aggregates: of all the engine's requests together, never of one", ...lines, ...(more > 0 ? [`  ${more.toLocaleString("en-US")} more with --json`] : [])];
}

function valueText({ metric, value, observations }: EngineAggregate): string {
  const { kind, unit } = storedName(metric).meaning;
  const number = (n: number) => n.toLocaleString("en-US", { maximumFractionDigits: n < 1 ? 4 : 2 });
  if (unit === "ratio") return `${(100 * value).toFixed(1)} %`;
  if (kind !== "distribution") return `${number(value)} ${unit}`;
  return `${number(value)} ${unit} in ${number(observations)} observations${observations > 0 ? `, ${number(value / observations)} ${unit} on average` : ""}`;
}
