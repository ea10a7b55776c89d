// Names in the store → metrics. A distribution is stored in parts, each a metric of its own by its ending. For names outside the closed list the ending alone says the
// kind: _total, _sum, _count and _bucket are counters, everything else is a gauge; engine-readings.ts sees to it that this is always true.
import { type EngineMetric, type EngineMetricMeaning, engineMetrics } from "#schema/engine-metrics.ts";

export const distributionParts = ["bucket", "quantile", "sum", "count"] as const; // bucket by label le, quantile by label quantile
export type DistributionPart = (typeof distributionParts)[number];

export type StoredName = { readonly metric: string; readonly part: DistributionPart | null; readonly meaning: EngineMetricMeaning; readonly isKnown: boolean };

export function isEngineMetric(name: string): name is EngineMetric {
  return Object.hasOwn(engineMetrics, name);
}

export function storedName(name: string): StoredName {
  if (isEngineMetric(name)) return { metric: name, part: null, meaning: engineMetrics[name], isKnown: true };
  const [, metric, part] = /^(.+)_(bucket|quantile|sum|count)$/.exec(name) ?? [];
  if (metric !== undefined && isEngineMetric(metric) && engineMetrics[metric].kind === "distribution") return { metric, part: part as DistributionPart, meaning: engineMetrics[metric], isKnown: true };
  if (metric !== undefined) return { metric, part: part as DistributionPart, meaning: { kind: "distribution", unit: unitOf(metric), title: "" }, isKnown: false };
  if (name.endsWith("_total")) return { metric: name, part: null, meaning: { kind: "counter", unit: unitOf(name), title: "" }, isKnown: false };
  return { metric: name, part: null, meaning: { kind: "gauge", unit: unitOf(name), over: "average", title: "" }, isKnown: false };
}

// Every name under which the store may hold something of a metric.
export function storedNamesOf(metric: string): string[] {
  return [metric, ...distributionParts.map((part) => `${metric}_${part}`)];
}

// What a name says of its unit, "" when it does not.
function unitOf(name: string): string {
  return /_(seconds|bytes|tokens|ratio|requests|joules|watts|celsius)(?=_total$|$)/.exec(name)?.[1] ?? "";
}
