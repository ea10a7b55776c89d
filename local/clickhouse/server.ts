// The process of the embedded ClickHouse: node local/clickhouse/server.ts --data-dir DIR --port N [--tenant-seconds N, of queries in a minute]
// Prints one JSON line {"port","pid"} when it is ready. Ends on SIGTERM, SIGINT, or when the process that started it is gone (its IPC channel closes).
// Invariant: it listens on 127.0.0.1 only, and an insert that was answered with 200 survives any end of this process.
import { mkdirSync, rmSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { readCredentials, writeAccessConfig } from "./access-config.ts";
import { openEngine } from "./engine.ts";
import { createHttpServer } from "./http-server.ts";
import { threadPoolSize } from "./lane.ts";
import { createQueryRunner } from "./query-runner.ts";
import { createQuota } from "./quota.ts";

const drainMsMax = 10_000;

const { values } = parseArgs({ options: { "data-dir": { type: "string" }, port: { type: "string", default: "0" }, "tenant-seconds": { type: "string" } } });
const dataDir = values["data-dir"];
if (!dataDir) {
  console.error("--data-dir is missing. Example: node local/clickhouse/server.ts --data-dir .lamella/clickhouse --port 8123");
  process.exit(2);
}
// Read when the pool is first used; loading modules does not use it.
process.env.UV_THREADPOOL_SIZE ??= String(threadPoolSize);

function open(dir: string) {
  try {
    return openEngine({ dataDir: dir, configFile: writeAccessConfig({ dataDir: dir }) });
  } catch (error) {
    console.error((error as Error).message);
    process.exit(1);
  }
}

const engine = open(dataDir);
// Only now: the engine's lock says that the directory is ours.
const spoolDir = join(dataDir, "spool");
rmSync(spoolDir, { recursive: true, force: true });
mkdirSync(spoolDir, { mode: 0o700 });

const runner = createQueryRunner(engine, createQuota(values["tenant-seconds"] === undefined ? undefined : Number(values["tenant-seconds"])));
const server = createHttpServer({ runner, credentials: readCredentials(dataDir), spoolDir });
server.on("error", (error: NodeJS.ErrnoException) => {
  const fix = error.code === "EADDRINUSE" ? ` Port ${values.port} is taken: choose another with --port, or 0 for any.` : "";
  console.error(`the embedded ClickHouse cannot listen: ${error.message}.${fix}`);
  process.exit(1);
});
server.listen(Number(values.port), "127.0.0.1", async () => {
  await runner.ping();
  process.stdout.write(`${JSON.stringify({ port: (server.address() as AddressInfo).port, pid: process.pid })}\n`);
});

let stopping = false;
function stop(): void {
  if (stopping) return;
  stopping = true;
  setTimeout(() => process.exit(1), drainMsMax).unref();
  server.close(() => {
    engine.close();
    process.exit(0);
  });
  runner.killReads();
  setInterval(() => server.closeIdleConnections(), 50).unref(); // a connection whose last answer is out would else stay open
}
process.on("SIGTERM", stop);
process.on("SIGINT", stop);
process.on("disconnect", stop);
