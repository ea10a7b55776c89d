// The ClickHouse of a stack: the embedded engine, or the server that CLICKHOUSE_URL names. Either way migrated before anybody uses it.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { migrate, type MigrationFile, type RunStatement } from "#clickhouse/migrate.ts";
import { startClickHouse } from "./clickhouse/start.ts";
import { root } from "./worker.ts";

export type StoreUser = { readonly user: string; readonly password: string };

export type LocalStore = {
  readonly url: string;
  readonly database: string;
  readonly reader: StoreUser;
  readonly writer: StoreUser;
  readonly embedded: boolean;
  readonly exited: Promise<unknown>; // never for a server that is not ours
  stop(): Promise<void>;
};

export function migrationFiles(): MigrationFile[] {
  const folder = join(root, "clickhouse/migrations");
  return readdirSync(folder).filter((name) => name.endsWith(".sql")).sort().map((name) => ({ name, text: readFileSync(join(folder, name), "utf8") }));
}

export async function openLocalStore(dataDir: string, port: number, progress: (line: string) => void, tenantSeconds?: number): Promise<LocalStore> {
  const url = process.env.CLICKHOUSE_URL;
  if (url) return await openServer(url, progress);
  const engine = await startClickHouse({ dataDir: join(dataDir, "clickhouse"), port, tenantSeconds });
  try {
    const { reader, writer } = engine.credentials;
    await migrateStore(engine.url, "lamella", writer, null, progress);
    return { url: engine.url, database: "lamella", reader, writer, embedded: true, exited: engine.exited, stop: () => engine.stop() };
  } catch (error) {
    await engine.stop();
    throw error;
  }
}

async function openServer(url: string, progress: (line: string) => void): Promise<LocalStore> {
  const { CLICKHOUSE_USER = "default", CLICKHOUSE_PASSWORD = "", CLICKHOUSE_DATABASE = "lamella", CLICKHOUSE_CLUSTER } = process.env;
  const user = { user: CLICKHOUSE_USER, password: CLICKHOUSE_PASSWORD };
  await migrateStore(url, CLICKHOUSE_DATABASE, user, CLICKHOUSE_CLUSTER ?? null, progress);
  return { url, database: CLICKHOUSE_DATABASE, reader: user, writer: user, embedded: false, exited: new Promise(() => undefined), stop: async () => undefined };
}

export async function migrateStore(url: string, database: string, user: StoreUser, cluster: string | null, progress: (line: string) => void): Promise<number> {
  if (!/^[A-Za-z0-9_]+$/.test(database)) throw new Error(`"${database}" is not a database name: letters, digits and underscores`);
  const run = (inDatabase: string | null): RunStatement => (sql, parameters = {}) => command(url, user, inDatabase, sql, parameters);
  await run(null)(`CREATE DATABASE IF NOT EXISTS ${database}${cluster === null ? "" : ` ON CLUSTER '${cluster}'`}`);
  return await migrate(migrationFiles(), cluster, run(database), progress);
}

async function command(url: string, user: StoreUser, database: string | null, sql: string, parameters: Record<string, string>): Promise<string> {
  const target = new URL(url);
  if (database !== null) target.searchParams.set("database", database);
  for (const [name, value] of Object.entries(parameters)) target.searchParams.set(`param_${name}`, value);
  let response: Response;
  try {
    response = await fetch(target, { method: "POST", body: sql, headers: { "x-clickhouse-user": user.user, "x-clickhouse-key": user.password } });
  } catch (error) {
    throw new Error(`ClickHouse at ${target.host} does not answer: ${error instanceof Error ? String(error.cause ?? error.message) : String(error)}. Check CLICKHOUSE_URL.`, { cause: error });
  }
  const text = await response.text();
  if (!response.ok) throw new Error(`ClickHouse refused a statement: ${text.trim()}\n${sql.slice(0, 300)}`);
  return text;
}

