// Prometheus text → readings: each series gets its kind, our name where it has one, our unit, and its labels. Nothing with a finite value is lost: what is outside the
// closed list keeps its own name.
import { engineMetrics } from "#schema/engine-metrics.ts";
import { type EngineName, engineOf, oursOf } from "./engine-names.ts";
import { type Label, labelText } from "./label-text.ts";
import { LineNotes } from "./line-notes.ts";
import { parsePrometheus, type PrometheusSample, type PrometheusText } from "./parse-prometheus.ts";
import type { EngineSample, MetricsFile } from "./reading.ts";
import { type DistributionPart, isEngineMetric, storedName } from "./stored-name.ts";

export function engineReadings(text: string): MetricsFile {
  const notes = new LineNotes();
  const parsed = parsePrometheus(text, notes);
  const families = new Families(parsed);
  const kept = parsed.samples.filter((sample) => {
    const reason = families.isCreationTime(sample) ? "Series that only say when another one was created (_created), skipped"
      : !Number.isFinite(sample.value) ? "Values that are no finite number (NaN, Inf), not stored"
      : sample.labels.some(([key, value]) => key === "le" && Number.isNaN(boundOf(value))) ? "Buckets whose bound (label le) is no number, skipped"
      : null;
    if (reason !== null) notes.add(reason, sample.line);
    return reason === null;
  });
  const newest = newestRanks(kept, families);
  const prefixed = [...new Set(kept.map(({ name }) => engineOf(name)).filter((engine) => engine !== null))];
  const onlyEngine = prefixed.length === 1 ? prefixed[0]! : "";
  const ownNames = new Set<string>();
  const byTime = new Map<number | null, EngineSample[]>();
  for (const sample of kept) {
    const read = engineSample(sample, families.of(sample), onlyEngine, newest, notes);
    if (read === null) continue;
    if (!storedName(read.metric).isKnown) ownNames.add(families.of(sample).base);
    const samples = byTime.get(sample.timestampS);
    if (samples === undefined) byTime.set(sample.timestampS, [read]);
    else samples.push(read);
  }
  const readings = [...byTime].map(([atS, samples]) => ({ atS, samples })).sort((a, b) => (a.atS ?? Infinity) - (b.atS ?? Infinity));
  const times = readings.some(({ atS }) => atS === null) ? "none" : "unix";
  return { readings: times === "none" ? [{ atS: null, samples: readings.flatMap(({ samples }) => samples) }] : readings, times, ownNames: [...ownNames].sort(), notes: notes.texts() };
}

type Family = { readonly base: string; readonly part: DistributionPart | null; readonly cumulative: boolean };

// What a series is, from its type, its labels and its neighbours. Documents carry types under another name than their samples, so types are a hint, never needed.
class Families {
  private readonly types: ReadonlyMap<string, string>;
  private readonly names: ReadonlySet<string>;
  private readonly distributions = new Set<string>();

  constructor({ samples, types }: PrometheusText) {
    this.types = types;
    this.names = new Set(samples.map(({ name }) => name));
    for (const [name, type] of types) if (type === "histogram" || type === "summary") this.distributions.add(name);
    for (const { name, labels } of samples) {
      if (hasLabel(labels, "le")) this.distributions.add(name.replace(/_bucket$/, ""));
      if (hasLabel(labels, "quantile") && types.get(name) !== "gauge") this.distributions.add(name);
    }
  }

  of({ name, labels }: PrometheusSample): Family {
    if (hasLabel(labels, "le")) return { base: name.replace(/_bucket$/, ""), part: "bucket", cumulative: true };
    if (hasLabel(labels, "quantile") && this.distributions.has(name)) return { base: name, part: "quantile", cumulative: false };
    const [, base, part] = /^(.+)_(sum|count)$/.exec(name) ?? [];
    if (base !== undefined && this.distributions.has(base)) return { base, part: part as DistributionPart, cumulative: true };
    const type = this.types.get(name) ?? this.types.get(name.replace(/_total$/, ""));
    return { base: name, part: null, cumulative: type === "counter" || (type === undefined && name.endsWith("_total")) };
  }

