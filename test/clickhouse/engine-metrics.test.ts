// Engine metrics on a real ClickHouse. Points go in as uploads make them; every case is a tenant of its own.
import { create } from "@bufbuild/protobuf";
import { readFileSync } from "node:fs";
import { afterAll, describe, expect, test } from "vitest";
import { type MetricSelection, metricsSeen, metricSteps, type MetricStepRow } from "#clickhouse/engine-metrics.ts";
import { renderMigration } from "#clickhouse/migrate.ts";
import { type TenantScope, tenantScope } from "#clickhouse/scope.ts";
import { storedNamesOf } from "#core/workload/prometheus/stored-name.ts";
import { MetricsUploadSchema } from "#schema/gen/lamella/v1/metrics_pb.ts";
import { openEngine } from "#test/rig/engine.ts";
import { ask, insertBlock } from "#test/rig/store.ts";
import { metricRows } from "#workers/ingest/rows-executions.ts";

const engine = openEngine();
afterAll(() => engine.close());

const hourS = 3_600;
const nowS = Math.floor(Date.now() / 1_000);
const hour = nowS - (nowS % hourS) - 48 * hourS; // a full hour, two days ago
let tenants = 0;
const newTenant = (retentionDays = 30) => tenantScope(`${"abcdefghijklmnopqrstuvwxyz"[tenants++]}`.repeat(16), retentionDays);

type Series = { metric: string; engine?: string; host?: string; model?: string; labels?: string };

// Points of one series: [seconds after `hour`, value].
async function put(scope: TenantScope, { metric, engine: by = "vllm", host = "node-1", model = "org/net", labels = "" }: Series, ...points: [number, number][]): Promise<void> {
  await insertBlock(engine, "engine_metrics", metricRows(scope, create(MetricsUploadSchema, {
    baseTimeS: BigInt(hour), strings: ["", metric, by, host, model, labels], seriesMetric: [1], seriesEngine: [2], seriesHostName: [3], seriesModelName: [4], seriesLabels: [5],
    pointSeries: points.map(() => 0), pointTimeS: points.map(([at]) => BigInt(at)), pointValue: points.map(([, value]) => value),
  })));
}

const selection = (scope: TenantScope, change: Partial<MetricSelection> = {}): MetricSelection => ({ scope, fromS: hour, toS: hour + 4 * hourS, nowS, labels: [], ...change });
const steps = async (scope: TenantScope, metric: string, stepS: number, change: Partial<MetricSelection> = {}): Promise<MetricStepRow[]> =>
  await ask(engine, scope, metricSteps({ ...selection(scope, change), names: storedNamesOf(metric), stepS }));
const seen = async (scope: TenantScope, change: Partial<MetricSelection> = {}, limit = 100) => await ask(engine, scope, metricsSeen({ ...selection(scope, change), placesMax: 2, limit }));

