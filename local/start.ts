// `npm start`: everything on one machine, and one URL that signs the local user in.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import { join } from "node:path";
import { openApi } from "#cli/api.ts";
import { importFile } from "#cli/import.ts";
import { agentVersion } from "#cli/version.ts";
import { buildDashboard } from "./build-dashboard.ts";
import { type Stack, startStack } from "./stack.ts";
import { type LocalStore, openLocalStore } from "./store.ts";
import { root } from "./worker.ts";

const help = `npm start [-- options]

Starts Lamella on this machine: ClickHouse (embedded), the Worker, the dashboard, a tenant "demo".
  --port N          port of the dashboard and the API on 127.0.0.1 (default 4980; 0 = any free one)
  --data-dir DIR    where everything is kept (default .lamella)
  --no-demo         do not send the demo recording; tenant and token exist all the same
  --open            open the browser
  --help            this text

With CLICKHOUSE_URL set (and CLICKHOUSE_USER, CLICKHOUSE_PASSWORD, CLICKHOUSE_DATABASE) that server is used instead of the embedded one.
Example: npm start -- --port 8080 --data-dir /var/lib/lamella --no-demo`;

const demoFile = join(root, "local/demo/qwen3-demo.trace.json.gz");
const sweepMs = 60_000;
const storeRestartsMax = 5;

function options(): { port: number; dataDir: string; demo: boolean; open: boolean } {
  let values;
  try {
    ({ values } = parseArgs({
      options: { port: { type: "string", default: "4980" }, "data-dir": { type: "string", default: process.env.LAMELLA_DATA_DIR ?? ".lamella" }, demo: { type: "boolean", default: true }, open: { type: "boolean", default: false }, help: { type: "boolean", default: false } },
      allowNegative: true,
    }));
  } catch (error) {
    return fail(`${error instanceof Error ? error.message : String(error)}\n\n${help}`);
  }
  if (values.help) {
    console.log(help);
    process.exit(0);
  }
  const port = /^\d{1,5}$/.test(values.port) ? Number(values.port) : -1;
  if (port < 0 || port > 65_535) fail(`--port is "${values.port}"; write a number from 0 to 65535.`);
  return { port, dataDir: values["data-dir"], demo: values.demo, open: values.open };
}

function fail(message: string): never {
  console.error(message);
  process.exit(1);
}

const startedAt = Date.now();
const progress = (line: string) => console.log(`${((Date.now() - startedAt) / 1000).toFixed(1).padStart(6)} s  ${line}`);

async function main(): Promise<void> {
  const { port, dataDir, demo, open } = options();
  progress("building the dashboard (only when its sources changed)");
  await buildDashboard();
  let stack: Stack;
  try {
    stack = await startStack({ dataDir, port, progress, log: (line) => console.error(`worker: ${line}`) });
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    return fail(/EADDRINUSE|address already in use/i.test(text) ? `Port ${port} is taken. Choose another: npm start -- --port ${port + 1}` : `Lamella could not start: ${text}`);
  }
  const store = keepStore(stack);
  stopOnSignals(stack, store);
  const sweeper = setInterval(() => void sweep(stack), sweepMs);
  sweeper.unref();
  if (demo && existsSync(demoFile)) await sendDemo(stack);
  const link = await stack.signInUrl();
  progress("ready");
  console.log(`\n  Open  ${link}\n\n  The link signs you in once; press Enter for a fresh one. Ctrl-C stops everything; the data stays in ${stack.dataDir}.\n  In a second shell:  npx lamella import trace.json.gz   ·   npx lamella flamegraph   ·   npx lamella --help\n`);
  if (open) openBrowser(link);
  if (process.stdin.isTTY) createInterface({ input: process.stdin }).on("line", () => void stack.signInUrl().then((url) => console.log(`  Open  ${url}`), (error: unknown) => console.error(`No link could be made, press Enter again in a moment: ${String(error)}`)));
}

// A sweep that fails is no reason to stop: the next one, a minute later, finds the same uploads.
async function sweep(stack: Stack): Promise<void> {
  await stack.worker.sweep("cron").catch((error: unknown) => console.error(`sweep: ${String(error)}`));
}

async function sendDemo(stack: Stack): Promise<void> {
  const api = openApi({ url: stack.url, tenant: stack.tenant.slug, token: stack.token });
  try {
    const imported = await importFile(api, demoFile, { name: "demo: a small Qwen3, recorded on a CPU", agentVersion, context: { hostName: "demo" }, progress: (line) => progress(`demo recording: ${line}`) });
    if (imported.known) progress("demo recording: stored already");
  } catch (error) {
    console.error(`The demo recording could not be sent: ${error instanceof Error ? error.message : String(error)} Everything else runs.`);
  }
}

let stopping = false;

// The embedded ClickHouse may die (out of memory, a kill): it is started again on its port, where the Worker expects it. workerd is kept by its own runner.
// Nothing acknowledged is lost meanwhile: the queue retries.
function keepStore(stack: Stack): { stop(): Promise<void> } {
  let current: LocalStore = stack.store;
  let restarts = 0;
  const watch = async (): Promise<void> => {
    await current.exited;
    if (stopping) return;
    if (++restarts > storeRestartsMax) return fail(`The embedded ClickHouse ended ${restarts} times. Nothing acknowledged is lost: look at its last words above and start again.`);
    console.error("the embedded ClickHouse ended; starting it again");
    current = await openLocalStore(stack.dataDir, Number(new URL(stack.store.url).port), progress);
    await sweep(stack);
    return await watch();
  };
  watch().catch((error: unknown) => fail(`The embedded ClickHouse could not be started again: ${error instanceof Error ? error.message : String(error)}`));
  return { stop: () => current.stop() };
}

function stopOnSignals(stack: Stack, store: { stop(): Promise<void> }): void {
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    // Miniflare listens too and would end this process at once, while ClickHouse still holds its folder. It keeps its hook on the end of the process.
    process.removeAllListeners(signal);
    process.on(signal, () => {
      if (stopping) process.exit(130);
      stopping = true;
      console.log("\nstopping …");
      stack.stop().then(() => store.stop()).then(() => process.exit(0), (error: unknown) => fail(`stopping failed: ${String(error)}`));
    });
  }
}

function openBrowser(url: string): void {
  const [command, ...args] = process.platform === "darwin" ? ["open", url] : process.platform === "win32" ? ["cmd", "/c", "start", url] : ["xdg-open", url];
  spawn(command!, args, { stdio: "ignore", detached: true }).on("error", () => console.log("  No browser could be opened; use the link above.")).unref();
}

await main();
