// The ClickHouse engine inside this process (chDB). Every piece of work gets a session of its own on the one data directory: opening one takes 0.2 ms, sessions
// run side by side, and no setting, parameter or current database survives from one query to the next.
// Traps, all measured on chDB 3.4 (engine 26.7): one session runs everything it is given in turn, even KILL QUERY; the native parameter binding is shared by all
// sessions, so parameters go in as SET param_x; bytes given as inline data of an INSERT end at the first empty line, whatever follows is run as SQL.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

export interface EngineResult {
  bytes: Buffer;
  elapsed: number; // seconds
  rowsRead: number; // of a SELECT the rows of its answer, whatever it read; for INSERT … FROM INFILE: the rows of the file
  bytesRead: number;
}

export type Execute = (sql: string, format?: string) => Promise<EngineResult>;

export interface Engine {
  session<T>(work: (execute: Execute) => Promise<T>): Promise<T>;
  close(): void;
}

interface NativeAddon {
  CreateConnection(path: string, args?: string[]): unknown;
  CloseConnection(connection: unknown): void;
  QueryAsyncConnection(connection: unknown, sql: string, format: string): Promise<EngineResult>;
}

export function openEngine({ dataDir, configFile }: { dataDir: string; configFile: string }): Engine {
  const require = createRequire(import.meta.url);
  // The package's public Session closes only when no query of any session runs; its loader finds the addon of this platform without that rule.
  const addon = createRequire(require.resolve("chdb"))("./dist/loader.js").loadNative() as NativeAddon;
  const path = join(dataDir, "store");
  let held: unknown;
  try {
    held = addon.CreateConnection(path, [`--config-file=${configFile}`]); // the first connection starts the engine with this configuration
  } catch (error) {
    throw new Error(openFailure(dataDir, path, error), { cause: error });
  }
  return {
    async session(work) {
      const connection = addon.CreateConnection(path);
      try {
        return await work((sql, format = "TabSeparated") => addon.QueryAsyncConnection(connection, sql, format));
      } finally {
        addon.CloseConnection(connection);
      }
    },
    close: () => addon.CloseConnection(held),
  };
}

// The engine writes its reason to stderr and throws without it; the status file names the process that holds the directory.
function openFailure(dataDir: string, path: string, error: unknown): string {
  const pid = holderOf(path);
  if (pid !== undefined) {
    return (
      `the ClickHouse data directory ${dataDir} is in use by process ${pid}: two processes cannot share one. ` +
      `Stop that process (kill ${pid}) or choose another directory with --data-dir.`
    );
  }
  return `the embedded ClickHouse could not open ${dataDir}: ${error instanceof Error ? error.message : String(error)}. The engine's own words are on the lines above.`;
}

function holderOf(path: string): number | undefined {
  try {
    const pid = Number(/^PID: (\d+)/.exec(readFileSync(join(path, "status"), "utf8"))?.[1]);
    if (!Number.isInteger(pid) || pid === process.pid) return undefined;
    process.kill(pid, 0); // throws when there is no such process, or it is not ours
    return pid;
  } catch {
    return undefined;
  }
}
