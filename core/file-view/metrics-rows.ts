// What a file of engine metrics says, one row a series: its last value, how far it moved since the first reading, and of a distribution the mean of what was observed.
// Buckets and quantiles are counted, not listed: a table of them tells nobody anything.
import type { Reading } from "#core/workload/prometheus/reading.ts";
import { storedName } from "#core/workload/prometheus/stored-name.ts";

export type MetricRow = {
  readonly metric: string;
  readonly title: string; // "" for an engine's own name
  readonly kind: "gauge" | "counter" | "distribution";
  readonly unit: string; // "" = the name does not say
  readonly engine: string;
  readonly modelName: string;
  readonly labels: string;
  readonly value: number | null; // of a distribution the mean; null: nothing was observed
  readonly count: number | null; // observations of a distribution
  readonly change: number | null; // of a counter since the first reading; null: one reading, or it counts nothing
};

export type MetricRows = { readonly rows: readonly MetricRow[]; readonly notListed: number };

type Parts = { sum: number | undefined; count: number | undefined };

export function metricRows(readings: readonly Reading[]): MetricRows {
  const [first, last] = [readings[0], readings.at(-1)];
  if (first === undefined || last === undefined) return { rows: [], notListed: 0 };
  const before = new Map(first === last ? [] : first.samples.map((sample) => [keyOf(sample.metric, sample), sample.value]));
  const rows: MetricRow[] = [];
  const distributions = new Map<string, { row: MetricRow; parts: Parts }>();
  let notListed = 0;
  for (const sample of last.samples) {
    const { metric, part, meaning } = storedName(sample.metric);
    const { engine, modelName, labels, value } = sample;
    const row: MetricRow = { metric, title: meaning.title, kind: meaning.kind, unit: meaning.unit, engine, modelName, labels, value, count: null, change: null };
    if (part === "sum" || part === "count") {
      const key = keyOf(metric, sample);
      if (!distributions.has(key)) distributions.set(key, { row, parts: { sum: undefined, count: undefined } });
      distributions.get(key)!.parts[part] = value;
    } else if (part !== null) notListed++;
    else {
      const was = before.get(keyOf(sample.metric, sample));
      rows.push({ ...row, change: meaning.kind === "counter" && was !== undefined ? value - was : null });
    }
  }
  for (const { row, parts: { sum, count } } of distributions.values()) rows.push({ ...row, count: count ?? null, value: sum === undefined || count === undefined || count === 0 ? null : sum / count });
  return { rows: rows.sort((a, b) => compare(a.engine, b.engine) || compare(a.metric, b.metric) || compare(a.labels, b.labels)), notListed };
}

function keyOf(metric: string, { engine, modelName, labels }: { engine: string; modelName: string; labels: string }): string {
  return JSON.stringify([metric, engine, modelName, labels]);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
