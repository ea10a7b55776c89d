// The flamegraph's SQL on an embedded ClickHouse, against bare statements on the same tables in the same run. Ratios are of CPU time, which the embedded engine spends
// inside this process: a busy neighbour stretches the wall clock of one statement and not of the next. Milliseconds of wall clock stand beside them for information.
// LAMELLA_BENCH_SAMPLES sets the number of samples (default 4 million: about a minute on two cores).
import { flamegraphRows, foldedNodes } from "#clickhouse/flamegraph.ts";
import type { Query } from "#clickhouse/client.ts";
import { type SampleSelection, stackSums } from "#clickhouse/samples.ts";
import { tenantScope } from "#clickhouse/scope.ts";
import { comparedNodes } from "#clickhouse/compare.ts";
import { type StackView, wholeStacks } from "#core/flamegraph/stack-view.ts";
import { limits } from "#schema/limits.ts";
import { type Engine, openEngine } from "#test/rig/engine.ts";
import { dayOf, depth, fillOlderHours, fillSamples, sampledHours, stacks } from "./simulated-day.ts";

export type BenchRow = { name: string; value: number; bound: number | null; ok: boolean };
export type BenchResult = { data: string; rows: BenchRow[]; ok: boolean };

const scope = tenantScope("benchmarkbenchma", 30);
const nowS = Math.floor(Date.now() / 1000);
const day = dayOf(scope, nowS);
const rounds = 9;

export async function run(samples = Number(process.env["LAMELLA_BENCH_SAMPLES"] ?? 4_000_000)): Promise<BenchResult> {
  const { best, stored } = await measure(samples, rounds);
  const rows = [...ratios(best), ...stored];
  return { data: `simulated: ${samples} samples of ${sampledHours} hours, ${stacks} stacks of depth ${depth}`, rows, ok: rows.every(({ ok }) => ok) };
}

// Times of every statement over so many samples, and what they take in the store.
export async function measure(samples: number, rounds: number): Promise<{ best: Record<Statement, Milliseconds>; stored: BenchRow[] }> {
  const engine = openEngine();
  try {
    await fillSamples(engine.command, scope, day, samples);
    const stored = await sizes(engine, samples);
    await fillOlderHours(engine.command, scope, day);
    return { best: await bestTimes(engine, statements(), rounds), stored };
  } finally {
    engine.close();
  }
}

const recent: SampleSelection = {
  scope, profileType: "cuda", executionId: "", fromS: day.sampledFromS, toS: day.toS, nowS, where: { sql: "1", params: {} }, rollup: null,
};
const partial = { ...recent, fromS: day.sampledFromS + 600, toS: day.toS - 600 };

export type Statement = keyof ReturnType<typeof statements>;

function statements() {
  const hourly = { ...recent, fromS: day.fromS, rollup: "samples_1h_by_exe" } as const;
  const bare = (table: string, { fromS, toS }: SampleSelection, ts: boolean, sums = "sum(value)"): Query => ({
    sql: `SELECT stack_id, ${sums} FROM ${table} WHERE tenant_id = {tenant:String} AND profile_type = 'cuda' AND execution_id = ''
      AND bucket >= toStartOfHour(toDateTime({from:UInt32}, 'UTC')) AND bucket < toDateTime({to:UInt32}, 'UTC')
      ${ts ? "AND ts >= toDateTime({from:UInt32}, 'UTC') AND ts < toDateTime({to:UInt32}, 'UTC')" : ""} GROUP BY stack_id`,
    params: { tenant: scope.tenantId, from: fromS, to: toS },
  });
  const view = (change: Partial<StackView<string>>) => flamegraphRows(hourly, { ...wholeStacks, ...change }, limits.flamegraphNodesDefault);
  return {
    bareRaw: bare("samples", recent, false), raw: stackSums(recent),
    barePartial: bare("samples", partial, true), partial: stackSums(partial), edges: stackSums({ ...partial, rollup: "samples_1h_by_exe" }),
    bareHourly: bare("samples_1h_by_exe", hourly, false, "sum(value), sum(count), sum(samples)"), hourly: stackSums(hourly),
    bareHourlyValue: bare("samples_1h_by_exe", hourly, false),
    fold: foldedNodes(hourly, wholeStacks, limits.flamegraphNodesDefault),
    whole: view({}), withoutLayers: view({ hide: new Set(["layer"]) }), foldedLayers: view({ foldLayers: true }), inverted: view({ invert: true }),
    halves: comparedNodes({ ...hourly, toS: day.toS - 12 * 3_600 }, { ...hourly, fromS: day.toS - 12 * 3_600 }, wholeStacks, limits.flamegraphNodesDefault),
  };
}

