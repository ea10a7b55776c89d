// The budget of a tenant, on the engine itself, with a clock of our own.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir, totalmem } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { writeAccessConfig, type Role } from "#local/clickhouse/access-config.ts";
import { openEngine, type Engine } from "#local/clickhouse/engine.ts";
import { laneBounds } from "#local/clickhouse/lane.ts";
import { createQueryRunner, type QueryRunner } from "#local/clickhouse/query-runner.ts";
import { createQuota } from "#local/clickhouse/quota.ts";

const dataDir = mkdtempSync(join(tmpdir(), "lamella-quota-"));
let engine: Engine;
beforeAll(() => void (engine = openEngine({ dataDir, configFile: writeAccessConfig({ dataDir }) })));
afterAll(() => (engine.close(), rmSync(dataDir, { recursive: true, force: true })));

const minute = Date.UTC(2026, 10, 30, 14, 0);
let nowMs: number;
let runner: QueryRunner;
beforeEach(() => {
  nowMs = minute + 20_000;
  runner = createQueryRunner(engine, createQuota(0.5, () => nowMs));
});

const endless = "SELECT count() FROM numbers(1000000000000) WHERE sipHash64(number) = 1";
type Asked = { readonly role?: Role; readonly settings?: Readonly<Record<string, string>> };
let queries = 0;

async function ask(quotaKey: string, sql: string, { role = "reader", settings = {} }: Asked = {}): Promise<string> {
  const query = { role, queryId: `q${queries++}`, quotaKey, sql, data: undefined, database: undefined, params: new Map<string, string>(), settings: new Map(Object.entries(settings)), format: undefined };
  return (await runner.run(query, new AbortController().signal)).bytes.toString().trim();
}

// A query that takes the engine so many seconds and is ended then: what failed was executed too.
const spend = (quotaKey: string, seconds: number) => expect(ask(quotaKey, endless, { settings: { max_execution_time: String(seconds) } })).rejects.toThrow(/^Code: 159/);

test("who has spent its budget is refused in the server's words; another tenant, an insert and ingest's own questions are not", async () => {
  await spend("a", 0.2);
  expect(await ask("a", "SELECT 1")).toBe("1");
  await spend("a", 0.6);
  const words = /^Code: 201\. DB::Exception: Quota for user `reader` for 60s has been exceeded: execution_time = (\S+)\/0\.5\. Interval will end at 2026-11-30 14:01:00\. Name of quota template: `lamella_tenant` \(QUOTA_EXCEEDED\)$/;
  const refused = await ask("a", "SELECT 1").catch((error: Error) => error);
  expect(refused).toMatchObject({ code: 201, message: expect.stringMatching(words) });
  expect(Number(words.exec((refused as Error).message)![1])).toBeGreaterThan(0.8);

  expect(await ask("b", "SELECT 2")).toBe("2");
  await ask("a", "CREATE TABLE default.x (x UInt8) ENGINE = MergeTree ORDER BY x", { role: "writer" });
  await ask("a", "INSERT INTO default.x SELECT 1", { role: "writer" });
  expect(await ask("ingest:a", "SELECT 7", { settings: { log_comment: "ingest: ledger" } })).toBe("7");
});

test("the budget is whole again in the next window, which begins with the minute", async () => {
  await spend("a", 0.6);
  nowMs = minute + 59_999;
  await expect(ask("a", "SELECT 1")).rejects.toMatchObject({ code: 201 });
  nowMs = minute + 60_000;
  expect(await ask("a", "SELECT 1")).toBe("1");
  await spend("a", 0.2);
  expect(await ask("a", "SELECT 1")).toBe("1");
});

test("what waited for its slot is refused when the budget has gone meanwhile", async () => {
  const code = (sql: string) => ask("a", sql, { settings: { max_execution_time: "1" } }).catch((error: { code?: number; message: string }) => error.code ?? Number(/^Code: (\d+)/.exec(error.message)?.[1]));
  const slots = laneBounds.read.perTenant.slots;
  const codes = await Promise.all([...Array.from({ length: slots }, () => code(endless)), code("SELECT 1"), code("SELECT 1")]);
  expect(codes).toEqual([...Array.from({ length: slots }, () => 159), 201, 201]);
});

test("the engine as a whole has a bound of memory below the machine's", async () => {
  const [share, bytes] = (await ask("", "SELECT value FROM system.server_settings WHERE name IN ('max_server_memory_usage_to_ram_ratio', 'max_server_memory_usage') ORDER BY name DESC")).split("\n").map(Number);
  expect(share).toBe(0.6);
  expect(bytes).toBeGreaterThan(0);
  expect(bytes! / totalmem()).toBeLessThanOrEqual(0.6);
});

test("without a key nothing is counted", async () => {
  await spend("", 0.6);
  expect(await ask("", "SELECT 1")).toBe("1");
});
