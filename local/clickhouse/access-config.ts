// Who may see what in the embedded ClickHouse. chDB runs every session as the one user `default` and refuses CREATE USER and CREATE ROW POLICY, but it honours a
// users.xml. So the wall is a row policy on what a session cannot change about itself: a read-only session sees only the rows of the tenant it was opened for, a
// writing session sees all (a policy on the inserting session would also filter materialized views, and roll-ups would stay empty in silence).
// Invariant: a read-only session without a tenant sees no row of a policed table.
import { randomBytes } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

// Custom settings (SQL_tenant) do not exist in chDB. This one is a free string that labels entries of the query cache, so carrying the tenant in it also keeps
// the cached answers of two tenants apart. log_comment stays free for its own purpose.
export const tenantSetting = "query_cache_tag";

export const policedTables = [
  "samples", "samples_1h_by_exe", "samples_1h_by_deployment", "stacks", "frames", "field_values", "shapes", "shape_parts", "model_shapes", "sightings", "uploads",
  "executions", "execution_records", "execution_nodes", "workloads", "workload_requests", "engine_metrics", "engine_metrics_1h", "engine_metrics_1d",
] as const;

export type Role = "reader" | "writer";
export type Credentials = Record<Role, { user: string; password: string }>;

const xml = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

// Text of users.xml. A policy on a table that does not exist yet waits for it. Reading a materialized view reads its target past the target's policy, hence the
// same policy under the view's name (`<target>_mv`).
export function usersXml({ database, tables }: { database: string; tables: readonly string[] }): string {
  const filter = xml(`getSetting('readonly') = 0 OR (tenant_id = getSetting('${tenantSetting}') AND tenant_id != '')`);
  const policies = tables.flatMap((table) => [table, `${table}_mv`]).map((name) => `          <${name}><filter>${filter}</filter></${name}>`);
  return `<clickhouse>
  <profiles><default></default></profiles>
  <quotas><default></default></quotas>
  <users>
    <default>
      <password></password>
      <networks><ip>::/0</ip></networks>
      <profile>default</profile>
      <quota>default</quota>
      <databases>
        <${database}>
${policies.join("\n")}
        </${database}>
      </databases>
    </default>
  </users>
</clickhouse>
`;
}

// Of the machine's memory, for all queries and merges together; the engine's own choice is 0.9, and beside it run the Worker, a browser and what is profiled. The
// reads that may run side by side (lane.ts) can ask for more: the one that goes over it is ended as too heavy (code 241) and the process lives; three reads that
// wanted 20 GB each under a bound of 3 GB were, while every one of 40 inserts and 40 small reads beside them passed.
const memoryShareMax = 0.6;

export interface AccessConfig {
  dataDir: string;
  database?: string;
  tables?: readonly string[];
}

// Writes users.xml and config.xml into the data directory; returns the path of config.xml.
export function writeAccessConfig({ dataDir, database = "lamella", tables = policedTables }: AccessConfig): string {
  const dir = resolve(dataDir);
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const configFile = join(dir, "config.xml");
  writeFileSync(join(dir, "users.xml"), usersXml({ database, tables }));
  writeFileSync(configFile, `<clickhouse>
  <users_config>${xml(join(dir, "users.xml"))}</users_config>
  <max_server_memory_usage_to_ram_ratio>${memoryShareMax}</max_server_memory_usage_to_ram_ratio>
</clickhouse>
`);
  return configFile;
}

// The two users of the HTTP front. Passwords are made once and stay, readable by the owner of the directory alone: other users of the machine reach the port too.
export function readCredentials(dataDir: string): Credentials {
  const file = join(dataDir, "access.json");
  const fresh: Credentials = {
    reader: { user: "reader", password: randomBytes(24).toString("base64url") },
    writer: { user: "writer", password: randomBytes(24).toString("base64url") },
  };
  try {
    writeFileSync(file, JSON.stringify(fresh), { flag: "wx", mode: 0o600 });
    return fresh;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    return JSON.parse(readFileSync(file, "utf8")) as Credentials;
  }
}
