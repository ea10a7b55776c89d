// Executions, engine metrics and the ledger → rows. Pure.
import type { NativeBlock } from "#clickhouse/native.ts";
import type { TenantScope } from "#clickhouse/scope.ts";
import { profileTypeNames, profileTypes } from "#schema/frame-kinds.ts";
import type { ExecutionUpload } from "#schema/gen/lamella/v1/execution_pb.ts";
import type { MetricsUpload } from "#schema/gen/lamella/v1/metrics_pb.ts";
import type { UploadMessage } from "#schema/upload-message.ts";
import { block, constant, texts } from "./rows-samples.ts";

const profileTypeWord = (number: number) => profileTypeNames.find((name) => profileTypes[name].number === number) ?? "";

export function executionRow(scope: TenantScope, upload: ExecutionUpload, uploadId: string, storedAtMs: number): NativeBlock {
  const { gaps, notes } = upload;
  return block("executions", 1, {
    tenant_id: constant(scope.tenantId, 1),
    execution_id: constant(upload.executionId, 1),
    name: constant(upload.name, 1),
    device: constant(upload.device, 1),
    profile_type: constant(profileTypeWord(upload.profileType), 1),
    path_source: { numbers: Int8Array.of(upload.pathSource) },
    model_name: constant(upload.modelName, 1),
    model_key: constant(upload.modelKey, 1),
    recorded_at_ns: { numbers: BigInt64Array.of(upload.recordedAtNs) },
    duration_ns: { numbers: BigUint64Array.of(upload.durationNs) },
    imported_at: { numbers: Uint32Array.of(Number(upload.importedAtS)) },
    parts: { numbers: Uint32Array.of(upload.parts) },
    total_value: { numbers: BigUint64Array.of(upload.totalValue) },
    module_value: { numbers: BigUint64Array.of(upload.moduleValue) },
    kernels: { numbers: BigUint64Array.of(upload.kernels) },
    events: { numbers: BigUint64Array.of(upload.events) },
    gap_reasons: { ends: [gaps.length], flat: texts(gaps.map((gap) => gap.reason)) },
    gap_kernels: { ends: [gaps.length], flat: BigUint64Array.from(gaps, (gap) => gap.kernels) },
    gap_values: { ends: [gaps.length], flat: BigUint64Array.from(gaps, (gap) => gap.value) },
    notes: { ends: [notes.length], flat: texts(notes) },
    upload_id: constant(uploadId, 1),
    retention_days: { numbers: Uint16Array.of(scope.retentionDays) },
    stored_at: { numbers: BigInt64Array.of(BigInt(storedAtMs)) },
  });
}

export function metricRows(scope: TenantScope, upload: MetricsUpload): NativeBlock {
  const rows = upload.pointSeries.length;
  const base = Number(upload.baseTimeS);
  const text = (column: readonly number[]) => ({ strings: { dictionary: upload.strings, index: Uint32Array.from(upload.pointSeries, (series) => column[series]!) } });
  return block("engine_metrics", rows, {
    tenant_id: constant(scope.tenantId, rows),
    metric: text(upload.seriesMetric),
    ts: { numbers: Uint32Array.from(upload.pointTimeS, (at) => base + Number(at)) },
    engine: text(upload.seriesEngine),
    host_name: text(upload.seriesHostName),
    model_name: text(upload.seriesModelName),
    labels: text(upload.seriesLabels),
    value: { numbers: Float64Array.from(upload.pointValue) },
    retention_days: { numbers: new Uint16Array(rows).fill(scope.retentionDays) },
  });
}

export type LedgerCounts = {
  readonly samples: number; readonly valueTotal: bigint; readonly stacks: number; readonly frames: number; readonly agentVersion: string;
  readonly executionId: string; readonly part: number; readonly parts: number;
};

export function ledgerRow(scope: TenantScope, message: UploadMessage, counts: LedgerCounts, storedAtMs: number): NativeBlock {
  return block("uploads", 1, {
    tenant_id: constant(scope.tenantId, 1),
    upload_id: constant(message.uploadId, 1),
    kind: constant(message.kind, 1),
    received_at: { numbers: BigInt64Array.of(BigInt(message.receivedAtMs)) },
    stored_at: { numbers: BigInt64Array.of(BigInt(storedAtMs)) },
    body_bytes: { numbers: Uint32Array.of(message.bodyBytes) },
    samples: { numbers: Uint32Array.of(counts.samples) },
    sample_value: { numbers: BigUint64Array.of(counts.valueTotal) },
    stacks: { numbers: Uint32Array.of(counts.stacks) },
    frames: { numbers: Uint32Array.of(counts.frames) },
    agent_version: constant(counts.agentVersion, 1),
    execution_id: constant(counts.executionId, 1),
    part: { numbers: Uint32Array.of(counts.part) },
    parts: { numbers: Uint32Array.of(counts.parts) },
  });
}
