// Engine metrics: the list, and one metric in steps. What a stored name means decides how its rows become columns.
import { type MetricSelection, type MetricStepRow, metricSteps, metricsSeen, type MetricsSeenRow } from "#clickhouse/engine-metrics.ts";
import { distributionColumns } from "#core/workload/prometheus/distribution-columns.ts";
import { labelsOf } from "#core/workload/prometheus/label-text.ts";
import { storedName, storedNamesOf } from "#core/workload/prometheus/stored-name.ts";
import type { Seconds } from "#core/time-range.ts";
import type { EngineSteps, MetricSteps, MetricSummary } from "#schema/api/metrics.ts";
import type { EngineMetricMeaning } from "#schema/engine-metrics.ts";
import type { routes } from "#schema/api/routes.ts";
import { limits } from "#schema/limits.ts";
import { ApiError } from "../problem.ts";
import { type Handler, type RouteContext, rowsOf } from "../route-context.ts";
import { extentOf, iso, rangeOf } from "./selection.ts";

export const metrics: Handler<"metrics"> = async (context) => {
  const range = rangeOf(context.query, context.nowMs);
  const selection = { ...selectionOf(context, range), placesMax: limits.metricPlacesMax, limit: limits.metricNamesMax + 1 };
  const [extent, rows] = await Promise.all([extentOf(context, range), rowsOf(context, metricsSeen(selection), "metrics")]);
  if (rows.length > limits.metricNamesMax) throw new ApiError("limit_exceeded", { detail: `More than ${limits.metricNamesMax} metrics were seen (metricNamesMax); narrow them by \`engine\`, \`host\` or \`model\`.` });
  const byMetric = groups(rows, ({ metric }) => storedName(metric).metric);
  return { ...extent, metrics: [...byMetric].map(([metric, parts]) => asSummary(metric, parts)).sort((a, b) => (a.metric < b.metric ? -1 : 1)) };
};

// A distribution's parts are one metric: of places and series each part has the same ones, buckets apart.
function asSummary(metric: string, parts: readonly MetricsSeenRow[]): MetricSummary {
  const { meaning } = storedName(parts[0]!.metric);
  const most = (count: (row: MetricsSeenRow) => number) => Math.max(...parts.map(count));
  const names = (of: (row: MetricsSeenRow) => readonly string[]) => [...new Set(parts.flatMap(of))].sort().slice(0, limits.metricPlacesMax);
  return {
    metric, ...told(meaning), engines: names((row) => row.engines), hosts: { names: names((row) => row.hosts), total: most((row) => row.hosts_total) }, models: { names: names((row) => row.models), total: most((row) => row.models_total) },
    series: Math.min(...parts.map((row) => row.series)), points: parts.reduce((sum, row) => sum + row.points, 0),
    firstSeen: iso(Math.min(...parts.map((row) => row.first_s)) * 1_000), lastSeen: iso(most((row) => row.last_s) * 1_000),
  };
}

function told(meaning: EngineMetricMeaning): Pick<MetricSummary, "title" | "kind" | "unit" | "over"> {
  return { title: meaning.title, kind: meaning.kind, unit: meaning.unit, over: meaning.kind === "gauge" ? meaning.over : null };
}

export const metricSeries: Handler<"metricSeries"> = async (context) => {
  const { query } = context;
  const range = rangeOf(query, context.nowMs);
  const whole = storedName(query.metric).metric;
  const stepS = query.step ?? roundStep(range);
  const steps = Math.floor((range.toS - 1) / stepS) - Math.floor(range.fromS / stepS) + 1;
  if (steps > limits.metricStepsMax) throw new ApiError("parameter_invalid", { detail: `\`step\` of ${stepS} s makes ${steps} steps of this range, over the bound of ${limits.metricStepsMax} (metricStepsMax); write at least ${Math.ceil((range.toS - range.fromS) / (limits.metricStepsMax - 1))}, or leave it out.` });
  // A name with the ending of a part is that part of another metric, or a metric of an engine's own that is called so: what is stored tells.
  const statement = metricSteps({ ...selectionOf(context, range), names: [...new Set([whole, query.metric].flatMap(storedNamesOf))], stepS });
  const [extent, found] = await Promise.all([extentOf(context, range), rowsOf(context, statement, "metric-series")]);
  const of = (name: string) => found.filter((row) => storedName(row.metric).metric === name);
  const [metric, rows] = of(query.metric).length > 0 ? [query.metric, of(query.metric)] : [whole, of(whole)];
  // A name outside the closed list says nothing of parts until they are there.
  const { meaning } = storedName(rows.find((row) => row.metric !== metric)?.metric ?? metric);
  const engines = [...groups(rows, ({ engine }) => engine)].map(([engine, ofEngine]) => engineSteps(engine, ofEngine, meaning, range, stepS));
  return { ...extent, metric, ...told(meaning), stepS, engines };
};

