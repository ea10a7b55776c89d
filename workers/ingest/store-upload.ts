// A decoded upload → the store: dictionaries first, then facts, the ledger last. Every insert carries a token that names exactly its payload, so the whole
// sequence can be repeated from the start after a crash between any two steps; a crash before the facts leaves only unused dictionary rows.
import type { Store } from "#clickhouse/client.ts";
import { executionById } from "#clickhouse/executions.ts";
import type { TenantScope } from "#clickhouse/scope.ts";
import { asStage, shapeParts } from "#clickhouse/shapes.ts";
import { storedParts } from "#clickhouse/uploads.ts";
import { workloadById } from "#clickhouse/workloads.ts";
import type { ShapePart } from "#core/shape/part.ts";
import { deploymentOf, type Stage, wholeModel } from "#core/shape/whole.ts";
import type { UploadMessage } from "#schema/upload-message.ts";
import type { DecodedUpload } from "./decode-upload.ts";
import { Poison } from "./poison.ts";
import { executionRow, type LedgerCounts, ledgerRow, metricRows } from "./rows-executions.ts";
import { partRow, shapeRows, sightingRows } from "./rows-models.ts";
import { recordRows } from "./rows-records.ts";
import { sampleRows } from "./rows-samples.ts";
import { requestRows, workloadRow } from "./rows-workloads.ts";

const nothing: LedgerCounts = { samples: 0, valueTotal: 0n, stacks: 0, frames: 0, agentVersion: "", executionId: "", part: 0, parts: 0 };

export async function storeUpload(store: Store, scope: TenantScope, message: UploadMessage, decoded: DecodedUpload, nowMs: number): Promise<void> {
  const token = (table: string) => `${scope.tenantId}:${message.uploadId}:${table}`;
  const counts = await storeRows(store, scope, message, decoded, token, nowMs);
  await store.insert(scope, "uploads", ledgerRow(scope, message, counts, nowMs), token("uploads"));
}

async function storeRows(store: Store, scope: TenantScope, message: UploadMessage, decoded: DecodedUpload, token: (table: string) => string, nowMs: number): Promise<LedgerCounts> {
  const nowS = Math.floor(nowMs / 1000);
  switch (decoded.kind) {
    case "samples": {
      const { upload } = decoded;
      const { agentVersion, executionId, part, parts } = upload;
      if (executionId !== "" && (await isStoredPart(store, scope, upload))) return { ...nothing, agentVersion, executionId, part, parts };
      const rows = sampleRows(scope, upload, Math.floor(message.receivedAtMs / 1000));
      await store.insert(scope, "frames", rows.frames(), token("frames"));
      await store.insert(scope, "stacks", rows.stacks(), token("stacks"));
      // A part of an execution is one payload however often it is imported, also by two imports at once.
      const payload = executionId === "" ? token("samples") : `${scope.tenantId}:${executionId}:${part}/${parts}:samples`;
      await store.insert(scope, "samples", rows.samples(), payload);
      return { samples: upload.samples.rows, valueTotal: rows.valueTotal, stacks: upload.stacks.rows, frames: upload.frames.rows, agentVersion, executionId, part, parts };
    }
    case "shapes":
      await storeShape(store, scope, decoded.part, token, Math.floor(message.receivedAtMs / 1000));
      return { ...nothing, agentVersion: decoded.part.agentVersion };
    case "sightings":
      await store.insert(scope, "sightings", sightingRows(scope, decoded.upload), token("sightings"));
      return { ...nothing, agentVersion: decoded.upload.agentVersion };
    case "executions": {
      const { upload, record } = decoded;
      const { agentVersion, executionId } = upload;
      if (await isComplete(store, scope, executionById(executionId))) return { ...nothing, agentVersion, executionId };
      if (record !== null) {
        const rows = recordRows(scope, upload, record, message.uploadId, nowMs);
        await store.insert(scope, "execution_nodes", rows.nodes, token("execution_nodes"));
        await store.insert(scope, "execution_records", rows.record, token("execution_records"));
      }
      await store.insert(scope, "executions", executionRow(scope, upload, message.uploadId, nowMs), token("executions"));
      return { ...nothing, agentVersion, executionId };
    }
    case "workloads":
      if (await isComplete(store, scope, workloadById(decoded.upload.workloadId))) return { ...nothing, agentVersion: decoded.upload.agentVersion };
      // The requests first: a part that the summary has is all there.
      await store.insert(scope, "workload_requests", requestRows(scope, decoded.upload, nowS), token("workload_requests"));
      await store.insert(scope, "workloads", workloadRow(scope, decoded.upload, message.receivedAtMs, nowMs), token("workloads"));
      return { ...nothing, agentVersion: decoded.upload.agentVersion };
    case "metrics":
      await store.insert(scope, "engine_metrics", metricRows(scope, decoded.upload), token("engine_metrics"));
      return { ...nothing, agentVersion: decoded.upload.agentVersion };
  }
}