describe("steps", () => {
  test("each series first by itself, then all of them, as a sum and as an average", async () => {
    const scope = newTenant();
    await put(scope, { metric: "kv_cache_usage_ratio", host: "node-1" }, [0, 0.2], [10, 0.4], [20, 0.6], [60, 0.5]);
    await put(scope, { metric: "kv_cache_usage_ratio", host: "node-2" }, [5, 0.8]);
    // Minute 1: node-1 averages 0.4 over three points, node-2 has 0.8: their mean is 0.6, whatever the number of points.
    expect(await steps(scope, "kv_cache_usage_ratio", 60)).toMatchObject([
      { t: hour, engine: "vllm", metric: "kv_cache_usage_ratio", bound: "", since_start: 0, series: 2, points: 4, total: 2, avg_sum: expect.closeTo(1.2, 12), avg_mean: expect.closeTo(0.6, 12), min_sum: 1, min_least: 0.2, max_sum: expect.closeTo(1.4, 12), max_most: 0.8, last_sum: expect.closeTo(1.4, 12), last_mean: expect.closeTo(0.7, 12) },
      { t: hour + 60, series: 1, points: 1, avg_sum: 0.5, avg_mean: 0.5, last_sum: 0.5 },
    ]);
  });

  test("engines are never added to one another", async () => {
    const scope = newTenant();
    await put(scope, { metric: "requests_running", engine: "vllm" }, [0, 8]);
    await put(scope, { metric: "requests_running", engine: "dynamo" }, [0, 8]);
    expect((await steps(scope, "requests_running", 60)).map((row) => [row.engine, row.avg_sum])).toEqual([["dynamo", 8], ["vllm", 8]]);
  });

  test("buckets keep their bounds, and what was counted before the first point stands apart", async () => {
    const scope = newTenant();
    for (const [labels, before, increase] of [["engine=0,le=0.5,since=start", 3, null], ["engine=0,le=0.5", null, 1], ["engine=0,le=+Inf,since=start", 4, null], ["engine=0,le=+Inf", null, 2]] as const) {
      await put(scope, { metric: "ttft_seconds_bucket", labels }, before === null ? [10, increase] : [0, before]);
    }
    await put(scope, { metric: "ttft_seconds_sum", labels: "engine=0" }, [10, 1.5]);
    const rows = await steps(scope, "ttft_seconds", 60);
    expect(rows.map(({ metric, bound, since_start, total }) => [metric, bound, since_start, total]).sort()).toEqual([
      ["ttft_seconds_bucket", "+Inf", 0, 2], ["ttft_seconds_bucket", "+Inf", 1, 4], ["ttft_seconds_bucket", "0.5", 0, 1], ["ttft_seconds_bucket", "0.5", 1, 3], ["ttft_seconds_sum", "", 0, 1.5],
    ]);
  });

  test("a label whose value spells another label is not taken for it", async () => {
    const scope = newTenant();
    await put(scope, { metric: "ttft_seconds_bucket", labels: "file=x%2Cle%3D9%2Csince%3Dstart,le=0.5" }, [0, 1]);
    expect(await steps(scope, "ttft_seconds", 60)).toMatchObject([{ bound: "0.5", since_start: 0 }]);
  });

  test("the range has its start and not its end; the last of a step is the latest, in whatever order points came", async () => {
    const scope = newTenant();
    await put(scope, { metric: "requests_running" }, [59, 5], [0, 1], [30, 9], [60, 7]);
    expect(await steps(scope, "requests_running", 60, { toS: hour + 60 })).toMatchObject([{ points: 3, last_sum: 5, max_sum: 9 }]);
    expect(await steps(scope, "requests_running", 60, { fromS: hour + 1, toS: hour + 59 })).toMatchObject([{ points: 1, last_sum: 9 }]);
  });

  test("hours from the roll-up are what the raw points say, partial hours at both ends included, merged or not", async () => {
    const scope = newTenant();
    const points = Array.from({ length: 400 }, (_, i): [number, number] => [i * 37, Math.round(1e6 * Math.abs(Math.sin(i))) / 1e6]);
    for (const host of ["node-1", "node-2"]) for (const half of [points.slice(0, 231), points.slice(231)]) await put(scope, { metric: "requests_running", host }, ...half.map(([at, value]): [number, number] => [at, host === "node-1" ? value : 10 * value]));
    const range = { fromS: hour + 1_000, toS: hour + 3 * hourS + 2_000 };
    const expected = [0, 1, 2, 3].map((step) => {
      const inside = points.filter(([at]) => at >= 1_000 && at < 3 * hourS + 2_000 && Math.floor(at / hourS) === step);
      const sum = inside.reduce((total, [, value]) => total + value, 0);
      return { t: hour + step * hourS, series: 2, points: 2 * inside.length, total: expect.closeTo(11 * sum, 6), avg_sum: expect.closeTo((11 * sum) / inside.length, 9), min_least: Math.min(...inside.map(([, value]) => value)), last_sum: expect.closeTo(11 * inside.at(-1)![1], 9) };
    });
    const used = metricSteps({ ...selection(scope, range), names: ["requests_running"], stepS: hourS }).sql;
    expect([used.includes("engine_metrics_1h"), /FROM engine_metrics\b(?!_)/.test(used)]).toEqual([true, true]);
    expect(await steps(scope, "requests_running", hourS, range)).toMatchObject(expected);
    await engine.command("OPTIMIZE TABLE engine_metrics_1h FINAL");
    expect(await steps(scope, "requests_running", hourS, range)).toMatchObject(expected);
    // Two hours a step: the same points once more.
    const pairs = await steps(scope, "requests_running", 2 * hourS, range);
    expect(pairs.reduce((sum, row) => sum + row.points, 0)).toBe(expected.reduce((sum, row) => sum + row.points, 0));
  });

  test("filters choose series by engine, host, model and labels", async () => {
    const scope = newTenant();
    await put(scope, { metric: "requests_running", host: "node-1", labels: "engine=0,zone=a" }, [0, 1]);
    await put(scope, { metric: "requests_running", host: "node-2", labels: "engine=1,zone=a" }, [0, 2]);
    await put(scope, { metric: "requests_running", host: "node-2", model: "org/other", labels: "engine=10" }, [0, 4]);
    await put(scope, { metric: "requests_running", engine: "sglang", labels: "engine=0" }, [0, 8]);
    const total = async (change: Partial<MetricSelection>) => (await steps(scope, "requests_running", 60, change)).reduce((sum, row) => sum + row.total, 0);
    expect(await total({})).toBe(15);
    expect(await total({ engine: "vllm" })).toBe(7);
    expect(await total({ hostNames: ["node-2"] })).toBe(6);
    expect(await total({ hostNames: ["node-2"], modelName: "org/net" })).toBe(2);
    expect(await total({ labels: ["zone=a"] })).toBe(3);
    expect(await total({ labels: ["zone=a", "engine=1"] })).toBe(2);
    expect(await total({ labels: ["engine=1"] })).toBe(2); // and not engine=10
    expect(await total({ labels: ["zone=a' OR 1"] })).toBe(0);
  });

  test("nothing older than the tenant keeps is read", async () => {
    const scope = newTenant(7);
    await put(scope, { metric: "requests_running" }, [-6 * 86_400, 1], [0, 2]);
    expect((await steps(scope, "requests_running", hourS, { fromS: hour - 20 * 86_400 })).map((row) => row.total)).toEqual([2]);
  });

  test("of two tenants each sees its own", async () => {
    const [one, other] = [newTenant(), newTenant()];
    await put(one, { metric: "requests_running" }, [0, 1]);
    await put(other, { metric: "requests_running" }, [0, 2]);
    for (const stepS of [60, hourS]) expect([(await steps(one, "requests_running", stepS)).map((row) => row.total), (await steps(other, "requests_running", stepS)).map((row) => row.total)]).toEqual([[1], [2]]);
  });
});

