// `npm start` as its own process: a signal stops everything in order, and at its end the folder is free for the next start.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { root } from "#local/worker.ts";

const dataDir = mkdtempSync(join(tmpdir(), "lamella-flow-"));
afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

const options = ["--port", "0", "--data-dir", dataDir, "--no-demo"];

// Starts, sends the signal when it is ready; answers the exit code and what was printed until all that it started has ended.
async function startAndStop(signal: NodeJS.Signals, program: string, args: string[]): Promise<{ code: number | null; output: string }> {
  const child = spawn(program, args, { cwd: root, stdio: ["ignore", "pipe", "pipe"] });
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
  const { code, output } = await startAndStop(signal, process.execPath, ["--disable-warning=ExperimentalWarning", join(root, "local/start.ts"), ...options]);
  expect([code, output], output).toEqual([0, expect.stringMatching(/Open[\s\S]*stopping …\s*$/)]);
});

// npm passes a signal on to nobody; what it ran holds the pipes open until it has ended too.
test("SIGTERM to npm alone stops everything below it", async () => {
  const { output } = await startAndStop("SIGTERM", "npm", ["start", "--", ...options]);
  expect(output).toMatch(/Open[\s\S]*stopping …\s*$/);
});
