// Executions on a real ClickHouse, rows made as uploads make them; every case is a tenant of its own.
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { afterAll, expect, test } from "vitest";
import { executionById, executionsBetween, latestExecution } from "#clickhouse/executions.ts";
import { type TenantScope, tenantScope } from "#clickhouse/scope.ts";
import { ExecutionUploadSchema } from "#schema/gen/lamella/v1/execution_pb.ts";
import { openEngine } from "#test/rig/engine.ts";
import { ask, insertBlock } from "#test/rig/store.ts";
import { executionRow, ledgerRow } from "#workers/ingest/rows-executions.ts";

const engine = openEngine();
afterAll(() => engine.close());

const nowS = Math.floor(Date.now() / 1_000);
const id = (letter: string) => letter.repeat(64);
let tenants = 0;
const newTenant = () => tenantScope(`${"abcdefghijklmnopqrstuvwxyz"[tenants++]}`.repeat(16), 30);

let uploads = 0;
async function storeSummary(scope: TenantScope, init: MessageInitShape<typeof ExecutionUploadSchema>, storedAtS = nowS): Promise<void> {
  await insertBlock(engine, "executions", executionRow(scope, create(ExecutionUploadSchema, { profileType: 1, importedAtS: BigInt(nowS), parts: 1, ...init }), (uploads++).toString(16).padStart(64, "0"), storedAtS * 1_000));
}

async function storePart(scope: TenantScope, executionId: string, part: number, parts: number, uploadId = (uploads++).toString(16).padStart(64, "0"), kind: "samples" | "executions" = "samples"): Promise<void> {
  const message = { v: 1 as const, tenantId: scope.tenantId, kind, uploadId, receivedAtMs: nowS * 1_000, bodyBytes: 100 };
  await insertBlock(engine, "uploads", ledgerRow(scope, message, { samples: 10, valueTotal: 5n, stacks: 2, frames: 3, agentVersion: "1", executionId, part, parts }, nowS * 1_000));
}

const between = async (scope: TenantScope, fromS: number, toS: number, limit = 100) => (await ask(engine, scope, executionsBetween({ fromS, toS, limit }))).map((row) => row.execution_id[0]);
const latest = async (scope: TenantScope) => (await ask(engine, scope, latestExecution())).map((row) => row.execution_id[0]);

test("a summary comes back whole, 64-bit numbers and gaps included", async () => {
  const scope = newTenant();
  await storeSummary(scope, {
    executionId: id("a"), name: "qwen3.trace.json.gz", device: "CPU: AMD EPYC 7763", profileType: 5, pathSource: 3, modelName: "Qwen/Qwen3-0.6B", modelKey: "ab".repeat(16),
    recordedAtNs: 1_764_426_720_123_456_789n, durationNs: 987_654_321n, importedAtS: BigInt(nowS), parts: 2, totalValue: 1_000n, moduleValue: 900n, kernels: 40n, events: 12_345n,
    gaps: [{ reason: "launched before capture", kernels: 2n, value: 60n }, { reason: "outside any module", kernels: 3n, value: 40n }], notes: ["2 events were skipped", ""],
  });
  expect(await ask(engine, scope, executionById(id("a")))).toEqual([{
    execution_id: id("a"), name: "qwen3.trace.json.gz", device: "CPU: AMD EPYC 7763", profile_type: "cpu_op", path_source: "inferred", model_name: "Qwen/Qwen3-0.6B",
    model_key: "ab".repeat(16), recorded_at_ns: "1764426720123456789", duration_ns: 987_654_321, imported_at_s: nowS, parts: 2, total_value: 1_000, module_value: 900, kernels: 40,
    events: 12_345, gap_reasons: ["launched before capture", "outside any module"], gap_kernels: [2, 3], gap_values: [60, 40], notes: ["2 events were skipped", ""], parts_stored: 0,
  }]);
  expect(await ask(engine, scope, executionById(id("b")))).toEqual([]);
});

