// The counts of the status page and the ledger's answers.
import { create } from "@bufbuild/protobuf";
import { afterAll, expect, test } from "vitest";
import { liveProfileTypes } from "#clickhouse/profile-types.ts";
import { type TenantScope, tenantScope } from "#clickhouse/scope.ts";
import { lastSampleByHost, statusCounts } from "#clickhouse/status.ts";
import { ingestedThrough, storedUploads } from "#clickhouse/uploads.ts";
import { ExecutionUploadSchema } from "#schema/gen/lamella/v1/execution_pb.ts";
import { SightingsUploadSchema } from "#schema/gen/lamella/v1/sighting_pb.ts";
import { decodeSamples } from "#core/upload/decode-samples.ts";
import { openEngine } from "#test/rig/engine.ts";
import { encodeUpload, smallUpload } from "#test/rig/samples-uploads.ts";
import { ask, insertBlock } from "#test/rig/store.ts";
import { executionRow, ledgerRow } from "#workers/ingest/rows-executions.ts";
import { sightingRows } from "#workers/ingest/rows-models.ts";
import { sampleRows } from "#workers/ingest/rows-samples.ts";

const engine = openEngine();
afterAll(() => engine.close());

const hourS = 3_600;
const nowS = Math.floor(Date.now() / 1_000);
const id = (letter: string) => letter.repeat(64);
let tenants = 0;
const newTenant = () => tenantScope(`${"abcdefghijklmnopqrstuvwxyz"[tenants++]}`.repeat(16), 30);

async function storeUpload(scope: TenantScope, uploadId: string, samples: number, receivedAtMs: number, storedAtMs: number): Promise<void> {
  const message = { v: 1 as const, tenantId: scope.tenantId, kind: "samples" as const, uploadId, receivedAtMs, bodyBytes: 100 };
  await insertBlock(engine, "uploads", ledgerRow(scope, message, { samples, valueTotal: 5n, stacks: 2, frames: 3, agentVersion: "1", executionId: "", part: 0, parts: 0 }, storedAtMs));
}

async function storeSamples(scope: TenantScope, atS: number, host: string, executionId = ""): Promise<void> {
  const upload = smallUpload();
  upload.baseTimeS = BigInt(atS);
  upload.strings[7] = host;
  if (executionId !== "") Object.assign(upload, { executionId, part: 1, parts: 1 });
  const decoded = decodeSamples(encodeUpload(upload));
  if (!decoded.ok) throw new Error(decoded.error.detail);
  await insertBlock(engine, "samples", sampleRows(scope, decoded.value, atS).samples());
}

test("nothing yet is zeros, not an error", async () => {
  const scope = newTenant();
  expect(await ask(engine, scope, statusCounts())).toEqual([{ uploads: 0, samples: 0, executions: 0, models: 0, last_stored_ms: 0 }]);
  expect(await ask(engine, scope, ingestedThrough())).toEqual([{ through_ms: 0 }]);
  expect(await ask(engine, scope, lastSampleByHost(10))).toEqual([]);
});

test("an upload that is in the ledger twice counts once", async () => {
  const [scope, other] = [newTenant(), newTenant()];
  await storeUpload(scope, id("a"), 100, nowS * 1_000 - 5_000, nowS * 1_000 - 4_000);
  await storeUpload(scope, id("a"), 100, nowS * 1_000 - 5_000, nowS * 1_000 - 123);
  await storeUpload(scope, id("b"), 30, nowS * 1_000 - 7_250, nowS * 1_000 - 3_000);
  await storeUpload(other, id("c"), 9, nowS * 1_000, nowS * 1_000);
  for (const executionId of [id("d"), id("d"), id("e")]) await insertBlock(engine, "executions", executionRow(scope, create(ExecutionUploadSchema, { executionId, profileType: 1, importedAtS: BigInt(nowS) }), id("f"), nowS * 1_000));
  const sighting = (modelKey: string, process: bigint) => ({ modelKey, firstSeenS: BigInt(nowS), lastSeenS: BigInt(nowS), processKey: process });
  await insertBlock(engine, "sightings", sightingRows(scope, create(SightingsUploadSchema, { source: 1, sightings: [sighting("1".repeat(32), 1n), sighting("1".repeat(32), 2n), sighting("2".repeat(32), 1n)] })));
  expect(await ask(engine, scope, statusCounts())).toEqual([{ uploads: 2, samples: 130, executions: 2, models: 2, last_stored_ms: nowS * 1_000 - 123 }]);
  expect(await ask(engine, scope, ingestedThrough())).toEqual([{ through_ms: nowS * 1_000 - 5_000 }]);
  expect((await ask(engine, scope, storedUploads([id("a"), id("b"), id("c"), id("9")]))).map((row) => row.upload_id[0]).sort()).toEqual(["a", "b"]);
  expect(await ask(engine, scope, storedUploads([]))).toEqual([]);
});

test("the last sample of each host, newest first", async () => {
  const [scope, other] = [newTenant(), newTenant()];
  await storeSamples(scope, nowS - 100, "node-1");
  await storeSamples(scope, nowS - 50, "node-2");
  await storeSamples(scope, nowS - 200, "node-1");
  await storeSamples(other, nowS, "node-3");
  // The last of the three samples is 12 s after the base time.
  expect(await ask(engine, scope, lastSampleByHost(10))).toEqual([{ host: "node-2", at_s: nowS - 38 }, { host: "node-1", at_s: nowS - 88 }]);
  expect(await ask(engine, scope, lastSampleByHost(1))).toEqual([{ host: "node-2", at_s: nowS - 38 }]);
});

test("profile types with live samples in a range: exact when it is short, by the hour when it is long", async () => {
  const scope = newTenant();
  const atS = nowS - (nowS % hourS) - 10 * hourS + 1_800; // half past: samples at −30, 0 and +12 s
  await storeSamples(scope, atS, "node-1");
  await storeSamples(scope, atS + 3 * hourS, "node-1", id("a")); // an execution is not live
  const types = async (fromS: number, toS: number) => (await ask(engine, scope, liveProfileTypes(fromS, toS))).map((row) => row.profile_type);
  expect(await types(atS - 30, atS - 29)).toEqual(["cuda"]);
  expect(await types(atS + 1, atS + 12)).toEqual([]);
  expect(await types(atS + 1, atS + 13)).toEqual(["cuda"]);
  expect(await types(atS + 3 * hourS - 60, atS + 3 * hourS + 60)).toEqual([]);
  expect(await types(atS - 1_800, atS + 20 * hourS)).toEqual(["cuda"]);
  expect(await types(atS + 1_800, atS + 20 * hourS)).toEqual([]);
});