  isCreationTime({ name }: PrometheusSample): boolean {
    const base = /^(.+)_created$/.exec(name)?.[1];
    return base !== undefined && ["", "_total", "_count", "_bucket"].some((ending) => this.names.has(base + ending));
  }
}

const rankKey = (engine: EngineName, metric: string) => `${engine} ${metric}`;

// Per engine and metric the newest of its names that the dump has.
function newestRanks(samples: readonly PrometheusSample[], families: Families): ReadonlyMap<string, number> {
  const newest = new Map<string, number>();
  for (const sample of samples) {
    const engine = engineOf(sample.name);
    const ours = engine === null ? null : oursOf(engine, families.of(sample).base, sample.labels);
    if (ours === null) continue;
    const key = rankKey(engine!, ours.metric);
    newest.set(key, Math.min(newest.get(key) ?? Infinity, ours.rank));
  }
  return newest;
}

function engineSample({ name, labels, value, line }: PrometheusSample, { base, part, cumulative }: Family, onlyEngine: string, newest: ReadonlyMap<string, number>, notes: LineNotes): EngineSample | null {
  const engine = engineOf(name);
  const place = { engine: engine ?? onlyEngine, modelName: modelOf(labels) };
  const rest = labels.filter(([key]) => key !== "model_name" && key !== "model");
  const ours = engine === null ? null : oursOf(engine, base, labels);
  const meaning = ours === null ? null : engineMetrics[ours.metric];
  if (ours === null || meaning === null || (meaning.kind === "distribution") !== (part !== null)) return { ...place, ...ownSeries(base, part, cumulative), labels: labelText(withBound(rest, 1)), value };
  if (ours.rank > newest.get(rankKey(engine!, ours.metric))!) {
    notes.add(`Series under an older name of ${ours.metric} beside the newer one, kept under their own name`, line);
    return { ...place, ...ownSeries(base, part, cumulative), labels: labelText(withBound(rest, 1)), value };
  }
  if (meaning.unit === "ratio" && value === -1) {
    notes.add("Shares of -1 (the engine's word for: not measured), not stored", line);
    return null;
  }
  const scaled = part === "bucket" || part === "count" ? value : value / ours.per;
  return { ...place, metric: part === null ? ours.metric : `${ours.metric}_${part}`, cumulative: part === null ? meaning.kind === "counter" : cumulative, labels: labelText(withBound(rest, ours.per)), value: scaled };
}

// A name of the engine's own whose ending says its kind: a counter ends in _total, a gauge in nothing that a counter or a part ends in.
function ownSeries(base: string, part: DistributionPart | null, cumulative: boolean): { metric: string; cumulative: boolean } {
  if (part !== null) return { metric: `${base}_${part}`, cumulative };
  if (cumulative) return { metric: base.endsWith("_total") ? base : `${base}_total`, cumulative };
  const taken = isEngineMetric(base) || storedName(base).meaning.kind !== "gauge";
  return { metric: taken ? `${base}_value` : base, cumulative };
}

// Bounds in our unit and in one spelling: "1", "1.0" and "1e0" are one bucket.
function withBound(labels: readonly Label[], per: number): Label[] {
  return labels.map(([key, value]): Label => {
    if (key === "le") return [key, boundOf(value) === Infinity ? "+Inf" : String(boundOf(value) / per)];
    return [reserved.has(key) ? `exported_${key}` : key, value];
  });
}

function boundOf(text: string): number {
  return /^\+?inf$/i.test(text) ? Infinity : text === "" ? Number.NaN : Number(text);
}

// Labels that encode-metrics.ts sets itself.
const reserved: ReadonlySet<string> = new Set(["since", "import"]);

function modelOf(labels: readonly Label[]): string {
  return (labels.find(([key]) => key === "model_name") ?? labels.find(([key]) => key === "model"))?.[1] ?? "";
}

function hasLabel(labels: readonly Label[], key: string): boolean {
  return labels.some(([one]) => one === key);
}
