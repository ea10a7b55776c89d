// The same statements as bench/flamegraph.ts at the size a tenant has in a day: 100 million samples, 5,000 pods, 100,000 stacks; and at a tenth of it, which shows
// what the time follows: the answers from the roll-up follow the distinct stacks, those from raw rows the samples. Then the same day behind the Worker: a flamegraph
// against the bare statement, and completions, in milliseconds as people wait for them. Takes a quarter of an hour and 4 GB of disk.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { flamegraphRows } from "#clickhouse/flamegraph.ts";
import type { Query } from "#clickhouse/client.ts";
import { tenantScope } from "#clickhouse/scope.ts";
import { wholeStacks } from "#core/flamegraph/stack-view.ts";
import { startStack, type Stack } from "#local/stack.ts";
import { limits } from "#schema/limits.ts";
import { type BenchRow, type Statement, measure, ratios } from "./flamegraph.ts";
import type { BenchReport } from "./run.ts";
import { dayOf, fillOlderHours, fillSamples } from "./simulated-day.ts";

const large = Number(process.env["LAMELLA_BENCH_SAMPLES"] ?? 100_000_000);
const rounds = 5;
const workerRounds = 21; // wall clock on a shared machine: what is said is the median
const completions = ["host.name == ", "k8s.pod.name == ", "kernel.name == ", "module.path == ", "module.class == ", "profile.frame.type == "];

export async function run(): Promise<BenchReport> {
  const small = await measure(large / 10, rounds);
  const { best, stored } = await measure(large, rounds);
  const growth = (name: string, statement: Statement, bound: number | null): BenchRow => {
    const value = Number((best[statement].cpu / small.best[statement].cpu).toFixed(2));
    return { name: `${name}: ${large} samples / ${large / 10}`, value, bound, ok: bound === null || value <= bound };
  };
  const rows = [
    ...ratios(best), ...stored,
    // The roll-up of ten times the samples has at most ten times the rows, and the same stacks: far from ten times the time.
    growth("whole answer from the roll-up", "whole", 3), growth("sums by stack from the roll-up", "hourly", null), growth("sums by stack from raw rows", "raw", null),
    ...(await throughTheWorker()),
  ];
  return { rows, ok: rows.every(({ ok }) => ok) };
}

async function throughTheWorker(): Promise<BenchRow[]> {
  const dataDir = mkdtempSync(join(tmpdir(), "lamella-bench-"));
  const stack = await startStack({ dataDir, port: 0, progress: () => undefined, log: (line) => console.error(line) });
  try {
    const scope = tenantScope(stack.tenant.id, 30);
    const nowS = Math.floor(Date.now() / 1000);
    const day = dayOf(scope, nowS);
    await fillSamples((sql) => ask(stack, { sql, params: {} }), scope, day, large);
    await fillOlderHours((sql) => ask(stack, { sql, params: {} }), scope, day);
    const range = { from: new Date(day.fromS * 1000).toISOString(), to: new Date(day.toS * 1000).toISOString() };
    const statement = flamegraphRows(
      { scope, profileType: "cuda", executionId: "", fromS: day.fromS, toS: day.toS, nowS, where: { sql: "1", params: {} }, rollup: "samples_1h_by_exe" }, wholeStacks, limits.flamegraphNodesDefault,
    );
    const bare = { sql: `${statement.sql} FORMAT JSONEachRow`, params: { ...statement.params, tenant: scope.tenantId } };
    const [ofStore, ofWorker] = [new Array<number>(), new Array<number>()];
    for (let round = 0; round < workerRounds; round++) {
      ofStore.push(await timed(() => ask(stack, bare)));
      ofWorker.push(await timed(() => get(stack, "flamegraph", range)));
    }
    const [store, worker] = [median(ofStore), median(ofWorker)];
    const row = (name: string, value: number, bound: number | null): BenchRow => ({ name, value, bound, ok: bound === null || value <= bound });
    const rows = [
      row("flamegraph through the Worker / its bare statement at the store, medians", Number((worker / store).toFixed(2)), 1.2),
      row("ms: flamegraph through the Worker", Math.round(worker), null), row("ms: its bare statement at the store", Math.round(store), null),
    ];
    for (const text of completions) {
      const times: number[] = [];
      for (let round = 0; round < workerRounds; round++) times.push(await timed(() => get(stack, "filter/complete", { ...range, text, page: "flamegraph" })));
      rows.push(row(`ms: completion of ${text.trim()} through the Worker`, Math.round(median(times)), 100));
    }
    return rows;
  } finally {
    await stack.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

function median(times: number[]): number {
  return times.toSorted((a, b) => a - b)[times.length >> 1] as number;
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

async function ask({ store }: Stack, { sql, params }: Query): Promise<void> {
  const url = new URL(`${store.url}/?database=${store.database}`);
  for (const [name, value] of Object.entries(params)) url.searchParams.set(`param_${name}`, String(value));
  await read(await fetch(url, { method: "POST", body: sql, headers: { "x-clickhouse-user": store.writer.user, "x-clickhouse-key": store.writer.password } }));
}

// Not compressed, as the store's answer is not.
async function get({ url, tenant, token }: Stack, path: string, query: Record<string, string>): Promise<void> {
  await read(await fetch(`${url}/t/${tenant.slug}/api/${path}?${new URLSearchParams(query)}`, { headers: { authorization: `Bearer ${token}`, "accept-encoding": "identity" } }));
}

async function read(answer: Response): Promise<void> {
  const text = await answer.text();
  if (!answer.ok) throw new Error(text.slice(0, 2_000));
}
