// The flamegraph's SQL on an embedded ClickHouse, against bare statements on the same tables in the same run. The data is simulated: 100,000 stacks of depth 44
// under 20 executables, layer frames of a 64-layer model among them, weights skewed. Ratios are of CPU time, which the embedded engine spends inside this process:
// a busy neighbour stretches the wall clock of one statement and not of the next. Milliseconds of wall clock stand beside them for information.
// LAMELLA_BENCH_SAMPLES sets the number of samples (default 4 million: about a minute on two cores).
import { flamegraphRows, foldedNodes } from "#clickhouse/flamegraph.ts";
import type { Query } from "#clickhouse/client.ts";
import { type SampleSelection, retainedFromS, stackSums } from "#clickhouse/samples.ts";
import { tenantScope } from "#clickhouse/scope.ts";
import { comparedNodes } from "#clickhouse/compare.ts";
import { type StackView, wholeStacks } from "#core/flamegraph/stack-view.ts";
import { limits } from "#schema/limits.ts";
import { type Engine, openEngine } from "#test/rig/engine.ts";

export type BenchRow = { name: string; value: number; bound: number | null; ok: boolean };
export type BenchResult = { data: string; rows: BenchRow[]; ok: boolean };

const hours = 4;
const stacks = 100_000;
const depth = 44;
const scope = tenantScope("benchmarkbenchma", 30);
const nowS = Math.floor(Date.now() / 1000);
const startS = retainedFromS(scope, nowS) + 24 * 86_400;
const endS = startS + hours * 3_600;
const rounds = 9;

export async function run(samples = Number(process.env["LAMELLA_BENCH_SAMPLES"] ?? 4_000_000)): Promise<BenchResult> {
  const { best, stored } = await measure(samples, rounds);
  const rows = [...ratios(best), ...stored];
  return { data: `simulated: ${samples} samples of ${hours} hours, ${stacks} stacks of depth ${depth}`, rows, ok: rows.every(({ ok }) => ok) };
}

// Times of every statement over so many samples, and what they take in the store.
export async function measure(samples: number, rounds: number): Promise<{ best: Record<Statement, Milliseconds>; stored: BenchRow[] }> {
  const engine = openEngine();
  try {
    await fill(engine, samples);
    const stored = await sizes(engine, samples);
    await fillOlderHours(engine);
    return { best: await bestTimes(engine, statements(), rounds), stored };
  } finally {
    engine.close();
  }
}

const recent: SampleSelection = {
  scope, profileType: "cuda", executionId: "", fromS: startS, toS: endS, nowS, where: { sql: "1", params: {} }, rollup: null,
};
const partial = { ...recent, fromS: startS + 600, toS: endS - 600 };

export type Statement = keyof ReturnType<typeof statements>;

function statements() {
  const hourly = { ...recent, fromS: endS - 24 * 3_600, rollup: "samples_1h_by_exe" } as const;
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
    halves: comparedNodes({ ...hourly, toS: endS - 12 * 3_600 }, { ...hourly, fromS: endS - 12 * 3_600 }, wholeStacks, limits.flamegraphNodesDefault),
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
  const bytes = (tables: readonly string[]) => parts.filter(({ table }) => tables.includes(table)).reduce((sum, part) => sum + Number(part.bytes), 0);
  const row = (name: string, value: number, bound: number | null): BenchRow => ({ name, value: Number(value.toFixed(2)), bound, ok: bound === null || value <= bound });
  const raw = bytes(["samples"]) / samples;
  const rolledUp = bytes(["samples_1h_by_exe", "samples_1h_by_deployment"]) / samples;
  return [
    row("bytes per sample, raw", raw, 9),
    row("bytes per sample, with both roll-ups", raw + rolledUp, 12),
    row("bytes per stack in the dictionary", bytes(["stacks"]) / stacks, null),
  ];
}

// A stack's frame at each level depends on a prefix of its number, so neighbours share prefixes and the tree has about 8 nodes per stack.
async function fill(engine: Engine, samples: number): Promise<void> {
  const tenant = `'${scope.tenantId}'`;
  await engine.command("DROP VIEW field_values_mv"); // not asked here, and most of the time of the insert
  const kind = "multiIf(level < 16, 2, level < 23, 6, level < 38, 1, level < 43, 4, 5)"; // python, layer, native, gpu_api, gpu_kernel
  const frame = `bitOr(bitShiftLeft(cityHash64(level, intDiv(number, toUInt64(pow(${stacks}, 1 - (level + 1) / ${depth}))) % 997), 4), ${kind})`;
  await engine.command(`INSERT INTO stacks
    SELECT ${tenant}, cityHash64('stack', number), arrayMap(level -> ${frame}, range(${depth})), today() FROM numbers(${stacks})`);
  await engine.command(`INSERT INTO frames (tenant_id, frame_id, kind, name, file, line, mapping, module_path, last_seen)
    SELECT ${tenant}, id, bitAnd(id, 15)::Int8, concat('void cutlass::device_kernel<at::cuda::detail::', hex(id), '>'),
           '/usr/lib/python3/torch/nn/modules/module.py', 1787, 'libtorch_cuda.so', if(bitAnd(id, 15) = 6, concat('model.layers.', toString(id % 64)), ''), today()
    FROM (SELECT DISTINCT arrayJoin(frames) AS id FROM stacks)`);
  for (let hour = 0; hour < hours; hour++) {
    const bucket = startS + hour * 3_600;
    await engine.command(`INSERT INTO samples (tenant_id, profile_type, retention_days, bucket, ts, exe_name, k8s_namespace, k8s_deployment, host_name,
        k8s_pod, gpu_name, stack_id, source, value, count)
      SELECT ${tenant}, 'cuda', 30, ${bucket}, ${bucket} + rand(1) % 60 * 60, concat('exe', toString(stack % 20)), concat('namespace', toString(stack % 10)),
             concat('deployment', toString(stack % 50)), concat('host', toString(stack % 50 * 4 + rand(2) % 4)),
             concat('pod', toString(stack % 50 * 100 + rand(2) % 100)), 'NVIDIA H100 80GB HBM3', cityHash64('stack', stack), 'live', launches * (1000 + cityHash64(stack) % 100000 + rand(3) % 64), launches
      FROM (SELECT toUInt64(${stacks} * pow(rand(4) / 4294967296, 3)) AS stack, 1 + rand(5) % 4 AS launches FROM numbers(${Math.floor(samples / hours)}))`);
  }
  await merge(engine);
}

// A day of hours for the roll-up, from the hours there are; only its own statements read them.
async function fillOlderHours(engine: Engine): Promise<void> {
  for (let back = hours; back < 24; back += hours) {
    await engine.command(`INSERT INTO samples_1h_by_exe 
      SELECT * REPLACE (bucket - ${back * 3_600} AS bucket) FROM (SELECT * FROM samples_1h_by_exe WHERE bucket >= ${startS})`);
  }
  await merge(engine);
}

async function merge(engine: Engine): Promise<void> {
  for (const table of ["samples", "samples_1h_by_exe", "samples_1h_by_deployment"]) await engine.command(`OPTIMIZE TABLE ${table} FINAL`);
}
