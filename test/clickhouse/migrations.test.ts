// The migrations on a real ClickHouse, their cluster form as text, and the golden clickhouse/schema.sql (UPDATE_GOLDEN=1 writes it).
import { readFileSync, writeFileSync } from "node:fs";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { migrate, type MigrationFile, renderMigration, type RunStatement } from "#clickhouse/migrate.ts";
import { rollupTables, tables, tenantTables } from "#clickhouse/tables.ts";
import { policedTables } from "#local/clickhouse/access-config.ts";
import { migrationFiles } from "#local/store.ts";
import { limits } from "#schema/limits.ts";
import { openEngine } from "#test/rig/engine.ts"; // opens with every migration applied once, without the ledger

const engine = openEngine();
afterAll(() => engine.close());

const files = migrationFiles();

// One statement, its rows as TSV.
const run: RunStatement = async (sql, parameters = {}) => {
  const select = sql.startsWith("SELECT");
  const rows = await engine.query(select ? sql.replace(/ FORMAT TSV$/, "") : sql, parameters);
  return rows.map((row) => Object.values(row).join("\t")).join("\n");
};
const apply = (some: readonly MigrationFile[] = files, how: RunStatement = run) => migrate(some, null, how, () => undefined);
const ledger = () => engine.query<{ name: string }>("SELECT name FROM migrations ORDER BY name");

describe("applying", () => {
  beforeEach(() => engine.command("DROP TABLE IF EXISTS migrations SYNC"));

  test("all of them again change nothing, and the ledger knows them", async () => {
    const before = await schema();
    expect(await apply()).toBe(files.length);
    expect(await apply()).toBe(0);
    expect(await ledger()).toEqual(files.map(({ name }) => ({ name })));
    expect((await schema()).replace(/CREATE TABLE migrations\n[^;]*;\n\n/, "")).toBe(before);
  });

  test("a stop at any statement is made good by the next start", async () => {
    const statements = files.flatMap((file) => renderMigration(file, null)).length;
    for (const stopAt of [1, 2, 7, statements - 1]) {
      await engine.command("DROP TABLE IF EXISTS migrations SYNC");
      let ran = 0;
      const dying: RunStatement = (sql, parameters) => (ran++ === stopAt + 2 ? Promise.reject(new Error("the server is gone")) : run(sql, parameters));
      await expect(apply(files, dying)).rejects.toThrow("the server is gone");
      expect((await ledger()).length).toBeLessThan(files.length);
      await apply();
      expect((await ledger()).length).toBe(files.length);
    }
  });

  test("a changed file stops the start", async () => {
    await apply();
    const changed = files.map((file, number) => (number === 1 ? { ...file, text: `${file.text}\n-- one more line` } : file));
    await expect(apply(changed)).rejects.toThrow(`migration ${files[1]!.name} changed after it was applied; restore the file and add a new migration instead`);
  });

  test("a store that a newer version wrote stops the start", async () => {
    await apply([...files, { name: "9999_later.sql", text: "SELECT 1;\n" }]);
    await expect(apply()).rejects.toThrow("the store has migration 9999_later.sql, which this version does not know: it was written by a newer version");
  });

  test("a file that slipped in between stops the start", async () => {
    await apply();
    const between = { name: "0001_then.sql", text: "SELECT 1;\n" };
    await expect(apply([files[0]!, between, ...files.slice(1)])).rejects.toThrow(`migration 0001_then.sql was never applied and the later ${files[1]!.name} was`);
  });
});

describe("the text", () => {
  test("files are numbered without a gap", () => {
    expect(files.map(({ name }) => Number(/^(\d{4})_[a-z0-9_]+\.sql$/.exec(name)?.[1]))).toEqual(files.map((_, i) => i + 1));
  });

  test("every template word is known", () => {
    for (const file of files) for (const cluster of [null, "prod"]) expect(renderMigration(file, cluster).join("\n")).not.toContain("{{");
    expect(() => renderMigration({ name: "x.sql", text: "CREATE TABLE a {{on_clutser}};\n" }, null)).toThrow("x.sql: unknown template word {{on_clutser}}");
  });

  test("a cluster's name is a name", () => {
    expect(() => renderMigration(files[0]!, "prod' SELECT")).toThrow("\"prod' SELECT\" is not a cluster name");
    expect(renderMigration(files[0]!, "{cluster}")[0]).toContain("ON CLUSTER '{cluster}'");
  });

  const statements = files.flatMap((file) => [...renderMigration(file, "prod").entries()].map(([i, statement]) => [`${file.name} ${i + 1}`, statement] as const));
  test.each(statements)("for a cluster: %s", async (_name, statement) => {
    // Each can run again: a column that is there is not added twice, and one that has its type already keeps it; a roll-up that is filled again has nothing that adds up.
    expect(statement).toMatch(/^(CREATE (TABLE|MATERIALIZED VIEW) IF NOT EXISTS \w+ ON CLUSTER 'prod'\s|INSERT INTO engine_metrics_1d \([^)]+\)\nSELECT |ALTER TABLE \w+ ON CLUSTER 'prod'\n(  (ADD COLUMN IF NOT EXISTS \w+|MODIFY (COLUMN \w+|ORDER BY|TTL)) [^\n]+(,\n|$))+$)/);
    if (statement.startsWith("CREATE TABLE")) {
      expect(statement).toMatch(/^ENGINE = Replicated\w*MergeTree/m);
      expect(statement).toMatch(/\breplicated_deduplication_window = \d+, replicated_deduplication_window_seconds = \d+$/);
    }
    // Parses: the embedded engine prints its tree without running it.
    expect((await engine.query(`EXPLAIN AST ${statement}`)).length).toBeGreaterThan(3);
  });

  test("the ledger of a cluster is on the cluster too", async () => {
    const asked: string[] = [];
    await migrate(files, "prod", async (sql) => (asked.push(sql), ""), () => undefined);
    for (const sql of asked.filter((one) => one.startsWith("CREATE"))) expect(sql).toContain("ON CLUSTER 'prod'");
    expect(asked[0]).toMatch(/^CREATE TABLE IF NOT EXISTS migrations ON CLUSTER 'prod' .* ENGINE = ReplicatedMergeTree/);
  });
});

