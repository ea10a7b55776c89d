// `npm run deploy`: builds the dashboard and hands the Worker to wrangler. docs/deploy.md says what to create first. Options after -- go to wrangler.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { buildDashboard } from "./build-dashboard.ts";
import { root } from "./worker.ts";

const args = process.argv.slice(2);
const config = readFileSync(join(root, "wrangler.toml"), "utf8");
if (!args.includes("--dry-run") && /replace-me|00000000-0000-0000-0000-000000000000/.test(config)) {
  console.error("npm run deploy: wrangler.toml still has its example values (CLICKHOUSE_URL, database_id). docs/deploy.md says what to create first.\nTo only build the bundle: npm run deploy -- --dry-run");
  process.exit(2);
}
await buildDashboard();
const wrangler = spawn(process.execPath, [join(root, "node_modules/wrangler/bin/wrangler.js"), "deploy", ...args], { cwd: root, stdio: "inherit", env: { ...process.env, WRANGLER_SEND_METRICS: "false" } });
wrangler.on("exit", (code) => process.exit(code ?? 1));
