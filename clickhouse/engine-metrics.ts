// Engine metrics of a range: which there are, and what they were step by step. Whole hours come from the roll-up where the step is whole hours, partial ones and shorter
// steps from the raw points; either way the answer is the same. Labels are told by position(), which is asked once per distinct text; splitting it is asked once per row.
// Series become one only inside one engine: a front end counts the requests of the engines behind it too.
import { z } from "zod";
import type { Query } from "./client.ts";
import { ceilingTo, dayS, floorTo, hourS, moment } from "./moments.ts";
import { retainedFromS } from "./samples.ts";
import type { TenantScope } from "./scope.ts";

// The import that points of a host came with; "" = a scrape.
export type HostSource = { readonly host_name: string; readonly source: string };

export type MetricSelection = {
  readonly scope: TenantScope;
  readonly fromS: number; // Unix seconds, inclusive
  readonly toS: number; // exclusive
  readonly nowS: number; // the caller's clock, for the retention cut
  readonly names?: readonly string[] | undefined; // as stored
  readonly engine?: string | undefined;
  readonly hostNames?: readonly string[] | undefined;
  readonly modelName?: string | undefined;
  readonly labels: readonly string[]; // "k=v" each, as stored; a series must have all of them
  readonly sources?: readonly HostSource[] | undefined; // of these hosts alone, and of each what came from there
};

const place = "metric, engine, host_name, model_name, labels";

// Commas separate labels and stand nowhere else in them (core/workload/prometheus/label-text.ts).
const hasLabel = (label: string) => `position(concat(',', labels, ','), concat(',', ${label}, ',')) > 0`;

const sourceOf = "extract(labels, '(?:^|,)import=([^,]*)')";

function conditions({ scope, fromS, nowS, names, engine, hostNames, modelName, labels, sources }: MetricSelection): { sql: string; fromS: number; params: Record<string, string> } {
  const params: Record<string, string> = {};
  const bind = (name: string, value: string): string => {
    params[name] = value;
    return `{${name}:String}`;
  };
  // Each a parameter of its own: five of 16 kB in one array are more than a server takes as one.
  const among = (column: string, values: readonly string[] | undefined) => (values === undefined ? [] : [`AND ${column} IN (${values.map((value, i) => bind(`${column}${i}`, value)).join(", ")})`]);
  const parts = [
    ...among("metric", names), ...among("engine", engine === undefined ? undefined : [engine]), ...among("host_name", hostNames), ...among("model_name", modelName === undefined ? undefined : [modelName]),
    ...labels.map((label, i) => `AND ${hasLabel(bind(`label${i}`, label))}`),
    ...(sources === undefined ? [] : [`AND (host_name, ${sourceOf}) IN (${sources.map(({ host_name, source }, i) => `(${bind(`source_host${i}`, host_name)}, ${bind(`source${i}`, source)})`).join(", ")})`]),
  ];
  return { sql: parts.join(" "), fromS: Math.max(fromS, retainedFromS(scope, nowS)), params };
}

const seenRow = z.object({
  metric: z.string(), engines: z.array(z.string()), hosts: z.array(z.string()), hosts_total: z.coerce.number(), models: z.array(z.string()), models_total: z.coerce.number(),
  series: z.coerce.number(), points: z.coerce.number(), first_s: z.coerce.number(), last_s: z.coerce.number(),
});
export type MetricsSeenRow = z.infer<typeof seenRow>;

const exactSecondsMax = 6 * hourS; // up to here the raw points are asked, and the answer is exact; beyond, it is of whole hours
const hourlySecondsMax = 2 * dayS; // from here on whole days of series come from their own roll-up

// One row per stored name, by name. What is asked of series is asked once of each; how many points there were only adds up.
export function metricsSeen(selection: MetricSelection & { readonly placesMax: number; readonly limit: number }): Query & { row: typeof seenRow } {
  const { toS, placesMax, limit } = selection;
  const { sql, fromS, params } = conditions(selection);
  const seconds = toS - fromS;
  const some = (column: string) => `arraySlice(arraySort(groupUniqArrayIf(${column}::String, ${column} != '')), 1, {placesMax:UInt32})`;
  const within = (table: string, time: string) => `FROM ${table} WHERE tenant_id = {tenant:String} AND ${time} ${sql}`;
  const series = (first: string, last: string, rows: string) => `SELECT ${place}, min(${first}) AS first, max(${last}) AS last ${rows} GROUP BY ${place}`;
  const points = within("engine_metrics", `ts >= ${moment("from")} AND ts < ${moment("to")}`);
  const hours = within("engine_metrics_1h", `bucket >= toStartOfHour(${moment("from")}) AND bucket < ${moment("to")}`);
  const [dayFrom, dayTo] = [ceilingTo(floorTo(fromS, hourS), dayS), floorTo(toS, dayS)];
  const parts =
    seconds <= exactSecondsMax ? [series("ts", "ts", points)]
    : seconds <= hourlySecondsMax ? [series("first_at", "last_at", hours)]
    : [
        series("first_at", "last_at", within("engine_metrics_1d", `day >= toDate(${moment("day_from")}) AND day < toDate(${moment("day_to")})`)),
        series("first_at", "last_at", `${hours} AND (bucket < ${moment("day_from")} OR bucket >= ${moment("day_to")})`),
      ];
  return {
    sql: `
SELECT metric, ${some("engine")} AS engines, ${some("host_name")} AS hosts, uniqExactIf(host_name, host_name != '') AS hosts_total, ${some("model_name")} AS models,
       uniqExactIf(model_name, model_name != '') AS models_total, uniqExact(engine, host_name, model_name, arrayFilter(pair -> pair NOT IN ('', 'since=start'), splitByChar(',', labels))) AS series,
       any(counted.points) AS points, toUnixTimestamp(min(first)) AS first_s, toUnixTimestamp(max(last)) AS last_s
FROM (
  ${parts.join("\n  UNION ALL\n  ")}
) AS one
ANY LEFT JOIN (SELECT metric, ${seconds <= exactSecondsMax ? `count() AS points ${points}` : `sum(count) AS points ${hours}`} GROUP BY metric) AS counted USING (metric)
GROUP BY metric ORDER BY metric LIMIT {limit:UInt32}`,
    params: { ...params, from: fromS, to: toS, placesMax, limit, ...(parts.length > 1 ? { day_from: dayFrom, day_to: dayTo } : {}) },
    row: seenRow,
  };
}

