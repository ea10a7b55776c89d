// The Worker in workerd, with its queue and dead letters, and R2 and D1 persisted in a folder. The same bundle that `npm run deploy` sends.
import { build } from "esbuild";
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare } from "miniflare";
import { limits } from "#schema/limits.ts";
import { openDoorway } from "./doorway.ts";
import type { Env } from "#workers/env.ts";

export const root = fileURLToPath(new URL("..", import.meta.url));

export type Variables = Omit<Env, "ASSETS" | "UPLOADS" | "BODIES" | "CONTROL" | "INGEST_LIMIT_TOKEN" | "INGEST_LIMIT_TENANT" | "QUERY_LIMIT" | "SIGN_IN_LIMIT">;

export type LocalWorker = {
  readonly url: string;
  // Ask anew at every use: when workerd dies and is started again, these are others.
  readonly control: D1Database;
  readonly bodies: R2Bucket;
  // Queues what waits: "start" everything, "cron" what is overdue.
  sweep(when: "start" | "cron"): Promise<void>;
  // Hands messages to the consumer of a queue, past the queue itself, and answers the numbers of those it acknowledged: redelivery and dead letters on demand.
  deliver(queue: "lamella-uploads" | "lamella-uploads-dead", bodies: readonly unknown[]): Promise<number[]>;
  stop(): Promise<void>;
};

export const workerFirst = ["/t/*/api", "/t/*/api/*", "/t/*/ingest", "/t/*/ingest/*", "/sign-in/*", "/sign-out", "/openapi.json", "/docs", "/docs/*", "/healthz", "/readyz", "/metrics"];
export const compatibility = { date: "2026-11-01", flags: ["enable_request_signal", "request_signal_passthrough"] };

export async function buildWorker(): Promise<string> {
  const outfile = join(root, "dist/worker/main.js");
  const { outputFiles } = await build({ entryPoints: [join(root, "workers/main.ts")], outfile, write: false, bundle: true, format: "esm", target: "es2022", conditions: ["workerd", "worker", "browser"], logLevel: "error", sourcemap: true, sourcesContent: false });
  mkdirSync(join(root, "dist/worker"), { recursive: true });
  // Renamed into place: two stacks that start at once must not read half a bundle of the other.
  for (const { path, contents } of outputFiles) {
    writeFileSync(`${path}.${process.pid}`, contents);
    renameSync(`${path}.${process.pid}`, path);
  }
  return outfile;
}

export async function startWorker(options: {
  readonly script: string; readonly dataDir: string; readonly port: number; readonly variables: Variables; readonly log: (line: string) => void; readonly batchTimeoutS?: number;
}): Promise<LocalWorker> {
  // Opened first: a port that is taken is said before anything else starts.
  const doorway = await openDoorway(options.port, async () => Number((await miniflare.ready).port));
  const miniflare: Miniflare = new Miniflare(
    convertV4MiniflareOptions({
      name: "lamella",
      // workerd died and was started again: its queue was in its memory, and every stub of the old process is dead.
      unsafeHandleRuntimeRestart: async () => {
        bindings = await bindingsOf(miniflare);
        await scheduled("start");
      },
      host: "127.0.0.1",
      port: 0,
      log: new Log(LogLevel.ERROR),
      handleStructuredLogs: ({ level, message }) => {
        if (level === "warn" || level === "error") options.log(message);
      },
      resourcePersistencePath: join(options.dataDir, "worker"),
      modules: true,
      modulesRoot: join(root, "dist/worker"),
      scriptPath: options.script,
      compatibilityDate: compatibility.date,
      compatibilityFlags: compatibility.flags,
      bindings: options.variables,
      queueProducers: { UPLOADS: "lamella-uploads" },
      queueConsumers: {
        "lamella-uploads": { maxBatchSize: 10, maxBatchTimeout: options.batchTimeoutS ?? 1, maxRetries: limits.queueRetriesMax, deadLetterQueue: "lamella-uploads-dead" },
        "lamella-uploads-dead": { maxBatchSize: 10, maxBatchTimeout: 1, maxRetries: limits.queueRetriesMax },
      },
      r2Buckets: { BODIES: "lamella-bodies" },
      d1Databases: { CONTROL: "lamella-control" },
      ratelimits: {
        INGEST_LIMIT_TOKEN: { namespace_id: "1001", simple: { limit: limits.uploadsPerTokenPer10sMax, period: 10 } },
        INGEST_LIMIT_TENANT: { namespace_id: "1002", simple: { limit: limits.uploadsPerTenantPer10sMax, period: 10 } },
        QUERY_LIMIT: { namespace_id: "1003", simple: { limit: limits.queriesPerUserPerMinuteMax, period: 60 } },
        SIGN_IN_LIMIT: { namespace_id: "1004", simple: { limit: limits.failedSignInsPerMinuteMax, period: 60 } },
      },
      assets: { directory: join(root, "dist/dashboard"), binding: "ASSETS", run_worker_first: workerFirst, routerConfig: { has_user_worker: true, static_routing: { user_worker: workerFirst } }, assetConfig: { not_found_handling: "single-page-application" } },
    }),
  );
  const scheduled = async (cron: string) => void (await (await miniflare.getWorker()).scheduled({ cron, scheduledTime: new Date() }));
  await miniflare.ready;
  let bindings = await bindingsOf(miniflare);
  await migrateControl(bindings.control);
  return {
    url: `http://127.0.0.1:${doorway.port}`,
    get control() {
      return bindings.control;
    },
    get bodies() {
      return bindings.bodies;
    },
    sweep: scheduled,
    async deliver(queue, bodies) {
      const result = await (await miniflare.getWorker()).queue(queue, bodies.map((body, i) => ({ id: String(i), timestamp: new Date(), attempts: 1, body })));
      return result.ackAll ? [...bodies.keys()] : result.explicitAcks.map(Number).sort((a, b) => a - b);
    },
    async stop() {
      await doorway.close();
      await miniflare.dispose();
    },
  };
}

async function bindingsOf(miniflare: Miniflare): Promise<{ control: D1Database; bodies: R2Bucket }> {
  const [control, bodies] = await Promise.all([miniflare.getD1Database("CONTROL"), miniflare.getR2Bucket("BODIES")]);
  return { control: control as unknown as D1Database, bodies: bodies as unknown as R2Bucket };
}

// D1's migrations: the same files that `wrangler d1 migrations apply` runs; every statement is idempotent.
async function migrateControl(control: D1Database): Promise<void> {
  const folder = join(root, "workers/control/migrations");
  for (const file of readdirSync(folder).sort()) {
    const statements = readFileSync(join(folder, file), "utf8").replace(/^--.*$/gm, "").split(/;\s*\n/).map((one) => one.trim()).filter(Boolean);
    await control.batch(statements.map((statement) => control.prepare(statement)));
  }
}