test("pages follow one another without a gap or a repeat, also within one second; a prefix of the id narrows", async () => {
  const scope = newTenant();
  const letters = ["a", "b", "c", "d", "e", "f"];
  for (const [i, letter] of letters.entries()) await storeSummary(scope, { executionId: id(letter), importedAtS: BigInt(nowS - 10 * Math.floor(i / 4)) });
  const page = async (after?: { importedAtS: number; id: string }, prefix = "") =>
    (await ask(engine, scope, executionsBetween({ fromS: nowS - 100, toS: nowS, limit: 2, prefix, ...(after ? { after } : {}) }))).map((row) => ({ importedAtS: row.imported_at_s, id: row.execution_id }));
  const seen: string[] = [];
  for (let next = await page(); next.length > 0; next = await page(next.at(-1))) seen.push(...next.map((one) => one.id[0]!));
  expect(seen).toEqual(letters);
  expect((await page(undefined, "e")).map((one) => one.id)).toEqual([id("e")]);
  expect(await page(undefined, "ea")).toEqual([]);
});

test("an execution is complete when every part is in the ledger, whatever came twice and in whatever order", async () => {
  const scope = newTenant();
  const stored = async () => (await ask(engine, scope, executionById(id("a")))).map((row) => row.parts_stored);
  await storePart(scope, id("a"), 3, 3);
  await storeSummary(scope, { executionId: id("a"), parts: 3 });
  await storePart(scope, id("a"), 0, 0, undefined, "executions"); // the summary's own row is no part
  await storePart(scope, id("b"), 1, 3); // another execution's
  expect(await stored()).toEqual([1]);
  expect(await latest(scope)).toEqual([]);
  const again = id("9");
  await storePart(scope, id("a"), 1, 3, again);
  await storePart(scope, id("a"), 1, 3, again);
  expect(await stored()).toEqual([2]);
  expect(await latest(scope)).toEqual([]);
  await storePart(scope, id("a"), 2, 3);
  expect(await stored()).toEqual([3]);
  expect(await latest(scope)).toEqual(["a"]);
});

test("the latest is the newest complete one", async () => {
  const scope = newTenant();
  for (const [letter, importedAt, complete] of [["a", nowS - 300, true], ["b", nowS - 100, true], ["c", nowS - 200, true], ["d", nowS, false]] as const) {
    await storeSummary(scope, { executionId: id(letter), importedAtS: BigInt(importedAt) });
    if (complete) await storePart(scope, id(letter), 1, 1);
  }
  expect(await latest(scope)).toEqual(["b"]);
  await storePart(scope, id("d"), 1, 1);
  expect(await latest(scope)).toEqual(["d"]);
});

test("lists are newest first, both ends of the range included, at most the limit", async () => {
  const scope = newTenant();
  for (const [letter, ago] of [["a", 300], ["b", 200], ["c", 100], ["d", 100]] as const) await storeSummary(scope, { executionId: id(letter), importedAtS: BigInt(nowS - ago) });
  expect(await between(scope, nowS - 1_000, nowS)).toEqual(["c", "d", "b", "a"]);
  expect(await between(scope, nowS - 1_000, nowS, 2)).toEqual(["c", "d"]);
  expect(await between(scope, nowS - 300, nowS - 200)).toEqual(["b", "a"]);
  expect(await between(scope, nowS - 299, nowS - 201)).toEqual([]);
});

test("of two copies the newest counts, merged or not", async () => {
  const scope = newTenant();
  await storeSummary(scope, { executionId: id("a"), name: "second" }, nowS);
  await storeSummary(scope, { executionId: id("a"), name: "first" }, nowS - 10);
  const names = async () => (await ask(engine, scope, executionsBetween({ fromS: nowS - 60, toS: nowS, limit: 10 }))).map(({ name }) => name);
  expect(await names()).toEqual(["second"]);
  await engine.command("OPTIMIZE TABLE executions FINAL");
  expect(await names()).toEqual(["second"]);
});

test("two tenants with the same execution never mix", async () => {
  const [one, other] = [newTenant(), newTenant()];
  await storeSummary(one, { executionId: id("a"), name: "one", parts: 2 });
  await storeSummary(other, { executionId: id("a"), name: "other", parts: 2 });
  await storePart(one, id("a"), 1, 2);
  await storePart(other, id("a"), 2, 2);
  expect(await ask(engine, one, executionById(id("a")))).toMatchObject([{ name: "one", parts_stored: 1 }]);
  expect(await ask(engine, other, executionById(id("a")))).toMatchObject([{ name: "other", parts_stored: 1 }]);
  expect(await latest(one)).toEqual([]);
});
