// A real ClickHouse (chDB) inside the test's own process, migrated and empty, with a temporary data directory that close() removes.
// chDB allows one data directory per process: open one engine per test file (vitest runs each file in a process of its own).
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Session } from "chdb";
import { renderMigration } from "#clickhouse/migrate.ts";

export type EngineRow = Record<string, unknown>;
export type EngineParams = Record<string, string | number | bigint | boolean | readonly (string | number | bigint)[]>;

export type Engine = {
  // Rows of a SELECT; `params` bind {name:Type} placeholders. 64-bit integers come back as decimal strings, so none is ever rounded.
  query<Row = EngineRow>(sql: string, params?: EngineParams): Promise<Row[]>;
  // Statements without an answer (CREATE, TRUNCATE, SYSTEM …).
  command(sql: string): Promise<void>;
  // One INSERT; bigint values are welcome; columns left out take their defaults. Returns the number of rows sent.
  insertRows(table: string, rows: readonly EngineRow[]): Promise<number>;
  close(): void;
};

const migrationsFolder = new URL("../../clickhouse/migrations/", import.meta.url);

function migrationStatements(): string[] {
  const names = readdirSync(migrationsFolder).filter((name) => name.endsWith(".sql")).sort();
  return names.flatMap((name) => renderMigration({ name, text: readFileSync(new URL(name, migrationsFolder), "utf8") }, null));
}

export function openEngine(): Engine {
  const folder = mkdtempSync(join(tmpdir(), "lamella-engine-"));
  const session = new Session(folder);
  session.query("SET output_format_json_quote_64bit_integers = 1");
  for (const statement of migrationStatements()) session.query(statement);

  return {
    async query<Row>(sql: string, params: EngineParams = {}) {
      const answer = await session.queryBindAsync(sql, params, { format: "JSONEachRow" });
      return answer.text().split("\n").filter((line) => line !== "").map((line) => JSON.parse(line) as Row);
    },
    async command(sql) {
      await session.queryAsync(sql);
    },
    async insertRows(table, rows) {
      if (rows.length === 0) return 0;
      const values = rows.map((row) => JSON.stringify(row, (_key, value) => (typeof value === "bigint" ? value.toString() : value))).join("\n");
      await session.insert({ table, values: Buffer.from(values), format: "JSONEachRow" });
      return rows.length;
    },
    close() {
      session.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
