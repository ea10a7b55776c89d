#!/usr/bin/env node
// The `lamella` command: hands over to the project's own Node (npm package `node`), whatever Node the system has.
import { spawn } from "node:child_process";
import { existsSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(realpathSync(fileURLToPath(import.meta.url))), "..");
const node = join(root, "node_modules", ".bin", process.platform === "win32" ? "node.cmd" : "node");
if (!existsSync(node)) {
  const message = "packages are not installed yet. Run `npm start` in the checkout first.";
  if (process.argv.includes("--json")) console.log(JSON.stringify({ error: { code: "not_installed", message } }));
  else console.error(`lamella: ${message}`);
  process.exit(1);
}
// A small young generation: importing a trace makes little that lives long, and a 2 GB file stays below 256 MB resident.
const child = spawn(node, ["--disable-warning=ExperimentalWarning", "--max-semi-space-size=8", join(root, "cli", "main.ts"), ...process.argv.slice(2)], { stdio: "inherit" });
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => signal !== "SIGINT" && child.kill(signal));
child.on("exit", (code, signal) => process.exit(code ?? (signal ? 130 : 0)));
