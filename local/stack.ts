// The whole service on one machine: ClickHouse, the Worker, a tenant with its token. `npm start`, the flow tests and the benches start this same thing.
// Invariant: what was acknowledged with 202 is in R2 and D1 on disk, so any process may die; a start queues again what was not stored.
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { scopeNames } from "#schema/identity.ts";
import { limits } from "#schema/limits.ts";
import { setFlag } from "#workers/control/flags.ts";
import { createSignInLink, ensureMember, ensureTenant, type Tenant } from "#workers/control/tenants.ts";
import { createToken, tokenById } from "#workers/control/tokens.ts";
import { tokenIdOf } from "#workers/auth/token-format.ts";
import { type LocalStore, openLocalStore } from "./store.ts";
import { buildWorker, type LocalWorker, startWorker, type Variables } from "./worker.ts";
import { version } from "#cli/version.ts";

// What `lamella` and the Python package read to find a running stack. It holds a token: readable by its owner only.
export type StackFile = { readonly url: string; readonly tenant: string; readonly token: string; readonly pid: number };

export type Stack = {
  readonly url: string;
  readonly dataDir: string;
  readonly store: LocalStore;
  readonly worker: LocalWorker;
  readonly tenant: Tenant;
  readonly token: string;
  // A fresh one-time link that signs the local user in.
  signInUrl(): Promise<string>;
  stop(): Promise<void>;
};

export type StackOptions = {
  readonly dataDir: string;
  readonly port: number; // 0: any free one
  readonly progress: (line: string) => void;
  readonly log: (line: string) => void;
  readonly storePort?: number;
  readonly storeUrl?: string; // tests: a front between the Worker and the store
  readonly tenantSeconds?: number; // tests: another budget than querySecondsPerTenantPerMinuteMax
  readonly script?: string; // a bundle that is built already
  readonly batchTimeoutS?: number; // how long the queue waits for a batch to fill
};

export async function startStack(options: StackOptions): Promise<Stack> {
  const dataDir = resolve(options.dataDir);
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  options.progress("starting ClickHouse");
  const store = await openLocalStore(dataDir, options.storePort ?? 0, options.progress, options.tenantSeconds);
  try {
    options.progress("starting the Worker");
    const script = options.script ?? (await buildWorker());
    const worker = await startWorker({ script, dataDir, port: options.port, variables: variablesOf(store, options.storeUrl), log: options.log, ...(options.batchTimeoutS === undefined ? {} : { batchTimeoutS: options.batchTimeoutS }) });
    try {
      return await inhabit(dataDir, store, worker);
    } catch (error) {
      await worker.stop();
      throw error;
    }
  } catch (error) {
    await store.stop();
    throw error;
  }
}

function variablesOf(store: LocalStore, url = store.url): Variables {
  return {
    CLICKHOUSE_URL: url, CLICKHOUSE_DATABASE: store.database, CLICKHOUSE_READER_USER: store.reader.user, CLICKHOUSE_READER_PASSWORD: store.reader.password,
    CLICKHOUSE_WRITER_USER: store.writer.user, CLICKHOUSE_WRITER_PASSWORD: store.writer.password, CLICKHOUSE_REMOTE: store.embedded ? "0" : "1",
    EMBEDDED: "1", VERSION: version,
  };
}

async function inhabit(dataDir: string, store: LocalStore, worker: LocalWorker): Promise<Stack> {
  const now = Date.now();
  const tenant = await ensureTenant(worker.control, "demo", "Demo", true, now);
  const user = await ensureMember(worker.control, tenant.id, "you@localhost", "You", "owner", now);
  const flagsKnown = await worker.control.prepare("SELECT count(*) AS known FROM flags WHERE tenant_id = ?").bind(tenant.id).first<{ known: number }>();
  // Switched on once, at birth: what the user switches off later stays off.
  if (flagsKnown?.known === 0) await setFlag(worker.control, tenant.id, "models", true, "embedded stack", now);
  const token = await stackToken(dataDir, worker.control, tenant, now);
  writeStackFile(dataDir, { url: worker.url, tenant: tenant.slug, token, pid: process.pid });
  await worker.sweep("start");
  return {
    url: worker.url, dataDir, store, worker, tenant, token,
    signInUrl: async () => `${worker.url}/sign-in/local?code=${await createSignInLink(worker.control, user, tenant.slug, Date.now())}`,
    async stop() {
      await worker.stop();
      await store.stop();
    },
  };
}

// The token of the stack's own file, as long as it is good for another week; else a new one.
async function stackToken(dataDir: string, control: D1Database, tenant: Tenant, nowMs: number): Promise<string> {
  const known = readStackFile(dataDir);
  const id = known && tokenIdOf(known.token);
  if (known && id) {
    const row = await tokenById(control, id);
    if (row !== null && row.tenant_id === tenant.id && row.revoked_at === null && row.expires_at > nowMs + 7 * 86_400_000) return known.token;
  }
  const wanted = { name: "embedded stack", kind: "api" as const, scopes: [...scopeNames], days: limits.tokenDaysMax };
  const created = await createToken(control, tenant.id, wanted, "embedded stack", nowMs);
  if (created === null) throw new Error("the demo tenant has too many live tokens; revoke some with `npx lamella token revoke`");
  return created.secret;
}

const stackFile = (dataDir: string) => join(dataDir, "stack.json");

export function readStackFile(dataDir: string): StackFile | null {
  if (!existsSync(stackFile(dataDir))) return null;
  try {
    return JSON.parse(readFileSync(stackFile(dataDir), "utf8")) as StackFile;
  } catch {
    return null;
  }
}

function writeStackFile(dataDir: string, content: StackFile): void {
  const fresh = `${stackFile(dataDir)}.new`;
  rmSync(fresh, { force: true });
  writeFileSync(fresh, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
  chmodSync(fresh, 0o600);
  renameSync(fresh, stackFile(dataDir));
}
