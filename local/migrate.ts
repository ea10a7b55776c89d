// `npm run migrate`: applies the migrations to the server that CLICKHOUSE_URL names. The embedded stack migrates by itself at every start.
import { migrateStore } from "./store.ts";

const { CLICKHOUSE_URL, CLICKHOUSE_USER = "default", CLICKHOUSE_PASSWORD = "", CLICKHOUSE_DATABASE = "lamella", CLICKHOUSE_CLUSTER } = process.env;
if (!CLICKHOUSE_URL) {
  console.error("npm run migrate: set CLICKHOUSE_URL, for example CLICKHOUSE_URL=https://host:8443 CLICKHOUSE_USER=default CLICKHOUSE_PASSWORD=… npm run migrate\nThe embedded stack needs no migrate: `npm start` does it.");
  process.exit(2);
}
try {
  const applied = await migrateStore(CLICKHOUSE_URL, CLICKHOUSE_DATABASE, { user: CLICKHOUSE_USER, password: CLICKHOUSE_PASSWORD }, CLICKHOUSE_CLUSTER ?? null, (line) => console.log(line));
  console.log(applied === 0 ? "nothing to do: every migration is applied" : `applied ${applied} migrations`);
} catch (error) {
  console.error(`npm run migrate: ${error instanceof Error ? error.message : String(error)}`);
  process.exit(1);
}
