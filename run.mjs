#!/usr/bin/env node
// Runs one TypeScript file of the project under the Node that the project pins (>= 22.12, npm package `node`), after installing whatever is missing.
// Plain JavaScript and no dependency: this file is what runs first in a bare clone, on whatever Node the system has.
import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(fileURLToPath(import.meta.url));
const [script, ...args] = process.argv.slice(2);
if (!script) {
  console.error("run.mjs: which file? Use the verbs of package.json, for example: npm start");
  process.exit(2);
}

const stamp = join(root, "node_modules", ".lamella-installed");
const wanted = createHash("sha256").update(readFileSync(join(root, "package-lock.json"))).digest("hex");
if (!existsSync(stamp) || readFileSync(stamp, "utf8") !== wanted) {
  const startedAt = Date.now();
  console.error("installing packages (about 1.3 GB on disk, most of it the embedded ClickHouse; half a minute to a few minutes, once) …");
  const tick = setInterval(() => console.error(`  still installing, ${Math.round((Date.now() - startedAt) / 1000)} s`), 15_000);
  // `install` and not `ci`: chdb names platform packages that are not published for every platform, and `ci` refuses a lock file without them. The lock
  // pins every version all the same, and --no-save leaves it as it is.
  // npm's own engine warnings name the system's Node, which is not the one that will run: they would only mislead here.
  const code = await new Promise((done) =>
    spawn("npm", ["install", "--no-save", "--no-audit", "--no-fund", "--loglevel=error"], { cwd: root, stdio: ["ignore", 2, 2] })
      .on("error", (error) => {
        console.error(`npm could not be started: ${error.message}`);
        done(1);
      })
      .on("exit", done),
  );
  clearInterval(tick);
  if (code !== 0) {
    console.error("npm install failed (its own words are above). The network must reach the package registry; then run the same command again.");
    process.exit(1);
  }
  mkdirSync(dirname(stamp), { recursive: true });
  writeFileSync(stamp, wanted);
  console.error(`installed in ${Math.round((Date.now() - startedAt) / 1000)} s`);
}

const node = join(root, "node_modules", ".bin", process.platform === "win32" ? "node.cmd" : "node");
const probe = spawnSync(node, ["--version"], { encoding: "utf8" });
const [major = 0, minor = 0] = (probe.stdout ?? "").trim().slice(1).split(".").map(Number);
if (major < 22 || (major === 22 && minor < 18)) {
  console.error(`the project's own Node is missing or too old (found ${probe.stdout?.trim() || "none"}, need 22.18). Delete node_modules and run again; install scripts must be allowed for the package "node".`);
  process.exit(1);
}

const child = spawn(node, ["--disable-warning=ExperimentalWarning", join(root, script), ...args], { stdio: "inherit" });
// Ctrl-C reaches the whole process group; the child decides how to stop, this wrapper only waits for it.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => signal !== "SIGINT" && child.kill(signal));
// A signal to npm alone ends npm and tells nobody below it; what it ran would live on, unseen and with its ports.
const parent = process.ppid;
if (process.env.npm_lifecycle_event) setInterval(() => process.ppid !== parent && child.kill("SIGTERM"), 1_000).unref();
child.on("exit", (code, signal) => process.exit(code ?? (signal ? 1 : 0)));
