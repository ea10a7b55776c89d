// Builds the dashboard when its sources changed since the last build: a stamp of their contents lies beside the output.
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./worker.ts";

const sources = ["dashboard", "core", "schema", "package-lock.json"];

// Answers whether it had to build.
export async function buildDashboard(): Promise<boolean> {
  const output = join(root, "dist/dashboard");
  const stampFile = join(root, "dist/dashboard.stamp");
  const stamp = contentHash();
  if (existsSync(join(output, "index.html")) && existsSync(stampFile) && readFileSync(stampFile, "utf8") === stamp) return false;
  const { build } = await import("vite");
  // Vite keeps a NODE_ENV that is set, and a test runner sets it: React would come out as its slow development build.
  const { NODE_ENV } = process.env;
  process.env.NODE_ENV = "production";
  try {
    await build({ configFile: join(root, "dashboard/vite.config.ts"), logLevel: "error" });
  } finally {
    if (NODE_ENV === undefined) delete process.env.NODE_ENV;
    else process.env.NODE_ENV = NODE_ENV;
  }
  writeFileSync(stampFile, stamp);
  return true;
}

function contentHash(): string {
  const hash = createHash("sha256");
  for (const source of sources) {
    const path = join(root, source);
    const files = source.includes(".") ? [""] : readdirSync(path, { recursive: true, encoding: "utf8" }).sort();
    for (const file of files) {
      if (file !== "" && !/\.(ts|tsx|css|html|svg|js|json|txt)$|_headers$/.test(file)) continue;
      hash.update(`${source}/${file}\0`).update(readFileSync(join(path, file)));
    }
  }
  return hash.digest("hex");
}