test("the quota that docs/deploy.md tells to create has the figures of schema/limits.ts, and parses", async () => {
  const quota = /CREATE QUOTA [^;]+/.exec(readFileSync(new URL("../../docs/deploy.md", import.meta.url), "utf8"))?.[0];
  const { querySecondsPerTenantPerMinuteMax: seconds, queryRowsToReadPerTenantPerMinuteMax: rows } = limits;
  expect(quota).toBe(`CREATE QUOTA lamella_tenant KEYED BY client_key, user_name FOR INTERVAL 1 minute MAX execution_time = ${seconds}, read_rows = ${rows} TO lamella_reader`);
  expect((await engine.query(`EXPLAIN AST ${quota}`)).length).toBeGreaterThan(0);
  await expect(engine.query(`EXPLAIN AST ${quota!.replace("client_key, user_name", "tenant")}`)).rejects.toThrow("SYNTAX_ERROR");
});

describe("the tables", () => {
  const found = () => engine.query<{ name: string; engine: string; engine_full: string }>("SELECT name, engine, engine_full FROM system.tables WHERE database = currentDatabase() AND name NOT IN ('migrations') ORDER BY name");

  test("hold the columns that tables.ts writes, no more and no fewer", async () => {
    for (const [table, columns] of Object.entries<Record<string, string>>(tables)) {
      const stored = await engine.query<{ name: string }>("SELECT name FROM system.columns WHERE database = currentDatabase() AND table = {table:String} AND default_kind != 'MATERIALIZED'", { table });
      expect([table, stored.map(({ name }) => name).sort()]).toEqual([table, Object.keys(columns).sort()]);
    }
  });

  test("have their tenant first in the key, and a wall: every table and every view", async () => {
    const withTenant = await engine.query<{ name: string; key: string }>(`
      SELECT t.name AS name, t.sorting_key AS key FROM system.tables AS t WHERE database = currentDatabase()
        AND name IN (SELECT table FROM system.columns WHERE database = currentDatabase() AND name = 'tenant_id')`);
    const walls = new Set<string>(policedTables.flatMap((table) => [table, `${table}_mv`]));
    expect(withTenant.map(({ name }) => name).filter((name) => !walls.has(name))).toEqual([]);
    const stored = withTenant.filter(({ name }) => !name.endsWith("_mv"));
    expect(stored.map(({ name }) => name).sort()).toEqual([...tenantTables].sort());
    for (const { name, key } of stored) expect([name, key]).toEqual([name, expect.stringMatching(/^tenant_id, /)]);
    const views = (await found()).filter((one) => one.engine === "MaterializedView");
    expect(views.map(({ name }) => name).sort()).toEqual(rollupTables.map((table) => `${table}_mv`).sort());
  });

  test("remember enough blocks to drop what a retry brings again", async () => {
    const stored = (await found()).filter((one) => one.engine !== "MaterializedView");
    expect(stored.length).toBe(tenantTables.length);
    for (const { name, engine_full: full } of stored) {
      const window = Number(/\bnon_replicated_deduplication_window = (\d+)/.exec(full)?.[1] ?? 0);
      expect([name, window >= limits.deduplicationWindowBlocks]).toEqual([name, true]);
    }
    // Replicated tables forget by time as well: later than the last retry, by half.
    const horizonS = Array.from({ length: limits.queueRetriesMax }, (_, attempt) => Math.min(5 * 2 ** attempt, limits.retryDelaySecondsMax)).reduce((sum, delay) => sum + delay, 0);
    const seconds = Number(/replicated_deduplication_window_seconds = (\d+)/.exec(renderMigration(files[0]!, "prod")[0]!)?.[1]);
    expect(seconds).toBeGreaterThan(horizonS * 1.5);
    // 33 uploads a second, for as long as one may be retried, twice over.
    expect(limits.deduplicationWindowBlocks).toBeGreaterThanOrEqual(2 * 33 * Math.min(horizonS, 3_600));
  });
});

const goldenFile = new URL("../../clickhouse/schema.sql", import.meta.url);

// Every table and view as the engine itself prints it.
async function schema(): Promise<string> {
  const names = await engine.query<{ name: string }>("SELECT name FROM system.tables WHERE database = currentDatabase() ORDER BY name");
  const statements: string[] = [];
  for (const { name } of names) {
    const [row] = await engine.query<{ statement: string }>(`SHOW CREATE TABLE ${name}`);
    statements.push(row!.statement.replaceAll(/\bdefault\.(?=\w)/g, ""));
  }
  return statements.map((statement) => `${statement};\n`).join("\n");
}

test("clickhouse/schema.sql is what the migrations make", async () => {
  await engine.command("DROP TABLE IF EXISTS migrations SYNC");
  const text = `-- What clickhouse/migrations make, as the engine prints it: read this, change those. Written by UPDATE_GOLDEN=1 npm test -- sql\n\n${await schema()}`;
  if (process.env.UPDATE_GOLDEN === "1") writeFileSync(goldenFile, text);
  expect(readFileSync(goldenFile, "utf8")).toBe(text);
});
