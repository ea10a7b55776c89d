// Random sample rows with their stacks and frames, as rows of the store and, computed beside it in plain TypeScript, as subjects of the reference evaluator.
import fc from "fast-check";
import type { FieldName } from "#schema/fields.ts";
import { type FrameKindName, frameKindNames, frameKinds } from "#schema/frame-kinds.ts";
import type { Subject } from "#core/filter/evaluate.ts";
import type { EngineRow } from "#test/rig/engine.ts";
import { hostile, words } from "#test/rig/filters.ts";

export const columnOfField = {
  "host.name": "host_name", "process.executable.name": "exe_name", "script.name": "script_name", "job.tag": "job_tag", "container.name": "container_name", "k8s.pod.name": "k8s_pod",
  "k8s.deployment.name": "k8s_deployment", "k8s.namespace.name": "k8s_namespace", "slurm.job.id": "slurm_job_id", "slurm.job.name": "slurm_job_name",
  "slurm.job.user": "slurm_job_user", "cluster.name": "cluster_name", "thread.name": "thread_name", "gpu.name": "gpu_name", "gpu.uuid": "gpu_uuid",
} as const satisfies Partial<Record<FieldName, string>>;

const text = fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...words) }, { weight: 1, arbitrary: fc.constantFrom(...hostile) });

export type Frame = { id: bigint; kind: FrameKindName; name: string; modulePath: string; moduleClass: string };

// Frame ids: a number above the kind's four bits. Only layers have a path and a class.
export const frame = (number: number): fc.Arbitrary<Frame> =>
  fc.record({ kind: fc.constantFrom(...frameKindNames), name: text, modulePath: text, moduleClass: text }).map(({ kind, name, modulePath, moduleClass }) => ({
    id: (BigInt(number + 1) << 4n) | BigInt(frameKinds[kind].number), kind, name,
    modulePath: kind === "layer" ? modulePath : "", moduleClass: kind === "layer" ? moduleClass : "",
  }));

export const tags = fc.uniqueArray(text.filter((tag) => tag !== ""), { maxLength: 3 }).map((all) => all.sort());
export const texts = fc.record(Object.fromEntries(Object.keys(columnOfField).map((field) => [field, text])) as Record<keyof typeof columnOfField, fc.Arbitrary<string>>);

export type SampleRow = { tenant: string; number: number; fields: Record<keyof typeof columnOfField, string>; tags: string[]; stack: number };

// The row as the store has it; `step` carries its number, so that an answer names its rows.
export function storedSample({ tenant, number, fields, tags: userTags, stack }: SampleRow): EngineRow {
  const columns = Object.fromEntries(Object.entries(columnOfField).map(([field, column]) => [column, fields[field as keyof typeof columnOfField]]));
  return {
    ...columns, tenant_id: tenant, profile_type: "cuda", execution_id: "", retention_days: 30, bucket: "2099-01-01 00:00:00", ts: "2099-01-01 00:00:01",
    user_tags: userTags, stack_id: stack, step: number, source: "live", value: 1, count: 1,
  };
}

// The row as the evaluator has it. A stack that is not stored has no frames.
export function subjectOf({ fields, tags: userTags }: SampleRow, frames: readonly Frame[]): Subject {
  const layers = frames.filter(({ kind }) => kind === "layer");
  return {
    ...fields, "user.tag": userTags,
    "profile.frame.type": frames.map(({ kind }) => kind),
    "kernel.name": frames.filter(({ kind }) => kind === "gpu_kernel").map(({ name }) => name),
    "module.path": layers.map(({ modulePath }) => modulePath),
    "module.class": layers.map(({ moduleClass }) => moduleClass),
    "model.name": layers.filter(({ modulePath }) => modulePath === "").map(({ name }) => name),
  };
}
