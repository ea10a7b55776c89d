// An execution's record → rows: the document whole, and one row per module of it. Pure.
import type { NativeBlock } from "#clickhouse/native.ts";
import type { TenantScope } from "#clickhouse/scope.ts";
import { executionNodes } from "#core/upload/execution-nodes.ts";
import type { ExecutionRecord } from "#schema/api/execution-record.ts";
import type { ExecutionUpload } from "#schema/gen/lamella/v1/execution_pb.ts";
import { block, constant, texts } from "./rows-samples.ts";

type Upload = Pick<ExecutionUpload, "executionId" | "importedAtS">;

export function recordRows(scope: TenantScope, upload: Upload, record: ExecutionRecord, uploadId: string, storedAtMs: number): { record: NativeBlock; nodes: NativeBlock } {
  const each = (rows: number) => ({
    tenant_id: constant(scope.tenantId, rows),
    execution_id: constant(upload.executionId, rows),
    imported_at: { numbers: new Uint32Array(rows).fill(Number(upload.importedAtS)) },
    retention_days: { numbers: new Uint16Array(rows).fill(scope.retentionDays) },
    stored_at: { numbers: new BigInt64Array(rows).fill(BigInt(storedAtMs)) },
  });
  const nodes = executionNodes(record);
  const rows = nodes.step.length;
  const wide = (values: readonly number[]) => ({ numbers: BigUint64Array.from(values, BigInt) });
  return {
    record: block("execution_records", 1, { ...each(1), record: constant(wellFormed(JSON.stringify(record)), 1), upload_id: constant(uploadId, 1) }),
    nodes: block("execution_nodes", rows, {
      ...each(rows),
      module_path: { strings: texts(nodes.modulePath) },
      module_class: { strings: texts(nodes.moduleClass) },
      step: { numbers: Uint32Array.from(nodes.step) },
      calls: wide(nodes.calls),
      kernels: wide(nodes.kernels),
      value: wide(nodes.value),
      gpu_min: wide(nodes.gpuMin),
      gpu_median: wide(nodes.gpuMedian),
      gpu_max: wide(nodes.gpuMax),
      cpu_total: wide(nodes.cpuTotal),
      cpu_min: wide(nodes.cpuMin),
      cpu_median: wide(nodes.cpuMedian),
      cpu_max: wide(nodes.cpuMax),
    }),
  };
}

// Half a surrogate pair (Python writes one for a byte of a file name that is no UTF-8) is JSON to JavaScript alone: ClickHouse and others refuse the whole text. An
// escape is taken as a whole, so that a backslash in a name is never read as the start of one.
function wellFormed(json: string): string {
  return json.replace(/\\(?:u(d[89a-f][0-9a-f]{2})|.)/g, (escape, half?: string) => (half === undefined ? escape : "\\ufffd"));
}
