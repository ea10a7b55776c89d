// A simulated day of one tenant: 100,000 stacks of depth 44 under 20 executables in 5,000 pods, layer frames of a 64-layer model among them, weights skewed. Its samples
// lie in the last hours of the day; the hours before have rows in the roll-up alone, so that a day costs what a day costs without a day of samples.
import { retainedFromS } from "#clickhouse/samples.ts";
import type { TenantScope } from "#clickhouse/scope.ts";

export const sampledHours = 4;
export const stacks = 100_000;
export const depth = 44;

export type Tell = (sql: string) => Promise<unknown>;

// The whole hours the day is: [fromS, toS), with samples from `sampledFromS` on. As old as the retention allows less six days, so that no row expires meanwhile.
export function dayOf(scope: TenantScope, nowS: number): { readonly fromS: number; readonly sampledFromS: number; readonly toS: number } {
  const sampledFromS = retainedFromS(scope, nowS) + 24 * 86_400;
  const toS = sampledFromS + sampledHours * 3_600;
  return { fromS: toS - 24 * 3_600, sampledFromS, toS };
}

type Day = ReturnType<typeof dayOf>;

// A stack's frame at each level depends on a prefix of its number, so neighbours share prefixes and the tree has about 8 nodes per stack.
export async function fillSamples(tell: Tell, { tenantId }: TenantScope, { sampledFromS }: Day, samples: number): Promise<void> {
  await tell("DROP VIEW IF EXISTS field_values_mv"); // labels by day are not asked for here, and most of the time of the insert
  const kind = "multiIf(level < 16, 2, level < 23, 6, level < 38, 1, level < 43, 4, 5)"; // python, layer, native, gpu_api, gpu_kernel
  const frame = `bitOr(bitShiftLeft(cityHash64(level, intDiv(number, toUInt64(pow(${stacks}, 1 - (level + 1) / ${depth}))) % 997), 4), ${kind})`;
  await tell(`INSERT INTO stacks
    SELECT '${tenantId}', cityHash64('stack', number), arrayMap(level -> ${frame}, range(${depth})), today() FROM numbers(${stacks})`);
  await tell(`INSERT INTO frames (tenant_id, frame_id, kind, name, file, line, mapping, module_path, last_seen)
    SELECT '${tenantId}', id, bitAnd(id, 15)::Int8, concat('void cutlass::device_kernel<at::cuda::detail::', hex(id), '>'),
           '/usr/lib/python3/torch/nn/modules/module.py', 1787, 'libtorch_cuda.so', if(bitAnd(id, 15) = 6, concat('model.layers.', toString(id % 64)), ''), today()
    FROM (SELECT DISTINCT arrayJoin(frames) AS id FROM stacks WHERE tenant_id = '${tenantId}')`);
  for (let hour = 0; hour < sampledHours; hour++) {
    const bucket = sampledFromS + hour * 3_600;
    await tell(`INSERT INTO samples (tenant_id, profile_type, retention_days, bucket, ts, exe_name, k8s_namespace, k8s_deployment, host_name,
        k8s_pod, gpu_name, stack_id, source, value, count)
      SELECT '${tenantId}', 'cuda', 30, ${bucket}, ${bucket} + rand(1) % 60 * 60, concat('exe', toString(stack % 20)), concat('namespace', toString(stack % 10)),
             concat('deployment', toString(stack % 50)), concat('host', toString(stack % 50 * 4 + rand(2) % 4)),
             concat('pod', toString(stack % 50 * 100 + rand(2) % 100)), 'NVIDIA H100 80GB HBM3', cityHash64('stack', stack), 'live', launches * (1000 + cityHash64(stack) % 100000 + rand(3) % 64), launches
      FROM (SELECT toUInt64(${stacks} * pow(rand(4) / 4294967296, 3)) AS stack, 1 + rand(5) % 4 AS launches FROM numbers(${Math.floor(samples / sampledHours)}))`);
  }
  await merge(tell);
}

// The other hours of the day for the roll-up, from those that have samples.
export async function fillOlderHours(tell: Tell, { tenantId }: TenantScope, { sampledFromS }: Day): Promise<void> {
  for (let back = sampledHours; back < 24; back += sampledHours) {
    await tell(`INSERT INTO samples_1h_by_exe
      SELECT * REPLACE (bucket - ${back * 3_600} AS bucket) FROM (SELECT * FROM samples_1h_by_exe WHERE tenant_id = '${tenantId}' AND bucket >= ${sampledFromS})`);
  }
  await merge(tell);
}

async function merge(tell: Tell): Promise<void> {
  for (const table of ["stacks", "frames", "samples", "samples_1h_by_exe", "samples_1h_by_deployment"]) await tell(`OPTIMIZE TABLE ${table} FINAL`);
}
