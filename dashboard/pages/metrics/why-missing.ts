// Why a panel has nothing to show, and what would change that.
import { engines, engineNames } from "#core/workload/prometheus/engine-names.ts";
import type { EngineMetric } from "#schema/engine-metrics.ts";
import type { PanelSpec } from "./panels.ts";

// `present`: engines that report anything in the selection.
export function whyMissing({ traces }: PanelSpec, present: readonly string[], filtered: boolean): string {
  const metrics = [...new Set(traces.flatMap(({ metric, instead }) => [metric, ...(instead === undefined ? [] : [instead.metric])]))];
  const writers = engineNames.flatMap((engine) => {
    const name = metrics.map((metric) => nameOf(engine, metric)).find((one) => one !== null);
    return name === undefined || name === null ? [] : [{ engine, name }];
  });
  const able = writers.filter(({ engine }) => present.includes(engine));
  const [who, does] = filtered ? ["No engine of this selection", "reports it"] : ["No engine", "reported it in this range"];
  const words = [`${who} ${does}.`];
  if (able.length > 0) words.push(`${able.map(({ engine, name }) => `${engine} calls it ${name}`).join(", ")}: an older or newer version may not have it, or nothing happened yet.`);
  else if (writers.length > 0) words.push(`Those that do: ${writers.map(({ engine, name }) => `${engine} (${name})`).join(", ")}.`);
  if (present.includes("triton")) words.push("Triton passes on what its vLLM backend measures only with REPORT_CUSTOM_METRICS in the model's parameters.");
  if (present.includes("sglang") && able.length === 0) words.push("SGLang measures requests only with --enable-metrics.");
  return words.join(" ");
}

function nameOf(engine: keyof typeof engines, metric: EngineMetric): string | null {
  const [source] = (engines[engine].names as Partial<Record<EngineMetric, readonly (string | { readonly name: string })[]>>)[metric] ?? [];
  return source === undefined ? null : typeof source === "string" ? source : source.name;
}
