// Dumps of engines in, their metrics out: through the API and through the command.
import { execFile } from "node:child_process";
import { utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { encodeMetrics } from "#core/upload/encode-metrics.ts";
import { engineReadings } from "#core/workload/prometheus/engine-readings.ts";
import { root } from "#local/worker.ts";
import type { Client } from "#test/rig/client.ts";
import { expectInvariants } from "#test/rig/invariants.ts";
import { StackRig } from "#test/rig/stack.ts";
import { nowS } from "#test/rig/uploads.ts";

let rig: StackRig;
beforeAll(async () => {
  rig = await StackRig.open();
});
afterAll(() => rig.remove());
afterEach(() => expectInvariants(rig));

// What a vLLM server says after so many requests, of which `fast` had their first token within half a second.
const dump = (requests: number, fast: number, kvUsage: number) => `
# TYPE vllm:num_requests_running gauge
vllm:num_requests_running{model_name="org/net",engine="0"} ${requests % 7}
# TYPE vllm:kv_cache_usage_perc gauge
vllm:kv_cache_usage_perc{model_name="org/net",engine="0"} ${kvUsage}
# TYPE vllm:generation_tokens_total counter
vllm:generation_tokens_total{model_name="org/net",engine="0"} ${requests * 100}
# TYPE vllm:time_to_first_token_seconds histogram
vllm:time_to_first_token_seconds_bucket{model_name="org/net",engine="0",le="0.5"} ${fast}
vllm:time_to_first_token_seconds_bucket{model_name="org/net",engine="0",le="2.0"} ${requests}
vllm:time_to_first_token_seconds_bucket{model_name="org/net",engine="0",le="+Inf"} ${requests}
vllm:time_to_first_token_seconds_sum{model_name="org/net",engine="0"} ${requests * 0.8}
vllm:time_to_first_token_seconds_count{model_name="org/net",engine="0"} ${requests}
`;

// Scrapes of one host at these Unix seconds.
async function send(tenant: Client, hostName: string, ...scrapes: [atS: number, text: string][]): Promise<void> {
  const readings = scrapes.map(([atS, text]) => ({ atS, samples: engineReadings(text).readings[0]!.samples }));
  const { parts } = encodeMetrics(readings, { agentVersion: "flow test 1", hostName, importId: "", shiftS: 0 });
  for (const part of parts) await rig.send(tenant, ["metrics", part]);
}

const minute = () => Math.floor(nowS() / 60) * 60 - 600;
const series = (tenant: Client, metric: string, at: number, query: Record<string, string> = {}) => tenant.get("metricSeries", { query: { metric, from: String(at), to: String(at + 180), step: "60", ...query } });

test("two scrapes of two hosts: shares averaged, counts summed, counters a rate, histograms quantiles", async () => {
  const tenant = await rig.tenant("two-hosts");
  const at = minute();
  await send(tenant, "node-1", [at, dump(10, 5, 0.4)], [at + 60, dump(40, 25, 0.6)]);
  await send(tenant, "node-2", [at, dump(100, 100, 0.8)], [at + 60, dump(120, 100, 0.8)]);

  expect(await series(tenant, "kv_cache_usage_ratio", at)).toMatchObject({
    kind: "gauge", unit: "ratio", over: "average", stepS: 60,
    engines: [{ engine: "vllm", since: "point", series: 2, estimate: null, steps: { t: [at, at + 60], points: [2, 2], avg: [expect.closeTo(0.6, 12), expect.closeTo(0.7, 12)], min: [0.4, 0.6], max: [0.8, 0.8] } }],
  });
  expect((await series(tenant, "requests_running", at)).engines[0]!.steps).toMatchObject({ avg: [3 + 2, 5 + 1], last: [5, 6] });
  // In the second minute node-1 finished 30 requests of 100 tokens, node-2 20: 5,000 tokens in 60 s. What was before the first scrape is no rate.
  expect((await series(tenant, "generation_tokens", at)).engines).toMatchObject([{ since: "point", steps: { t: [at + 60], increase: [5_000], rate: [expect.closeTo(5_000 / 60, 12)] } }]);
  // 50 requests, 20 of them below 0.5 s: the median is the 25th, 5 of 30 into the bucket from 0.5 to 2.
  const [ttft] = (await series(tenant, "ttft_seconds", at)).engines;
  expect(ttft).toMatchObject({ series: 2, estimate: "buckets", steps: { t: [at + 60], count: [50], avg: [expect.closeTo(0.8, 12)], p50: [expect.closeTo(0.5 + (1.5 * 5) / 30, 12)], p99: [expect.closeTo(0.5 + (1.5 * 29.5) / 30, 12)] } });
  expect((await series(tenant, "ttft_seconds", at, { host: "node-1" })).engines[0]!.steps).toMatchObject({ count: [30], p50: [expect.closeTo(0.375, 12)] });
  expect((await series(tenant, "ttft_seconds", at, { model: "org/other" })).engines).toEqual([]);
  expect((await series(tenant, "ttft_seconds", at, { labels: "engine=0" })).engines[0]!.steps.count).toEqual([50]);

  const { metrics, ingestedThrough } = await tenant.get("metrics");
  expect(ingestedThrough).not.toBeNull();
  expect(metrics.map(({ metric, kind, series: count, points }) => [metric, kind, count, points])).toEqual([
    ["generation_tokens", "counter", 2, 4], ["kv_cache_usage_ratio", "gauge", 2, 4], ["requests_running", "gauge", 2, 4], ["ttft_seconds", "distribution", 2, 20],
  ]);
  expect(metrics[1]).toMatchObject({ engines: ["vllm"], hosts: { names: ["node-1", "node-2"], total: 2 }, models: { names: ["org/net"], total: 1 }, firstSeen: new Date(at * 1_000).toISOString(), lastSeen: new Date((at + 60) * 1_000).toISOString() });
});

test("one dump alone shows what was counted since the engine started, and no rate", async () => {
  const tenant = await rig.tenant("one-dump");
  const at = minute();
  await send(tenant, "node-1", [at, dump(40, 10, 0.5)]);
  const [tokens] = (await series(tenant, "generation_tokens", at)).engines;
  expect(tokens).toEqual({ engine: "vllm", since: "start", series: 1, estimate: null, steps: { t: [at], points: [1], increase: [4_000] } });
  expect((await series(tenant, "ttft_seconds", at)).engines).toMatchObject([{ since: "start", steps: { count: [40], p50: [expect.closeTo(0.5 + (1.5 * 10) / 30, 12)] } }]);
});

test("an upload that is sent twice counts once, in the points and in the hours", async () => {
  const tenant = await rig.tenant("sent-twice");
  const at = minute();
  for (let time = 0; time < 2; time++) await send(tenant, "node-1", [at, dump(10, 5, 0.4)], [at + 60, dump(40, 25, 0.6)]);
  expect((await series(tenant, "generation_tokens", at)).engines[0]!.steps.increase).toEqual([3_000]);
  const hourly = await tenant.get("metricSeries", { query: { metric: "generation_tokens", from: String(at - 7_200), to: String(at + 7_200), step: "3600" } });
  expect(hourly.engines[0]!.steps.increase!.reduce<number>((sum, value) => sum + value!, 0)).toBe(3_000);
});

test("another tenant sees none of it, and nothing yet differs from nothing", async () => {
  const [ada, bob] = [await rig.tenant("metrics-of-ada"), await rig.tenant("metrics-of-bob")];
  const at = minute();
  await send(ada, "node-1", [at, dump(10, 5, 0.4)]);
  expect(await bob.get("metrics")).toMatchObject({ metrics: [], ingestedThrough: null });
  expect(await series(bob, "kv_cache_usage_ratio", at)).toMatchObject({ engines: [], ingestedThrough: null });
  for (const name of ["metrics", "metricSeries"] as const) await bob.at("metrics-of-ada").refused("not_found", name, { query: name === "metrics" ? {} : { metric: "prompt_tokens" } });
});

test("bad questions and bad points are refused with what would be right", async () => {
  const tenant = await rig.tenant("bad-metrics");
  expect((await tenant.refused("parameter_invalid", "metricSeries", { query: { metric: "prompt_tokens", from: "-24h", step: "10" } })).detail).toMatch(/`step` of 10 s makes 864[01] steps .* write at least 87,/);
  expect((await tenant.refused("parameter_invalid", "metricSeries", { query: { metric: "prompt_tokens", labels: "engine" } })).detail).toContain("write k=v,k=v");
  await tenant.refused("parameter_invalid", "metricSeries", {});
  await tenant.refused("time_range_invalid", "metrics", { query: { from: "-91d" } });
  await tenant.refused("time_range_invalid", "metricSeries", { query: { metric: "prompt_tokens", from: "now", to: "-1h" } });
  const samples = [{ metric: "requests_running", cumulative: false, engine: "vllm", modelName: "", labels: "", value: Number.NaN }];
  const [part] = encodeMetrics([{ atS: nowS(), samples }], { agentVersion: "1", hostName: "", importId: "", shiftS: 0 }).parts;
  expect((await tenant.refusedUpload("body_undecodable", "metrics", new Uint8Array(part!))).detail).toContain("point_value row 0 is NaN");
});

describe("the command", () => {
  const run = promisify(execFile);
  const lamella = async (...args: string[]) => (await run(process.execPath, [join(root, "cli/lamella.mjs"), "metrics", ...args, "--data-dir", rig.dataDir])).stdout;
  const saved = (name: string, text: string, atS: number) => {
    const file = join(rig.dataDir, name);
    writeFileSync(file, text);
    utimesSync(file, atS, atS);
    return file;
  };

  test("imports dumps once, by the time they were saved at, and shows them", async () => {
    const at = minute();
    const files = [saved("after.txt", dump(40, 25, 0.6), at + 60), saved("before.txt", dump(10, 5, 0.4), at)];
    const first = await lamella("import", ...files, "--host", "node-9");
    expect(first).toContain(`after.txt, before.txt: imported (Prometheus dump)\n  2 readings · 16 points · filed from ${new Date(at * 1_000).toISOString()} to ${new Date((at + 60) * 1_000).toISOString()}\n`);
    expect(await lamella("import", ...files, "--host", "node-9")).toContain("already imported");
    const shown = await lamella("show", "generation_tokens", "--host", "node-9");
    expect(shown).toMatch(/vllm · 1 series\nfrom \(UTC\) +increase +rate\n.* 3\.0K +\d+\.?\d*\/s$/m);
    expect(await lamella("show", "ttft_seconds", "--host", "node-9")).toMatch(/≈ 375\.00 ms/);
    expect(await lamella("list", "--host", "node-9")).toMatch(/^kv_cache_usage_ratio +gauge +ratio +vllm +node-9 +org\/net/m);
  });

  const data = process.env.LAMELLA_TEST_DATA;
  test.skipIf(data === undefined)("a time series without a known start ends at the import, the same one again is known (LAMELLA_TEST_DATA is set)", async () => {
    const file = join(data!, "engine_timeseries/bsc_vllm_engine_metrics_timeseries.csv");
    expect(await lamella("import", file, "--host", "bsc")).toMatch(/imported \(vLLM metrics over time \(CSV\)\)\n {2}134 readings · 1,206 points · filed from .* \(ending at the import/);
    expect(await lamella("import", file, "--host", "bsc")).toContain("already imported");
    const answer = JSON.parse(await lamella("show", "generation_tokens", "--host", "bsc", "--json")) as { engines: { steps: { increase: number[] } }[] };
    // The file's own total: it began at 0.
    expect(answer.engines[0]!.steps.increase.reduce((sum, value) => sum + value, 0)).toBe(260_130);
  });

  test("a file without metrics is refused", async () => {
    await expect(lamella("import", saved("notes.txt", "nothing of the kind\n", nowS()))).rejects.toMatchObject({ stderr: expect.stringContaining("notes.txt has no engine metrics: neither Prometheus text") });
  });
});
