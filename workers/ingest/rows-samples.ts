// SamplesUpload → rows of frames, stacks, samples. Pure: the same upload gives the same rows, ids computed here.
import type { NativeBlock, NativeColumn, Numbers, Strings } from "#clickhouse/native.ts";
import type { TenantScope } from "#clickhouse/scope.ts";
import { tables } from "#clickhouse/tables.ts";
import { contentIds, type Ids } from "#core/upload/content-id.ts";
import type { ContextColumns, SamplesColumns } from "#core/upload/decode-samples.ts";
import { profileTypeNames, profileTypes } from "#schema/frame-kinds.ts";

// Each block is built when it is asked for: the worst upload's three blocks at once take 98 MB, more than an isolate can spare.
export type SampleRows = { frames(): NativeBlock; stacks(): NativeBlock; samples(): NativeBlock; readonly valueTotal: bigint };

const profileTypeWords: readonly string[] = ["", ...[...profileTypeNames].sort((a, b) => profileTypes[a].number - profileTypes[b].number)];

export function sampleRows(scope: TenantScope, upload: SamplesColumns, receivedAtS: number): SampleRows {
  const ids = contentIds(upload);
  const today = Math.floor(receivedAtS / 86_400);
  return {
    frames: () => frameRows(scope, upload, ids.frames, today),
    stacks: () => stackRows(scope, upload, ids, today),
    samples: () => factRows(scope, upload, ids.stacks),
    valueTotal: upload.samples.value.reduce((sum, value) => sum + value, 0n),
  };
}

// Row 0 of every dictionary means "not set" and is never stored.
function frameRows(scope: TenantScope, { frames, strings }: SamplesColumns, ids: Ids, today: number): NativeBlock {
  const rows = Math.max(0, frames.rows - 1);
  const text = (index: Uint32Array): Strings => ({ dictionary: strings, index: index.subarray(1) });
  return block("frames", rows, {
    tenant_id: constant(scope.tenantId, rows),
    frame_id: { numbers: ids.subarray(1) },
    kind: { numbers: Int8Array.from(frames.kind.subarray(1)) },
    name: { strings: text(frames.name) },
    file: { strings: text(frames.file) },
    mapping: { strings: text(frames.mapping) },
    line: { numbers: frames.line.subarray(1) },
    module_path: { strings: text(frames.modulePath) },
    module_class: { strings: text(frames.moduleClass) },
    model_key: { strings: text(frames.modelKey) },
    last_seen: { numbers: new Uint16Array(rows).fill(today) },
  });
}

function stackRows(scope: TenantScope, { stacks }: SamplesColumns, ids: { frames: Ids; stacks: Ids }, today: number): NativeBlock {
  const rows = Math.max(0, stacks.rows - 1);
  const skipped = stacks.depth[0] ?? 0;
  const ends = new Uint32Array(rows);
  for (let row = 0, end = 0; row < rows; row++) ends[row] = end += stacks.depth[row + 1]!;
  const flat = new BigUint64Array(stacks.frame.length - skipped);
  for (let i = 0; i < flat.length; i++) flat[i] = ids.frames[stacks.frame[i + skipped]!]!;
  return block("stacks", rows, {
    tenant_id: constant(scope.tenantId, rows),
    stack_id: { numbers: ids.stacks.subarray(1) },
    frames: { ends, flat },
    last_seen: { numbers: new Uint16Array(rows).fill(today) },
  });
}