// What is complete stays as it is: its readers were told that it never changes, and nobody's later upload under the same id may change it.
async function isComplete(store: Store, scope: TenantScope, query: ReturnType<typeof executionById> | ReturnType<typeof workloadById>): Promise<boolean> {
  const [known] = await store.select<typeof query.row>(scope, query, query.row, { label: "ingest: complete", queryId: crypto.randomUUID() });
  return known !== undefined && known.parts_stored >= known.parts;
}

async function isStoredPart(store: Store, scope: TenantScope, { executionId, part, parts }: { readonly executionId: string; readonly part: number; readonly parts: number }): Promise<boolean> {
  const query = storedParts(executionId);
  const stored = await store.select(scope, query, query.row, { label: "ingest: parts", queryId: crypto.randomUUID() });
  const other = stored.find((one) => one.parts !== parts);
  if (other !== undefined) {
    throw new Poison("part_contradicts", `part ${part} of ${parts} of execution ${executionId.slice(0, 12)}…, of which part ${other.part} of ${other.parts} is stored: counted together they would count samples twice. Import the file as a new execution: lamella import FILE --again`);
  }
  return stored.some((one) => one.part === part);
}

// A whole model is its own shape. A pipeline stage is stored as a part; whoever stores the last missing one of its deployment merges them: each writes before it reads, so
// of two stages that arrive at once at least one sees both. Rows are of the time of receipt: a stage that the queue brings late is no newer than it was.
async function storeShape(store: Store, scope: TenantScope, part: ShapePart, token: (table: string) => string, receivedS: number): Promise<void> {
  if (part.ppSize === 1) return await storeWhole(store, scope, part, [part], token, [receivedS]);
  await store.insert(scope, "shape_parts", partRow(scope, part, receivedS), token("shape_parts"));
  const query = shapeParts(part.modelKey, deploymentOf(part));
  const stages = await store.select(scope, query, query.row, { label: "ingest: merge shape", queryId: crypto.randomUUID() });
  await storeWhole(store, scope, part, stages.map(asStage), token, stages.map(({ stored_at_s: at }) => at));
}

async function storeWhole(store: Store, scope: TenantScope, { modelKey, ppSize, runId }: ShapePart, stages: readonly Stage[], token: (table: string) => string, receivedS: readonly number[]): Promise<void> {
  const whole = wholeModel(stages);
  if (!whole.ok) {
    if (whole.error.kind !== "missing_stages" && whole.error.kind !== "missing_layers") console.warn(JSON.stringify({ level: "warn", what: "merge shape", modelKey, detail: whole.error.detail }));
    return;
  }
  const merged = { runId: ppSize > 1 ? (runId ?? "") : "", partsReceivedS: receivedS.reduce((sum, at) => sum + at, 0) };
  const rows = shapeRows(scope, modelKey, whole.value, Math.max(...receivedS), merged);
  // The shape is inside the token: a stage that is merged again with a changed neighbour is another payload.
  await store.insert(scope, "shapes", rows.shapes, token(`${rows.shapeId}:shapes`));
  await store.insert(scope, "model_shapes", rows.modelShapes, token(`${rows.shapeId}:model_shapes`));
}
