// Records of executions on a real ClickHouse, rows made as uploads make them; every case is a tenant of its own.
import { create } from "@bufbuild/protobuf";
import { afterAll, expect, test } from "vitest";
import { executionRecord, moduleHistory } from "#clickhouse/execution-records.ts";
import { type TenantScope, tenantScope } from "#clickhouse/scope.ts";
import { ExecutionUploadSchema } from "#schema/gen/lamella/v1/execution_pb.ts";
import { drawRecord } from "#test/rig/draw-record.ts";
import { openEngine } from "#test/rig/engine.ts";
import { ask, insertBlock } from "#test/rig/store.ts";
import { executionRow, ledgerRow } from "#workers/ingest/rows-executions.ts";
import { recordRows } from "#workers/ingest/rows-records.ts";

const engine = openEngine();
afterAll(() => engine.close());

const nowS = Math.floor(Date.now() / 1_000);
const id = (letter: string) => letter.repeat(64);
let tenants = 0;
const newTenant = () => tenantScope(`${"abcdefghijklmnopqrstuvwxyz"[tenants++]}`.repeat(16), 30);

type Stored = { readonly importedAtS?: number; readonly storedAtS?: number; readonly modelName?: string; readonly complete?: boolean };

let uploads = 0;
async function store(scope: TenantScope, letter: string, drawing: string, { importedAtS = nowS, storedAtS = nowS, modelName = "org/net", complete = true }: Stored = {}): Promise<void> {
  const uploadId = (uploads++).toString(16).padStart(64, "0");
  const upload = create(ExecutionUploadSchema, { executionId: id(letter), profileType: 1, importedAtS: BigInt(importedAtS), parts: 1, modelName });
  const { record, nodes } = recordRows(scope, upload, drawRecord(drawing), uploadId, storedAtS * 1_000);
  await insertBlock(engine, "execution_nodes", nodes);
  await insertBlock(engine, "execution_records", record);
  await insertBlock(engine, "executions", executionRow(scope, upload, uploadId, storedAtS * 1_000));
  const message = { v: 1 as const, tenantId: scope.tenantId, kind: "samples" as const, uploadId: `f${uploadId.slice(1)}`, receivedAtMs: storedAtS * 1_000, bodyBytes: 1 };
  const counts = { samples: 1, valueTotal: 1n, stacks: 1, frames: 1, agentVersion: "1", executionId: id(letter), part: 1, parts: 1 };
  if (complete) await insertBlock(engine, "uploads", ledgerRow(scope, message, counts, storedAtS * 1_000));
}

const net = (value: number) => `.  Net 2 ${2 * value} 4\n  layers.0 Layer 2 ${value} 2\n  layers.1 Layer 2 ${value} 2`;
const history = async (scope: TenantScope, path: string, change: object = {}) => {
  const rows = await ask(engine, scope, moduleHistory({ fromS: nowS - 1_000, toS: nowS, limit: 10, path, modelName: "org/net", ...change }));
  return rows.map((row) => [row.execution_id[0], row.module_class, row.node_calls, row.node_kernels, row.node_value]);
};

test("a record comes back as it was sent; of two copies the newest, merged or not; another tenant's is not there", async () => {
  const [scope, other] = [newTenant(), newTenant()];
  await store(scope, "a", net(300), { storedAtS: nowS });
  await store(scope, "a", net(200), { storedAtS: nowS - 10 });
  const read = async () => (await ask(engine, scope, executionRecord(id("a")))).map((row) => JSON.parse(row.record) as unknown);
  expect(await read()).toEqual([drawRecord(net(300))]);
  await engine.command("OPTIMIZE TABLE execution_records FINAL");
  expect(await read()).toEqual([drawRecord(net(300))]);
  expect(await ask(engine, scope, executionRecord(id("b")))).toEqual([]);
  expect(await ask(engine, other, executionRecord(id("a")))).toEqual([]);
});

test("a module over the executions of a model: latest first, complete ones, of this tenant, model and path alone", async () => {
  const [scope, other] = [newTenant(), newTenant()];
  await store(scope, "a", net(300), { importedAtS: nowS - 300 });
  await store(scope, "b", net(200), { importedAtS: nowS - 200 });
  await store(scope, "c", net(100), { importedAtS: nowS - 100, modelName: "org/other" });
  await store(scope, "d", net(50), { complete: false });
  await store(scope, "e", ".  Net 1 40 1\n  layers.0 Layer 1 40 1");
  await store(scope, "e", ".  Net 1 30 1\n  layers.0 Layer 1 30 1", { storedAtS: nowS - 10 });
  await store(other, "a", net(8));
  expect(await history(scope, "layers.1")).toEqual([["b", "Layer", 2, 2, 200], ["a", "Layer", 2, 2, 300]]);
  expect(await history(scope, "layers.0")).toEqual([["e", "Layer", 1, 1, 40], ["b", "Layer", 2, 2, 200], ["a", "Layer", 2, 2, 300]]);
  expect(await history(scope, "", { modelName: "org/other" })).toEqual([["c", "Net", 2, 4, 200]]);
  expect(await history(scope, "layers")).toEqual([]);
  expect(await history(scope, "layers.0", { toS: nowS - 250 })).toEqual([["a", "Layer", 2, 2, 300]]);
  const [row] = await ask(engine, scope, moduleHistory({ fromS: nowS - 1_000, toS: nowS, limit: 1, path: "layers.1", modelName: "org/net" }));
  expect(row).toMatchObject({ execution_id: id("b"), imported_at_s: nowS - 200, parts_stored: 1, gpu_min: 100, gpu_median: 100, gpu_max: 100, cpu_total: 2_000, cpu_min: 1_000, cpu_median: 1_000, cpu_max: 1_000 });
});

test("pages are of executions: one that had two classes at a path is not torn apart", async () => {
  const scope = newTenant();
  for (const letter of ["a", "b", "c"]) await store(scope, letter, "m Eager 1 10 1\nm Fast 1 20 1");
  expect(await history(scope, "m", { limit: 2 })).toEqual([["a", "Fast", 1, 1, 20], ["a", "Eager", 1, 1, 10], ["b", "Fast", 1, 1, 20], ["b", "Eager", 1, 1, 10]]);
  expect(await history(scope, "m", { limit: 2, after: { importedAtS: nowS, id: id("b") } })).toEqual([["c", "Fast", 1, 1, 20], ["c", "Eager", 1, 1, 10]]);
});
