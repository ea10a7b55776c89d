// One part of a workload → rows: its requests, and its own row with the head. Pure.
import type { NativeBlock } from "#clickhouse/native.ts";
import type { TenantScope } from "#clickhouse/scope.ts";
import { knownByDefault, knownColumns } from "#core/upload/known-columns.ts";
import type { WorkloadFigure, WorkloadUpload } from "#schema/gen/lamella/v1/workload_pb.ts";
import { block, type ColumnData, constant, texts } from "./rows-samples.ts";

export function workloadRow(scope: TenantScope, upload: WorkloadUpload, receivedAtMs: number, storedAtMs: number): NativeBlock {
  const { aggregates, notes, startedAtS } = upload;
  const number = (value: number) => ({ numbers: Uint32Array.of(value) });
  const names = (list: readonly WorkloadFigure[]) => ({ ends: [list.length], flat: texts(list.map(({ name }) => name)) });
  const values = (list: readonly WorkloadFigure[]) => ({ ends: [list.length], flat: Float64Array.from(list, ({ value }) => value) });
  return block("workloads", 1, {
    tenant_id: constant(scope.tenantId, 1),
    workload_id: constant(upload.workloadId, 1),
    part: number(Math.max(1, upload.part)), // 0 of 0 is the whole workload
    parts: number(Math.max(1, upload.parts)),
    name: constant(upload.name, 1),
    label: constant(upload.label, 1),
    tool: constant(upload.tool, 1),
    tool_version: constant(upload.toolVersion, 1),
    engine: constant(upload.engine, 1),
    model_name: constant(upload.modelName, 1),
    layers: number(upload.layers),
    started_at: { ...number(Number(startedAtS)), nulls: Uint8Array.of(startedAtS === 0n ? 1 : 0) },
    date_text: constant(upload.dateText, 1),
    requests: number(upload.startUs.length),
    failed: number(upload.failed.filter(Boolean).length),
    latency_estimated: { numbers: Uint8Array.of(upload.latencyEstimated ? 1 : 0) },
    load_strategy: constant(upload.loadStrategy, 1),
    load_names: names(upload.load),
    load_values: values(upload.load),
    stated_names: names(upload.stated),
    stated_values: values(upload.stated),
    computed_names: names(upload.computed),
    computed_values: values(upload.computed),
    aggregate_engines: { ends: [aggregates.length], flat: texts(aggregates.map(({ engine }) => engine)) },
    aggregate_metrics: { ends: [aggregates.length], flat: texts(aggregates.map(({ metric }) => metric)) },
    aggregate_values: { ends: [aggregates.length], flat: Float64Array.from(aggregates, ({ value }) => value) },
    aggregate_observations: { ends: [aggregates.length], flat: Float64Array.from(aggregates, ({ observations }) => observations) },
    notes: { ends: [notes.length], flat: texts(notes) },
    received_at: { numbers: BigInt64Array.of(BigInt(receivedAtMs)) },
    retention_days: { numbers: Uint16Array.of(scope.retentionDays) },
    stored_at: { numbers: BigInt64Array.of(BigInt(storedAtMs)) },
  });
}

export function requestRows(scope: TenantScope, upload: WorkloadUpload, storedAtS: number): NativeBlock {
  const rows = upload.startUs.length;
  const nullsWithout = (bit: number) => Uint8Array.from({ length: rows }, (_, row) => (((upload.known[row] ?? knownByDefault) & bit) === 0 ? 1 : 0));
  const times = (column: readonly bigint[], nulls: Uint8Array): ColumnData => ({ numbers: column.length === 0 ? new BigUint64Array(rows) : BigUint64Array.from(column), nulls: column.length === 0 ? new Uint8Array(rows).fill(1) : nulls });
  const time = (name: "startUs" | "clientQueueUs" | "queueUs" | "prefillUs" | "ttftUs" | "latencyUs") => times(upload[name], nullsWithout(knownColumns[name]));
  const tokens = (name: "inputTokens" | "outputTokens") => ({ numbers: Uint32Array.from(upload[name]), nulls: nullsWithout(knownColumns[name]) });
  const noGaps = Uint8Array.from({ length: rows }, (_, row) => ((upload.itlCount[row] ?? 0) === 0 ? 1 : 0));
  const spikes = spikesByRequest(upload, rows);
  return block("workload_requests", rows, {
    tenant_id: constant(scope.tenantId, rows),
    workload_id: constant(upload.workloadId, rows),
    name: constant(upload.name, rows),
    engine: constant(upload.engine, rows),
    model_name: constant(upload.modelName, rows),
    started_at: { numbers: new Uint32Array(rows).fill(Number(upload.startedAtS)) },
    request: { numbers: Uint32Array.from({ length: rows }, (_, row) => upload.firstRequest + row) },
    start_us: time("startUs"),
    client_queue_us: time("clientQueueUs"),
    queue_us: time("queueUs"),
    prefill_us: time("prefillUs"),
    ttft_us: time("ttftUs"),
    latency_us: time("latencyUs"),
    input_tokens: tokens("inputTokens"),
    output_tokens: tokens("outputTokens"),
    itl_count: { numbers: upload.itlCount.length === 0 ? new Uint32Array(rows) : Uint32Array.from(upload.itlCount) },
    itl_p50_us: times(upload.itlP50Us, noGaps),
    itl_p90_us: times(upload.itlP90Us, noGaps),
    itl_p99_us: times(upload.itlP99Us, noGaps),
    itl_max_us: times(upload.itlMaxUs, noGaps),
    spike_at_us: { ends: spikes.ends, flat: BigUint64Array.from(spikes.order, (i) => upload.spikeAtUs[i]!) },
    spike_gap_us: { ends: spikes.ends, flat: BigUint64Array.from(spikes.order, (i) => upload.spikeGapUs[i]!) },
    failed: { numbers: Uint8Array.from(upload.failed, Number) },
    error: { strings: upload.error.length === 0 ? { dictionary: [""], index: new Uint8Array(rows) } : { dictionary: upload.errors, index: upload.error } },
    retention_days: { numbers: new Uint16Array(rows).fill(scope.retentionDays) },
    stored_at: { numbers: new Uint32Array(rows).fill(storedAtS) },
  });
}

// Spikes in the order of their requests, and where each request's end. They may come in any order.
function spikesByRequest({ spikeRequest }: WorkloadUpload, rows: number): { order: number[]; ends: Uint32Array } {
  const ends = new Uint32Array(rows);
  for (const request of spikeRequest) ends[request]!++;
  for (let row = 1; row < rows; row++) ends[row]! += ends[row - 1]!;
  return { order: [...spikeRequest.keys()].sort((a, b) => spikeRequest[a]! - spikeRequest[b]! || a - b), ends };
}
