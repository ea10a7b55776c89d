// Migrations: numbered files, forward only, every statement idempotent, one template for a single server and a cluster. DDL is not transactional, so each
// file can run again after a crash in its middle. The ledger `migrations` keeps name and checksum: a file that changed after it ran, or a gap, stops the start.
import { limits } from "#schema/limits.ts";

export type MigrationFile = { readonly name: string; readonly text: string };
export type Migration = { readonly name: string; readonly checksum: string; readonly statements: readonly string[] };

// `run` executes one statement and answers its rows as TSV text.
export type RunStatement = (sql: string, parameters?: Record<string, string>) => Promise<string>;

export function renderMigration(file: MigrationFile, cluster: string | null): readonly string[] {
  if (cluster !== null && !/^[A-Za-z0-9_{}.-]+$/.test(cluster)) throw new Error(`"${cluster}" is not a cluster name`);
  const window = limits.deduplicationWindowBlocks;
  const words: Record<string, string> = {
    on_cluster: cluster === null ? "" : `ON CLUSTER '${cluster}'`,
    replicated: cluster === null ? "" : "Replicated",
    // Replicated tables also forget by time (one hour by default), which a retried message can outlive.
    deduplication_window:
      cluster === null
        ? `non_replicated_deduplication_window = ${window}`
        : `replicated_deduplication_window = ${window}, replicated_deduplication_window_seconds = 14400`,
  };
  const text = file.text.replace(/\{\{(\w+)\}\}/g, (whole, word: string) => {
    const value = words[word];
    if (value === undefined) throw new Error(`${file.name}: unknown template word ${whole}`);
    return value;
  });
  return text
    .split(/;\s*\n/)
    .map((statement) => statement.replace(/^\s*--.*\n/gm, "").trim())
    .filter((statement) => statement !== "");
}

export async function migrate(files: readonly MigrationFile[], cluster: string | null, run: RunStatement, progress: (line: string) => void): Promise<number> {
  const ledger = renderMigration(
    { name: "ledger", text: "CREATE TABLE IF NOT EXISTS migrations {{on_cluster}} (name String, checksum String, applied_at DateTime('UTC')) ENGINE = {{replicated}}MergeTree ORDER BY name;\n" },
    cluster,
  );
  for (const statement of ledger) await run(statement);
  const applied = new Map<string, string>();
  for (const line of (await run("SELECT name, any(checksum) FROM migrations GROUP BY name FORMAT TSV")).split("\n")) {
    const [name, checksum] = line.split("\t");
    if (name && checksum) applied.set(name, checksum);
  }
  const known = new Set(files.map((file) => file.name));
  for (const name of applied.keys()) {
    if (!known.has(name)) throw new Error(`the store has migration ${name}, which this version does not know: it was written by a newer version`);
  }
  let count = 0;
  for (const [number, file] of files.entries()) {
    const checksum = await sha256Hex(file.text);
    const before = applied.get(file.name);
    if (before === checksum) continue;
    if (before !== undefined) throw new Error(`migration ${file.name} changed after it was applied; restore the file and add a new migration instead`);
    const later = files.slice(number + 1).find(({ name }) => applied.has(name));
    if (later) throw new Error(`migration ${file.name} was never applied and the later ${later.name} was: give ${file.name} the next free number`);
    progress(`migration ${file.name}`);
    for (const statement of renderMigration(file, cluster)) await run(statement);
    await run("INSERT INTO migrations SELECT {name:String}, {checksum:String}, now()", { name: file.name, checksum });
    count++;
  }
  return count;
}

async function sha256Hex(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
