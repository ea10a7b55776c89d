// A profile as the store has it: its frames, stacks and samples, one row per stack, at the moments and places that `row` gives.
import type { TenantScope } from "#clickhouse/scope.ts";
import type { StackProfile } from "#core/flamegraph/stacks.ts";
import { frameKinds } from "#schema/frame-kinds.ts";
import type { Engine } from "#test/rig/engine.ts";

export type SampleRow = { atS: number; executionId?: string; exe?: string; host?: string; namespace?: string; pod?: string };

// What a frame of the profile is called in the store.
export function storedFrameId(profile: StackProfile, number: number): bigint {
  return ((BigInt(number + 1) * 0x9e3779b97f4a7c1n) % 2n ** 60n << 4n) | BigInt(frameKinds[profile.frames[number]!.kind].number);
}

export async function storeProfile(engine: Engine, scope: TenantScope, profile: StackProfile, row: (stack: number) => SampleRow, copies = 1): Promise<void> {
  const tenant_id = scope.tenantId;
  const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);
  const frameId = (number: number) => storedFrameId(profile, number);
  const stackId = (frames: readonly number[]) => frames.reduce((id, frame) => (id * 31n + BigInt(frame) + 1n) % 2n ** 64n, 7n);
  const frames = profile.frames.map(({ kind, name, file, line, mapping, modulePath, moduleClass, modelKey }, number) => ({
    tenant_id, frame_id: frameId(number), kind, name, file, line, mapping, module_path: modulePath, module_class: moduleClass, model_key: modelKey,
  }));
  const stacks = profile.stacks.map(({ frames }) => ({ tenant_id, stack_id: stackId(frames), frames: frames.map((frame) => frameId(frame).toString()) }));
  for (let copy = 0; copy < copies; copy++) {
    const seen = { last_seen: daysAgo(copy) }; // each copy from another day: an equal block would be dropped as a retry
    await engine.insertRows("frames", frames.map((one) => ({ ...one, ...seen })));
    await engine.insertRows("stacks", stacks.map((one) => ({ ...one, ...seen })));
  }
  await engine.insertRows("samples", profile.stacks.map(({ frames, value, count }, number) => {
    const { atS, executionId = "", exe = "", host = "", namespace = "", pod = "" } = row(number);
    return {
      tenant_id, profile_type: profile.profileType, execution_id: executionId, retention_days: scope.retentionDays, bucket: atS - (atS % 3_600), ts: atS,
      exe_name: exe, host_name: host, k8s_namespace: namespace, k8s_pod: pod, stack_id: stackId(frames), source: executionId === "" ? "live" : "import", value, count,
    };
  }));
}
