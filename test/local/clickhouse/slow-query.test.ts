// One slow query delays nothing else. Every test here holds a query that would run for hours, so whatever completes beside it did not wait for it.
import { afterAll, beforeAll, expect, test } from "vitest";
import { laneBounds } from "#local/clickhouse/lane.ts";
import { Embedded, endless, running } from "./embedded.ts";

const embedded = new Embedded();
beforeAll(async () => {
  await embedded.start();
  await embedded.write("CREATE TABLE default.points (x UInt32) ENGINE = MergeTree ORDER BY x");
});
afterAll(() => embedded.remove());

test("an insert, a ping, a read, a definition and a KILL complete beside it", async () => {
  const slow = embedded.send("reader", endless, { params: { query_id: "slow" } });
  await embedded.until(running("slow"), "1");
  await embedded.write("1\n2\n", { query: "INSERT INTO default.points FORMAT TSV" });
  expect(await (await fetch(`${embedded.clickhouse.url}/ping`)).text()).toBe("Ok.\n");
  await embedded.write("CREATE TABLE default.more (x UInt32) ENGINE = MergeTree ORDER BY x");
  expect((await embedded.write("SELECT sum(x) FROM default.points")).text).toBe("3");
  expect((await embedded.write(running("slow"))).text).toBe("1"); // still
  await embedded.send("reader", "KILL QUERY WHERE query_id = {id:String}", { params: { param_id: "slow" } });
  expect((await slow).code).toBe("394");
});

test("a full read lane leaves the other lanes free, and reads beyond it wait", async () => {
  const ids = Array.from({ length: laneBounds.read.slots }, (_, i) => `hog-${i}`);
  const hogs = ids.map((id) => embedded.send("writer", endless, { params: { query_id: id, quota_key: id, max_threads: "1" } }));
  const late = new AbortController();
  const waiting = embedded.send("writer", "SELECT 1", { signal: late.signal }).catch(() => "left");
  await embedded.write("3\n", { query: "INSERT INTO default.points FORMAT TSV" });
  await (await fetch(`${embedded.clickhouse.url}/ping`)).text();
  expect((await embedded.send("reader", "SELECT 7", { params: { log_comment: "ingest: ledger" } })).text.trim()).toBe("7"); // ingest asks before it stores
  late.abort();
  expect(await waiting).toBe("left");
  await Promise.all(ids.map((id) => embedded.write(`KILL QUERY WHERE query_id = '${id}'`)));
  for (const hog of hogs) expect((await hog).code).toBe("394");
});

test("a tenant's slow reads leave a slot to another tenant, whose read does not wait behind those that do", async () => {
  const ids = Array.from({ length: laneBounds.read.slots + 5 }, (_, i) => `of-a-${i}`);
  const hogs = ids.map((id) => embedded.send("reader", endless, { params: { query_id: id, max_threads: "1" }, headers: { "X-ClickHouse-Quota": "a" } }));
  const runningOfA = "SELECT count() FROM system.processes WHERE Settings['log_comment'] LIKE '%query_id: of-a-%'";
  await embedded.until(runningOfA, String(laneBounds.read.perTenant.slots));
  expect((await embedded.send("reader", "SELECT 7", { params: { quota_key: "b" } })).text).toBe("7");
  expect((await embedded.write(runningOfA)).text).toBe(String(laneBounds.read.perTenant.slots));
  await Promise.all(ids.map((id) => embedded.write(`KILL QUERY WHERE query_id = '${id}'`)));
  for (const hog of hogs) expect((await hog).code).toBe("394");
});

test("a client that goes away ends its query", async () => {
  const client = new AbortController();
  const bound = endless.replace("1000000000000", "{rows:UInt64}"); // the engine prints such a text anew: what was beside it is gone
  const abandoned = embedded.send("reader", bound, { params: { query_id: "abandoned", param_rows: "1000000000000", log_comment: "a page" }, signal: client.signal }).catch(() => "gone");
  await embedded.until(running("abandoned"), "1");
  client.abort();
  expect(await abandoned).toBe("gone");
  await embedded.until(running("abandoned"), "0"); // it would run for hours
});

test("max_execution_time ends a query", async () => {
  const { status, code } = await embedded.send("reader", endless, { params: { max_execution_time: "1" } });
  expect([status, code]).toEqual([408, "159"]);
});

test("a query id that is running is refused; the reader cannot end the writer's queries", async () => {
  const slow = embedded.send("writer", endless, { params: { query_id: "mine" } });
  await embedded.until(running("mine"), "1");
  expect((await embedded.send("writer", "SELECT 1", { params: { query_id: "mine" } })).code).toBe("216");
  expect((await embedded.send("reader", "KILL QUERY WHERE query_id = 'mine'")).code).toBe("164");
  await embedded.write("KILL QUERY WHERE query_id = 'mine' SYNC");
  expect((await slow).code).toBe("394");
});
