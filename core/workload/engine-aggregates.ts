// What an engine counted while a benchmark ran, from its metrics before and after. Counts of one dump are since the engine started, so they hold requests of earlier runs
// too. They are of all requests together: nothing is ever made of them for one.
import type { EngineAggregate } from "#schema/api/workloads.ts";
import { limits } from "#schema/limits.ts";
import { storedName } from "./prometheus/stored-name.ts";
import type { EngineSample, Reading } from "./prometheus/reading.ts";

export type EngineAggregates = { aggregates: EngineAggregate[]; notes: string[] };

// `readings` by time. Of the closed list of metrics alone (schema/engine-metrics.ts); gauges as they were at the end.
export function engineAggregates(readings: readonly Reading[]): EngineAggregates {
  const notes: string[] = [];
  const last = readings.at(-1);
  if (last === undefined) return { aggregates: [], notes };
  const first = readings.length > 1 ? new Map(readings[0]!.samples.map((sample) => [seriesKey(sample), sample.value])) : new Map<string, number>();
  const restarted = last.samples.some((sample) => sample.cumulative && sample.value < (first.get(seriesKey(sample)) ?? 0));
  if (readings.length === 1) notes.push("The engine's own figures count since it started: requests before this run are in them. A dump before the run beside one after it tells the run alone (--prometheus twice)");
  else if (restarted) notes.push("The engine restarted between its dumps: its own figures count since then");
  const found = new Map<string, { aggregate: EngineAggregate; series: number; average: boolean }>();
  for (const sample of last.samples) {
    const { metric, part, meaning, isKnown } = storedName(sample.metric);
    if (!isKnown || part === "bucket" || part === "quantile") continue;
    const key = `${sample.engine}\0${metric}`;
    if (!found.has(key)) found.set(key, { aggregate: { engine: sample.engine, metric, value: 0, observations: 0 }, series: 0, average: meaning.kind === "gauge" && meaning.over === "average" });
    const entry = found.get(key)!;
    const counted = sample.value - (sample.cumulative && !restarted ? (first.get(seriesKey(sample)) ?? 0) : 0);
    entry.series++;
    entry.aggregate[part === "count" ? "observations" : "value"] += counted;
  }
  const all = [...found.values()].map(({ aggregate, series, average }) => ({ ...aggregate, value: average ? aggregate.value / series : aggregate.value }));
  const aggregates = all.filter(({ value, observations }) => Math.max(Math.abs(value), Math.abs(observations)) <= limits.measuredValueMax);
  if (aggregates.length < all.length) notes.push(`The engine's own figures over ${limits.measuredValueMax} (measuredValueMax), left out: ${all.length - aggregates.length}`);
  if (aggregates.length > limits.workloadFiguresMax) notes.push(`The engine's own figures, more than ${limits.workloadFiguresMax} (workloadFiguresMax): the rest is left out`);
  return { aggregates: aggregates.sort((a, b) => (a.engine < b.engine || (a.engine === b.engine && a.metric < b.metric) ? -1 : 1)).slice(0, limits.workloadFiguresMax), notes };
}

function seriesKey({ metric, engine, modelName, labels }: EngineSample): string {
  return JSON.stringify([metric, engine, modelName, labels]);
}
