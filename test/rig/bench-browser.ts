// A whole stack with a signed-in Chromium in front of it, for benchmarks: no test runner, nothing watched, the pages as `npm run build` makes them.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type BrowserContext, chromium, type Page } from "playwright-core";
import { buildDashboard } from "#local/build-dashboard.ts";
import { startStack, type Stack } from "#local/stack.ts";
import { gzip } from "./uploads.ts";
import { until } from "./until.ts";

const flags = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-background-networking", "--disable-component-update", "--disable-sync"];

export type BenchPage = Page;
export type BenchBrowser = {
  readonly stack: Stack;
  readonly context: BrowserContext; // signed in; its pages lie below baseURL
  readonly version: string; // of Chromium
  readonly upload: (kind: string, body: Uint8Array) => Promise<void>; // answers when it is acknowledged
  readonly settled: () => Promise<void>; // everything acknowledged is stored
  readonly close: () => Promise<void>;
};

export async function openBenchBrowser(): Promise<BenchBrowser> {
  await buildDashboard();
  const dataDir = mkdtempSync(join(tmpdir(), "lamella-bench-"));
  const stack = await startStack({ dataDir, port: 0, progress: () => undefined, log: (line) => console.error(line), batchTimeoutS: 0 });
  const browser = await chromium.launch({ executablePath: process.env["LAMELLA_CHROMIUM"] ?? "/usr/bin/chromium", args: flags });
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, baseURL: stack.url, reducedMotion: "reduce" });
  const first = await context.newPage();
  await first.goto(await stack.signInUrl());
  await first.close();
  const pending = async () => (await stack.worker.control.prepare("SELECT count(*) AS pending FROM pending").first<{ pending: number }>())!.pending;
  return {
    stack, context, version: browser.version(),
    async upload(kind, body) {
      const headers = { authorization: `Bearer ${stack.token}`, "content-type": "application/x-protobuf", "content-encoding": "gzip" };
      const answer = await fetch(`${stack.url}/t/${stack.tenant.slug}/ingest/${kind}`, { method: "POST", headers, body: gzip(body) });
      if (answer.status !== 202) throw new Error(`${kind}: ${answer.status} ${await answer.text()}`);
    },
    settled: async () => void (await until("uploads that wait", pending, (count) => count === 0)),
    async close() {
      await browser.close();
      await stack.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
