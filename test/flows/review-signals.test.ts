// `npm start` as its own process: a signal stops everything in order, and at its end the folder is free for the next start.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { root } from "#local/worker.ts";

const dataDir = mkdtempSync(join(tmpdir(), "lamella-flow-"));
afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

// Starts, sends the signal when it is ready; answers the exit code and what was printed.
async function startAndStop(signal: NodeJS.Signals): Promise<{ code: number | null; output: string }> {
  const args = ["--disable-warning=ExperimentalWarning", join(root, "local/start.ts"), "--port", "0", "--data-dir", dataDir, "--no-demo"];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  let sent = false;
  const keep = (chunk: Buffer) => {
    output += chunk.toString();
    if (!sent && output.includes("/sign-in/local?code=")) sent = child.kill(signal);
  };
  child.stdout.on("data", keep);
  child.stderr.on("data", keep);
  const code = await new Promise<number | null>((done) => child.on("close", (status) => done(status)));
  return { code, output };
}

test.each(["SIGTERM", "SIGINT"] as const)("%s: stopped in order, and the same folder starts at once", async (signal) => {
  const { code, output } = await startAndStop(signal);
  expect([code, output], output).toEqual([0, expect.stringMatching(/Open[\s\S]*stopping …\s*$/)]);
}, 180_000);
