// A profile in the rig's ClickHouse: its frames, its stacks, and one sample row per stack.
import type { TenantScope } from "#clickhouse/scope.ts";
import type { StackProfile } from "#core/flamegraph/stacks.ts";
import { frameKinds } from "#schema/frame-kinds.ts";
import type { Engine } from "#test/rig/engine.ts";

// Frame ids are scattered, as hashes are, with the kind in the low 4 bits.
export function storedFrameId(profile: StackProfile, number: number): bigint {
  return ((BigInt(number + 1) * 0x9e3779b97f4a7c1n) % 2n ** 60n << 4n) | BigInt(frameKinds[profile.frames[number]!.kind].number);
}

export async function storeProfile(engine: Engine, scope: TenantScope, profile: StackProfile, atS: number): Promise<void> {
  const tenant_id = scope.tenantId;
  const last_seen = new Date(atS * 1000).toISOString().slice(0, 10);
  await engine.insertRows("frames", profile.frames.map(({ kind, name, file, line, mapping, modulePath, moduleClass, modelKey }, number) => ({
    tenant_id, frame_id: storedFrameId(profile, number), kind, name, file, line, mapping, module_path: modulePath, module_class: moduleClass, model_key: modelKey, last_seen,
  })));
  await engine.insertRows("stacks", profile.stacks.map(({ frames }, stack) => ({ tenant_id, stack_id: stack, frames: frames.map((frame) => storedFrameId(profile, frame).toString()), last_seen })));
  await engine.insertRows("samples", profile.stacks.map(({ value, count }, stack) => ({
    tenant_id, profile_type: profile.profileType, retention_days: scope.retentionDays, bucket: atS - (atS % 3_600), ts: atS, stack_id: stack, source: "live", value, count,
  })));
}