describe("the list", () => {
  test("names what was seen, where, how often and when; a short range to the second, a long one by whole hours", async () => {
    const scope = newTenant();
    for (const host of ["node-1", "node-2", "node-3"]) await put(scope, { metric: "requests_running", host, labels: "engine=0" }, [0, 1], [100, 2]);
    await put(scope, { metric: "requests_running", host: "node-1", engine: "sglang", model: "" }, [7_300, 5]);
    await put(scope, { metric: "prompt_tokens", host: "" }, [50, 9]);
    await put(scope, { metric: "prompt_tokens", host: "", labels: "since=start" }, [40, 9]); // the same series, before its first point
    const running = { metric: "requests_running", engines: ["sglang", "vllm"], hosts: ["node-1", "node-2"], hosts_total: 3, models: ["org/net"], models_total: 1, series: 4, points: 7, first_s: hour, last_s: hour + 7_300 };
    const prompt = { metric: "prompt_tokens", engines: ["vllm"], hosts: [], hosts_total: 0, models: ["org/net"], models_total: 1, series: 1, points: 2, first_s: hour + 40, last_s: hour + 50 };
    expect(await seen(scope)).toEqual([prompt, running]);
    expect(await seen(scope, { toS: hour + 10 * hourS })).toEqual([prompt, running]);
    expect(await seen(scope, {}, 1)).toEqual([prompt]);
    expect(await seen(scope, { fromS: hour + 60, toS: hour + 200 })).toMatchObject([{ metric: "requests_running", points: 3, first_s: hour + 100 }]);
    expect(await seen(scope, { labels: ["engine=0"], hostNames: ["node-2"] })).toMatchObject([{ series: 1, points: 2, hosts: ["node-2"] }]);
    expect(await seen(newTenant())).toEqual([]);
  });

  // Naive: every point by itself, whole hours.
  type Point = { metric: string; host: string; labels: string; atS: number };
  function seenIn(points: readonly Point[], fromS: number, toS: number) {
    const within = points.filter(({ atS }) => atS - (atS % hourS) >= fromS - (fromS % hourS) && atS - (atS % hourS) < toS);
    return [...new Set(within.map(({ metric }) => metric))].sort().map((metric) => {
      const own = within.filter((point) => point.metric === metric);
      return { metric, hosts_total: new Set(own.map(({ host }) => host)).size, series: new Set(own.map(({ host, labels }) => `${host} ${labels}`)).size, points: own.length, first_s: Math.min(...own.map(({ atS }) => atS)), last_s: Math.max(...own.map(({ atS }) => atS)) };
    });
  }

  describe("days: their series come from a roll-up of their own, and the answer is still of whole hours", () => {
    const scope = newTenant();
    const points = Array.from({ length: 400 }, (_, i): Point => ({ metric: `m${i % 3}`, host: `node-${i % 7}`, labels: `rank=${i % 5}`, atS: hour - 5 * 86_400 + ((i * 7_919 * 61) % (7 * 86_400)) }));

    test("stored", async () => {
      const series = new Map<string, Point[]>();
      for (const point of points) series.set(`${point.metric} ${point.host} ${point.labels}`, [...(series.get(`${point.metric} ${point.host} ${point.labels}`) ?? []), point]);
      for (const own of series.values()) await put(scope, own[0]!, ...own.map(({ atS }): [number, number] => [atS - hour, 1]));
    });

    test.each([[-5 * 86_400, 2 * 86_400], [-4 * 86_400 + 1_234, 86_400 + 4_321], [-3 * 86_400, 0], [-72 * hourS - 1, 2], [-50 * hourS, 0], [-47 * hourS, 0], [-9 * hourS, 30 * hourS + 1]])("from %d to %d s", async (from, to) => {
      const [fromS, toS] = [hour + from, hour + to];
      expect(await seen(scope, { fromS, toS })).toMatchObject(seenIn(points, fromS, toS));
      expect(await seen(scope, { fromS, toS, hostNames: ["node-2"], labels: ["rank=3"] })).toMatchObject(seenIn(points.filter(({ host, labels }) => host === "node-2" && labels === "rank=3"), fromS, toS));
    });

    test("filling the days again from the hours, as the migration does over a store in use, changes nothing", async () => {
      const whole = async () => await seen(scope, { fromS: hour - 6 * 86_400, toS: hour + 2 * 86_400 });
      const before = await whole();
      const name = "0008_metric_series_by_day.sql";
      const text = readFileSync(new URL(`../../clickhouse/migrations/${name}`, import.meta.url), "utf8");
      for (let time = 0; time < 2; time++) for (const statement of renderMigration({ name, text }, null)) await engine.command(statement);
      expect(await whole()).toEqual(before);
      await engine.command("TRUNCATE TABLE engine_metrics_1d");
      for (const statement of renderMigration({ name, text }, null)) await engine.command(statement);
      expect(await whole()).toEqual(before);
    });

    test("nothing older than the tenant keeps is seen", async () => {
      const short = tenantScope(scope.tenantId, 7);
      const retainedS = Math.floor((nowS - 7 * 86_400) / hourS) * hourS;
      expect(await seen(short, { fromS: hour - 20 * 86_400, toS: hour })).toMatchObject(seenIn(points, retainedS, hour));
    });
  });
});