const sourceRow = z.object({ host_name: z.string(), source: z.string(), sources: z.coerce.number() });

// Where the points of each host came from, by whole hours: the import, or the scrape, that says most of the range, from its first to its last point.
export function metricSources(selection: MetricSelection): Query & { row: typeof sourceRow } {
  const { sql, fromS, params } = conditions(selection);
  return {
    sql: `SELECT host_name, ${sourceOf} AS source, count() OVER (PARTITION BY host_name) AS sources FROM engine_metrics_1h
WHERE tenant_id = {tenant:String} AND bucket >= toStartOfHour(${moment("from")}) AND bucket < ${moment("to")} ${sql}
GROUP BY host_name, source
ORDER BY host_name, least(toUnixTimestamp(max(last_at)), {to:UInt32}) - greatest(toUnixTimestamp(min(first_at)), {from:UInt32}) DESC, sum(count) DESC, source LIMIT 1 BY host_name`,
    params: { ...params, from: fromS, to: selection.toS },
    row: sourceRow,
  };
}

const stepRow = z.object({
  t: z.coerce.number(), engine: z.string(), metric: z.string(), bound: z.string(), since_start: z.coerce.number(), series: z.coerce.number(), points: z.coerce.number(), total: z.number(),
  avg_sum: z.number(), avg_mean: z.number(), min_sum: z.number(), min_least: z.number(), max_sum: z.number(), max_most: z.number(), last_sum: z.number(), last_mean: z.number(),
});
export type MetricStepRow = z.infer<typeof stepRow>;

// One row per step, engine, stored name, bound of a bucket or quantile ('' for neither), and per kind of count: since the point before, or since the process started.
// First each series by itself (its average, extremes, last), then over the series both as a sum and as an average: which one is meant depends on the metric.
export function metricSteps(selection: MetricSelection & { readonly names: readonly string[]; readonly stepS: number }): Query & { row: typeof stepRow } {
  const { toS, stepS } = selection;
  const { sql, fromS, params } = conditions(selection);
  const [middleFrom, middleTo] = [ceilingTo(fromS, hourS), floorTo(toS, hourS)];
  const step = (time: string) => `intDiv(toUnixTimestamp(${time}), {step:UInt32}) * {step:UInt32} AS t`;
  const raw = (time: string) => `SELECT ${step("ts")}, ${place}, sum(value) AS total, count() AS points, min(value) AS least, max(value) AS most, argMaxState(value, ts) AS latest
    FROM engine_metrics WHERE tenant_id = {tenant:String} AND ${time} ${sql} GROUP BY t, ${place}`;
  const hourly = `SELECT ${step("bucket")}, ${place}, sum(sum) AS total, sum(count) AS points, min(min) AS least, max(max) AS most, argMaxMergeState(last) AS latest
    FROM engine_metrics_1h WHERE tenant_id = {tenant:String} AND bucket >= ${moment("middle_from")} AND bucket < ${moment("middle_to")} ${sql} GROUP BY t, ${place}`;
  const usesHours = stepS % hourS === 0 && middleFrom < middleTo;
  const edges = [...(fromS === middleFrom ? [] : [`(ts >= ${moment("from")} AND ts < ${moment("middle_from")})`]), ...(toS === middleTo ? [] : [`(ts >= ${moment("middle_to")} AND ts < ${moment("to")})`])];
  const parts = usesHours ? [hourly, ...(edges.length === 0 ? [] : [raw(`(${edges.join(" OR ")})`)])] : [raw(`ts >= ${moment("from")} AND ts < ${moment("to")}`)];
  return {
    sql: `
SELECT t, engine, metric, extract(labels, '(?:^|,)(?:le|quantile)=([^,]*)') AS bound, ${hasLabel("'since=start'")} AS since_start,
       count() AS series, sum(one.points) AS points, sum(one.total) AS total, sum(one.total / one.points) AS avg_sum, avg(one.total / one.points) AS avg_mean,
       sum(least) AS min_sum, min(least) AS min_least, sum(most) AS max_sum, max(most) AS max_most, sum(latest) AS last_sum, avg(latest) AS last_mean
FROM (
  SELECT t, ${place}, sum(part.total) AS total, sum(part.points) AS points, min(part.least) AS least, max(part.most) AS most, argMaxMerge(part.latest) AS latest
  FROM (
    ${parts.join("\n    UNION ALL\n    ")}
  ) AS part GROUP BY t, ${place}
) AS one
GROUP BY t, engine, metric, bound, since_start ORDER BY engine, t, metric, bound`,
    params: { ...params, step: stepS, from: fromS, to: toS, ...(usesHours ? { middle_from: middleFrom, middle_to: middleTo } : {}) },
    row: stepRow,
  };
}
