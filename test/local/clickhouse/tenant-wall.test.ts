// The second wall: even a query that forgot its tenant predicate sees one tenant's rows.
import { afterAll, beforeAll, expect, test } from "vitest";
import { policedTables } from "#local/clickhouse/access-config.ts";
import { Embedded } from "./embedded.ts";

const embedded = new Embedded();
beforeAll(async () => {
  await embedded.start(); // the policies are older than the tables
  await embedded.write("CREATE DATABASE lamella");
  for (const table of policedTables) {
    await embedded.write(`CREATE TABLE lamella.${table} (tenant_id String, value UInt64) ENGINE = SummingMergeTree ORDER BY tenant_id`);
  }
  await embedded.write(
    `CREATE MATERIALIZED VIEW lamella.samples_1h_by_exe_mv TO lamella.samples_1h_by_exe AS SELECT tenant_id, sum(value) AS value FROM lamella.samples GROUP BY tenant_id`,
  );
  for (const table of policedTables.filter((name) => name !== "samples_1h_by_exe")) {
    await embedded.write("a\t1\na\t2\nb\t4\n", { query: `INSERT INTO lamella.${table} FORMAT TSV` });
  }
});
afterAll(() => embedded.remove());

const read = (sql: string, tenant?: string, params: Record<string, string> = {}) =>
  embedded.send("reader", sql, { params: { ...params, ...(tenant !== undefined && { SQL_tenant: tenant }) } });

test.each([...policedTables, "samples_1h_by_exe_mv"])("%s: tenant a sees a, tenant b sees b, nobody sees nothing, the writer sees both", async (table) => {
  const sql = `SELECT tenant_id, sum(value) FROM lamella.${table} GROUP BY tenant_id ORDER BY tenant_id`;
  expect((await read(sql, "a")).text).toBe("a\t3");
  expect((await read(sql, "b")).text).toBe("b\t4");
  for (const answer of [await read(sql), await read(sql, "")]) expect([answer.status, answer.text]).toEqual([200, ""]);
  // The roll-up was filled by the view for both tenants: the policy did not filter what the writer inserted.
  expect((await embedded.write(sql)).text).toBe("a\t3\nb\t4");
});

test.each([
  "SELECT DISTINCT tenant_id FROM lamella.samples WHERE tenant_id = 'b' OR 1",
  "SELECT DISTINCT tenant_id FROM (SELECT * FROM lamella.samples)",
  "SELECT DISTINCT s.tenant_id FROM lamella.stacks AS s INNER JOIN lamella.samples AS x ON 1 = 1",
  "WITH s AS (SELECT * FROM lamella.samples) SELECT DISTINCT tenant_id FROM s UNION DISTINCT SELECT DISTINCT tenant_id FROM s",
  "SELECT DISTINCT tenant_id FROM merge('lamella', '.*')",
  "SELECT DISTINCT tenant_id FROM view(SELECT * FROM lamella.samples PREWHERE 1)",
  "SELECT DISTINCT tenant_id FROM lamella.samples WHERE (tenant_id, value) IN (SELECT tenant_id, value FROM lamella.samples)",
])("tenant a sees only a: %s", async (sql) => {
  const { text } = await read(sql, "a");
  expect(text).toBe("a");
});

test.each([
  ["SELECT tenant_id FROM lamella.samples SETTINGS query_cache_tag = 'b'", {}],
  ["SELECT tenant_id FROM (SELECT tenant_id FROM lamella.samples SETTINGS readonly = 0)", {}],
  ["SELECT tenant_id FROM lamella.samples", { query_cache_tag: "b" }],
  ["SELECT tenant_id FROM lamella.samples", { readonly: "0" }],
  ["SELECT * FROM mergeTreeIndex(lamella, samples)", {}],
  ["SELECT * FROM file('access.json', 'LineAsString')", {}],
  ["SELECT * FROM remote('127.0.0.1', lamella.samples)", {}],
  ["SELECT * FROM loop(lamella.samples) LIMIT 10", {}],
  ["INSERT INTO lamella.samples VALUES ('a', 1)", {}],
  ["TRUNCATE TABLE lamella.samples", {}],
])("the reader is refused (READONLY): %s %j", async (sql, params) => {
  expect((await read(sql, "a", params)).code).toBe("164");
});

test("the policy uses the primary key", async () => {
  const plan = (await read("EXPLAIN indexes = 1 SELECT sum(value) FROM lamella.samples", "a")).text;
  expect(plan).toContain("PrimaryKey");
  expect(plan).toMatch(/tenant_id in \[\\+'a\\+', \\+'a\\+'\]/);
});

test("log_comment stays free for its own purpose", async () => {
  expect((await read("SELECT splitByString(' query_id: ', getSetting('log_comment'))[1], count() FROM lamella.samples", "b", { log_comment: "models list" })).text).toBe("models list\t1");
});
