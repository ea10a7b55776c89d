// What `lamella metrics` shows, for people; with --json the API's answer is printed instead.
import { basename } from "node:path";
import { durationText, shareText } from "#core/quantity.ts";
import { printable } from "#core/printable.ts";
import { bytesText, countText, exactText } from "#core/shape/number-text.ts";
import type { EngineSteps, MetricSeries, MetricSummary } from "#schema/api/metrics.ts";
import type { MetricsImported } from "./import-metrics.ts";
import { table } from "./output.ts";

const nameLengthMax = 120; // shown of a metric's name

export function metricsTable(metrics: readonly MetricSummary[]): string {
  const places = ({ names, total }: MetricSummary["hosts"]) => (total === 1 ? names[0]! : String(total));
  const rows = metrics.map((one) => [one.metric, one.kind, one.unit, one.engines.join(", "), places(one.hosts), places(one.models), exactText(one.series), countText(one.points), one.lastSeen.slice(0, 19).replace("T", " ")].map(printable));
  return table(["metric", "kind", "unit", "engine", "hosts", "models", "series", "points", "last seen (UTC)"], rows, [6, 7]);
}

export function seriesText(series: MetricSeries): string {
  const head = [`${printable(series.metric)}  ${series.title || series.kind}${series.unit === "" ? "" : `, ${series.unit}`} · steps of ${series.stepS} s`];
  if (series.engines.length === 0) return `${head[0]}\nNo points in this time range. ${series.ingestedThrough === null ? "Nothing was ever ingested." : `Data is current to ${series.ingestedThrough}.`} \`lamella metrics list\` shows what there is.`;
  return [head, ...series.engines.map((one) => engineText(one, series))].flat().join("\n");
}

// Estimated quantiles are written with ≈, those above the last bound of the buckets with >.
function engineText({ engine, since, series: count, estimate, steps }: EngineSteps, { unit }: MetricSeries): string[] {
  const quantiles = ["p50", "p90", "p95", "p99"] as const;
  const shown = (["avg", "min", "max", "last", "increase", "count", "rate", ...quantiles] as const).filter((name) => steps[name]?.some((value) => value !== null));
  const cell = (name: (typeof shown)[number], row: number) => {
    const value = steps[name]![row] ?? null;
    if (value === null) return "";
    if (name === "count") return exactText(Math.round(value));
    if (name === "rate") return `${shortText(value)}/s`;
    const sign = estimate === "buckets" && (quantiles as readonly string[]).includes(name) ? (value === steps.bound?.[row] ? "> " : "≈ ") : "";
    return sign + valueText(value, unit);
  };
  const rows = steps.t.map((at, row) => [new Date(at * 1_000).toISOString().slice(0, 19).replace("T", " "), ...shown.map((name) => cell(name, row))]);
  return [
    "", `${printable(engine || "engine not known")} · ${exactText(count)} series${since === "start" ? " · counted since the engine started: one dump tells no rate" : ""}`,
    table(["from (UTC)", ...shown], rows, shown.map((_, i) => i + 1)),
  ];
}

function valueText(value: number, unit: string): string {
  if (unit === "ratio") return shareText(value);
  if (unit === "seconds") return durationText(Math.round(value * 1e9));
  return unit === "bytes" ? bytesText(value) : shortText(value);
}

function shortText(value: number): string {
  return Math.abs(value) < 1_000 ? String(Number(value.toPrecision(4))) : countText(value);
}

export function metricsImportText(paths: string | readonly string[], imported: MetricsImported): string {
  const { importId, kinds, alreadyImported, readings, points, firstAt, lastAt, moved, ownNames, notes } = imported;
  const names = (typeof paths === "string" ? [paths] : paths).map((path) => basename(path)).join(", ");
  const count = (n: number, word: string) => `${n.toLocaleString("en-US")} ${word}${n === 1 ? "" : "s"}`;
  return [
    `${names}: ${alreadyImported ? "already imported" : "imported"} (${[...new Set(kinds)].join(", ")})`,
    `  ${count(readings, "reading")} · ${count(points, "point")} · filed ${firstAt === lastAt ? `at ${firstAt}` : `from ${firstAt} to ${lastAt}`}${moved ? " (ending at the import: the file's own time is unknown or too old)" : ""}`,
    ...(ownNames.length === 0 ? [] : [`  ${count(ownNames.length, "metric")} under the engine's own name: ${ownNames.slice(0, 8).map((name) => (name.length > nameLengthMax ? `${name.slice(0, nameLengthMax)}…` : name)).join(", ")}${ownNames.length > 8 ? ", …" : ""}`]),
    ...notes.map((note) => `  ${note}`),
    `  See it: lamella metrics list --labels import=${importId}`,
  ].map(printable).join("\n");
}