export function ratios(best: Record<Statement, Milliseconds>): BenchRow[] {
  const ratio = (name: string, ours: keyof typeof best, peer: keyof typeof best, bound: number | null): BenchRow => {
    const value = Number((best[ours].cpu / best[peer].cpu).toFixed(3));
    return { name, value, bound, ok: bound === null || value <= bound };
  };
  return [
    ratio("sums by stack, raw, whole hours / bare GROUP BY stack_id", "raw", "bareRaw", 1.3),
    ratio("sums by stack, raw, partial hours / bare GROUP BY stack_id", "partial", "barePartial", 1.3),
    ratio("sums by stack, raw edges and roll-up / bare GROUP BY stack_id on raw", "edges", "barePartial", 1.3),
    ratio("sums by stack, roll-up / bare GROUP BY stack_id of the same sums on the roll-up", "hourly", "bareHourly", 1.3),
    // In a roll-up count and samples are columns as wide as the value, and reading them is what costs: for information.
    ratio("sums by stack, roll-up / bare GROUP BY stack_id of the value alone on the roll-up", "hourly", "bareHourlyValue", null),
    ratio("whole answer with names / the same fold without names", "whole", "fold", 1.3),
    ratio("layers hidden / shown", "withoutLayers", "whole", 1.2),
    ratio("layers folded / shown", "foldedLayers", "whole", null),
    ratio("leaf first / root first", "inverted", "whole", null),
    ratio("nodes of two halves of the day / of the day", "halves", "whole", null),
    ...(Object.keys(best) as (keyof typeof best)[]).map((name) => ({ name: `ms: ${name}`, value: Math.round(best[name].wall), bound: null, ok: true })),
  ];
}

export type Milliseconds = { readonly cpu: number; readonly wall: number };

// The statements take turns; the best of the rounds is the statement's own time.
async function bestTimes<Name extends string>(engine: Engine, queries: Record<Name, Query>, rounds: number): Promise<Record<Name, Milliseconds>> {
  const best = {} as Record<Name, Milliseconds>;
  for (let round = 0; round < rounds; round++) {
    for (const name of Object.keys(queries) as Name[]) {
      const { sql, params } = queries[name];
      const [started, spent] = [performance.now(), process.cpuUsage()];
      await engine.query(`${sql} FORMAT Null`, { ...params });
      const { user, system } = process.cpuUsage(spent);
      const { cpu, wall } = best[name] ?? { cpu: Infinity, wall: Infinity };
      best[name] = { cpu: Math.min(cpu, (user + system) / 1000), wall: Math.min(wall, performance.now() - started) };
    }
  }
  return best;
}

async function sizes(engine: Engine, samples: number): Promise<BenchRow[]> {
  const parts = await engine.query<{ table: string; bytes: string }>(
    "SELECT table, toString(sum(data_compressed_bytes)) AS bytes FROM system.parts WHERE active AND database = currentDatabase() GROUP BY table",
  );
  const [frames] = await engine.query<{ count: string }>("SELECT toString(count()) AS count FROM frames");
  const bytes = (tables: readonly string[]) => parts.filter(({ table }) => tables.includes(table)).reduce((sum, part) => sum + Number(part.bytes), 0);
  const row = (name: string, value: number, bound: number | null): BenchRow => ({ name, value: Number(value.toFixed(2)), bound, ok: bound === null || value <= bound });
  const raw = bytes(["samples"]) / samples;
  const rolledUp = bytes(["samples_1h_by_exe", "samples_1h_by_deployment"]) / samples;
  return [
    row("bytes per sample, raw", raw, 9),
    row("bytes per sample, with both roll-ups", raw + rolledUp, 12),
    row("bytes per stack in the dictionary", bytes(["stacks"]) / stacks, null),
    row("bytes per frame in the dictionary", bytes(["frames"]) / Number(frames!.count), null),
  ];
}