function groups<Key, Row>(rows: readonly Row[], keyOf: (row: Row) => Key): Map<Key, Row[]> {
  const found = new Map<Key, Row[]>();
  for (const row of rows) {
    const key = keyOf(row);
    const group = found.get(key);
    if (group === undefined) found.set(key, [row]);
    else group.push(row);
  }
  return found;
}

function selectionOf({ query, caller, nowMs }: RouteContext<(typeof routes)["metrics"]> | RouteContext<(typeof routes)["metricSeries"]>, range: Seconds): MetricSelection {
  if (labelsOf(query.labels) === null) throw new ApiError("parameter_invalid", { detail: `\`labels\` is "${query.labels.slice(0, 60)}"; write k=v,k=v, with % , = in keys and values as %25 %2C %3D.` });
  return { scope: caller.scope, ...range, nowS: Math.floor(nowMs / 1_000), engine: query.engine, hostNames: query.host === undefined ? undefined : [query.host], modelName: query.model, labels: query.labels === "" ? [] : query.labels.split(",") };
}

const roundSteps = [1, 5, 10, 30, 60, 300, 900, 3_600, 6 * 3_600, 12 * 3_600, 86_400]; // seconds

function roundStep({ fromS, toS }: Seconds): number {
  return roundSteps.find((step) => (toS - fromS) / step <= limits.metricStepsDefault)!; // 90 days have 90 of the longest
}

function engineSteps(engine: string, all: readonly MetricStepRow[], meaning: EngineMetricMeaning, range: Seconds, stepS: number): EngineSteps {
  // Counts since the process started are no part of what was counted in the range; they are shown where there is nothing else.
  const inRange = all.filter((row) => row.since_start === 0);
  const since = inRange.length > 0 ? "point" : "start";
  const byStep = [...groups(since === "point" ? inRange : all, ({ t }) => t)].sort(([a], [b]) => a - b);
  const t = byStep.map(([at]) => at);
  const head: MetricSteps = { t, points: byStep.map(([, rows]) => rows.reduce((sum, row) => sum + row.points, 0)) };
  const series = byStep.reduce((most, [, rows]) => rows.reduce((high, row) => Math.max(high, row.series), most), 0);
  const rate = (counts: readonly (number | null)[]) => (since === "start" ? {} : { rate: counts.map((count, i) => (count === null ? null : count / (Math.min(t[i]! + stepS, range.toS) - Math.max(t[i]!, range.fromS)))) });
  if (meaning.kind === "distribution") {
    const { estimate, columns } = distributionColumns(byStep.map(([, rows]) => rows.map((row) => ({ part: storedName(row.metric).part, bound: row.bound, series: row.series, total: row.total, average: row.avg_mean }))));
    return { engine, since, series, estimate, steps: { ...head, ...columns, ...rate(columns.count) } };
  }
  const rows = byStep.map(([, ofStep]) => ofStep[0]!); // one: the metric has no parts
  if (meaning.kind === "counter") {
    const increase = rows.map((row) => row.total);
    return { engine, since, series, estimate: null, steps: { ...head, increase, ...rate(increase) } };
  }
  const summed = meaning.over === "sum";
  const columns = {
    min: rows.map((row) => (summed ? row.min_sum : row.min_least)), max: rows.map((row) => (summed ? row.max_sum : row.max_most)),
    avg: rows.map((row) => (summed ? row.avg_sum : row.avg_mean)), last: rows.map((row) => (summed ? row.last_sum : row.last_mean)),
  };
  return { engine, since, series, estimate: null, steps: { ...head, ...columns } };
}
