// The whole service for one test file: the built Worker in workerd, its queue, R2 and D1, the embedded ClickHouse behind a scripted front, in a folder that
// remove() deletes. Its processes can be killed and the same folder started again.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Scope } from "#schema/identity.ts";
import { scopeNames } from "#schema/identity.ts";
import type { UploadKind } from "#schema/upload-message.ts";
import { startStack, type Stack, type StackOptions } from "#local/stack.ts";
import { buildWorker, root } from "#local/worker.ts";
import { ensureTenant } from "#workers/control/tenants.ts";
import { createToken } from "#workers/control/tokens.ts";
import { Client } from "#test/rig/client.ts";
import { ClickHouseFront } from "#test/rig/clickhouse-front.ts";
import { until } from "#test/rig/until.ts";

let script: Promise<string> | undefined;

export class StackRig {
  readonly dataDir = mkdtempSync(join(tmpdir(), "lamella-flow-"));
  readonly front = new ClickHouseFront();
  readonly log: string[] = []; // what the Worker warned of
  readonly #options: Pick<StackOptions, "tenantSeconds">;
  stack!: Stack;

  constructor(options: Pick<StackOptions, "tenantSeconds"> = {}) {
    this.#options = options;
  }

  static async open(options?: Pick<StackOptions, "tenantSeconds">): Promise<StackRig> {
    const rig = new StackRig(options);
    mkdirSync(join(root, "dist/dashboard"), { recursive: true }); // the pages are another suite's business
    await rig.front.open();
    await rig.start();
    return rig;
  }

  async start(): Promise<void> {
    script ??= buildWorker();
    const log = (line: string) => void this.log.push(line);
    this.stack = await startStack({ dataDir: this.dataDir, port: 0, progress: () => undefined, log, storeUrl: this.front.url, script: await script, batchTimeoutS: 0, ...this.#options });
    this.front.attach(this.stack.store.url);
  }

  async stop(): Promise<void> {
    await this.stack.stop();
    this.front.detach();
  }

  // kill -9 of workerd, with the queue in its memory; what is left of the stack is stopped.
  async killWorker(): Promise<void> {
    await kill((command) => /(^|\/)workerd /.test(command));
    await this.stop();
  }

  // kill -9 of the ClickHouse process; the Worker stays up and finds no store.
  async killStore(): Promise<void> {
    await kill((command) => command.includes("clickhouse/server.ts") && command.includes(this.dataDir));
    await this.stack.store.exited;
  }

  async remove(): Promise<void> {
    await this.stack?.stop();
    await this.front.close();
    rmSync(this.dataDir, { recursive: true, force: true });
  }

  // The embedded stack's own tenant with all scopes.
  get demo(): Client {
    return new Client(() => this.stack.url, this.stack.tenant, this.stack.token);
  }

  // A tenant with a token of its own; the same slug again is the same tenant with another token.
  async tenant(slug: string, scopes: readonly Scope[] = scopeNames, nowMs = Date.now()): Promise<Client> {
    const { control } = this.stack.worker;
    const tenant = await ensureTenant(control, slug, slug, false, nowMs);
    const created = await createToken(control, tenant.id, { name: `${slug} ${scopes.join(" ")}`, kind: "api", scopes: [...scopes], days: 1 }, "flow test", nowMs);
    return new Client(() => this.stack.url, tenant, created!.secret);
  }

  // A tenant whose Models page is on.
  async tenantWithModels(slug: string): Promise<Client> {
    const tenant = await this.tenant(slug);
    await tenant.get("flagSet", { params: { flag: "models" }, body: { on: true } });
    return tenant;
  }

  // One upload after the other; all of them stored when it returns.
  async send(tenant: Client, ...uploads: [UploadKind, Uint8Array][]): Promise<void> {
    for (const [kind, body] of uploads) await tenant.upload(kind, body);
    await this.settled();
  }

  async pending(): Promise<number> {
    return (await this.stack.worker.control.prepare("SELECT count(*) AS pending FROM pending").first<{ pending: number }>())!.pending;
  }

  // Everything acknowledged is stored or in quarantine.
  async settled(withinMs?: number): Promise<void> {
    await until("uploads that wait", () => this.pending(), (pending) => pending === 0, withinMs);
  }

  // Rows of the store itself, past the Worker and the front. 64-bit integers come as decimal strings.
  async rows<Row = Record<string, unknown>>(sql: string, params: Record<string, string> = {}): Promise<Row[]> {
    const { url, database, writer } = this.stack.store;
    const settings = { database, default_format: "JSONEachRow", output_format_json_quote_64bit_integers: "1", ...Object.fromEntries(Object.entries(params).map(([name, value]) => [`param_${name}`, value])) };
    const answer = await fetch(`${url}/?${new URLSearchParams(settings)}`, { method: "POST", body: sql, headers: { "x-clickhouse-user": writer.user, "x-clickhouse-key": writer.password } });
    const text = await answer.text();
    if (!answer.ok) throw new Error(text);
    return text.split("\n").filter(Boolean).map((line) => JSON.parse(line) as Row);
  }

  // Keys of the stored bodies: ingest/{tenant}/{kind}/{uploadId}.
  async bodies(): Promise<string[]> {
    const keys: string[] = [];
    for (let cursor: string | undefined; ; ) {
      const page = await this.stack.worker.bodies.list({ prefix: "ingest/", ...(cursor === undefined ? {} : { cursor }) });
      keys.push(...page.objects.map(({ key }) => key));
      if (!page.truncated) return keys;
      cursor = page.cursor;
    }
  }
}

async function kill(wanted: (command: string) => boolean): Promise<void> {
  const found = children().filter(({ command }) => wanted(command));
  if (found.length !== 1) throw new Error(`one process was to be killed, ${found.length} match among ${JSON.stringify(children())}`);
  const { pid } = found[0]!;
  process.kill(pid, "SIGKILL");
  await until(`the end of process ${pid}`, () => children().some((one) => one.pid === pid && !one.command.includes("<defunct>")), (alive) => !alive);
}

// Direct children of this process.
function children(): { pid: number; command: string }[] {
  return execFileSync("ps", ["-A", "-o", "pid=,ppid=,args="], { encoding: "utf8" }).split("\n").flatMap((line) => {
    const [, pid, parent, command] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? [];
    return Number(parent) === process.pid ? [{ pid: Number(pid), command: command! }] : [];
  });
}