function factRows(scope: TenantScope, upload: SamplesColumns, stackIds: Ids): NativeBlock {
  const { samples, contexts, strings } = upload;
  const rows = samples.rows;
  const bucket = new Uint32Array(rows);
  const ts = new Uint32Array(rows);
  const stackId = new BigUint64Array(rows);
  for (let row = 0; row < rows; row++) {
    const at = upload.baseTimeS + samples.timeS[row]!;
    ts[row] = at;
    bucket[row] = at - (at % 3_600);
    stackId[row] = stackIds[samples.stack[row]!]!;
  }
  // A label is a column of the contexts, seen from the samples.
  const label = (column: Uint32Array, dictionary: readonly string[] = strings): { strings: Strings } => ({ strings: { dictionary, index: column, rows: samples.context } });
  return block("samples", rows, {
    tenant_id: constant(scope.tenantId, rows),
    profile_type: label(contexts.profileType, profileTypeWords),
    execution_id: constant(upload.executionId, rows),
    retention_days: { numbers: new Uint16Array(rows).fill(scope.retentionDays) },
    bucket: { numbers: bucket },
    ts: { numbers: ts },
    cluster_name: label(contexts.clusterName),
    host_name: label(contexts.hostName),
    exe_name: label(contexts.exeName),
    script_name: label(contexts.scriptName),
    container_name: label(contexts.containerName),
    k8s_namespace: label(contexts.k8sNamespace),
    k8s_deployment: label(contexts.k8sDeployment),
    k8s_pod: label(contexts.k8sPod),
    slurm_job_id: label(contexts.slurmJobId),
    slurm_job_name: label(contexts.slurmJobName),
    slurm_job_user: label(contexts.slurmJobUser),
    job_tag: label(contexts.jobTag),
    user_tags: userTags(contexts, strings, samples.context),
    gpu_uuid: label(contexts.gpuUuid),
    gpu_name: label(contexts.gpuName),
    thread_name: label(contexts.threadName),
    stack_id: { numbers: stackId },
    step: { numbers: samples.step },
    source: { numbers: new Int8Array(rows).fill(upload.source) },
    value: { numbers: samples.value },
    count: { numbers: samples.count },
  });
}

// Sorted and unique per context, so that equal tag sets are equal rows.
function userTags({ rows, tagCount, tag }: ContextColumns, strings: readonly string[], contextOfRow: Uint32Array): { ends: Uint32Array; flat: Strings } {
  const tagsOf: Uint32Array[] = [];
  for (let row = 0, at = 0; row < rows; row++) {
    const end = at + tagCount[row]!;
    tagsOf.push(tag.slice(at, end).sort((a, b) => compare(strings[a]!, strings[b]!)).filter((one, i, all) => i === 0 || strings[one] !== strings[all[i - 1]!]));
    at = end;
  }
  const ends = new Uint32Array(contextOfRow.length);
  let end = 0;
  for (let row = 0; row < ends.length; row++) ends[row] = end += tagsOf[contextOfRow[row]!]!.length;
  const index = new Uint32Array(end);
  for (let row = 0; row < ends.length; row++) {
    const tags = tagsOf[contextOfRow[row]!]!;
    index.set(tags, ends[row]! - tags.length);
  }
  return { ends, flat: { dictionary: strings, index } };
}

// By UTF-16 code units, as Array.sort without arguments.
function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

export type ColumnData =
  | { readonly numbers: Numbers; readonly nulls?: Uint8Array }
  | { readonly strings: Strings }
  | { readonly ends: ArrayLike<number>; readonly flat: BigUint64Array | Float64Array | Strings };

// The columns of one table in the order of tables.ts; a missing or unknown column does not compile.
export function block<T extends keyof typeof tables>(table: T, rows: number, data: Record<keyof (typeof tables)[T], ColumnData>): NativeBlock {
  const columns = Object.entries<string>(tables[table]).map(([name, type]) => ({ name, type, ...data[name as keyof (typeof tables)[T]] }) as NativeColumn);
  return { rows, columns };
}

export function constant(text: string, rows: number): { strings: Strings } {
  return { strings: { dictionary: [text], index: new Uint8Array(rows) } };
}

// Every text a row of its own.
export function texts(all: readonly string[]): Strings {
  return { dictionary: all, index: Uint32Array.from(all.keys()) };
}
