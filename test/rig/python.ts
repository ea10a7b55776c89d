// Which Python the suites and benches run: LAMELLA_PYTHON, the cached environment that .ci/run makes (keyed by the hash of its requirements), else the
// system's; the first that has the module that is needed.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const folder = fileURLToPath(new URL("../../agent-native/python", import.meta.url));

export function pythonWith(module: "pytest" | "torch"): string | null {
  const requirements = ["test", "vllm"].map((name) => readFileSync(join(folder, `requirements-${name}.txt`)));
  const key = createHash("sha256").update(Buffer.concat(requirements)).digest("hex").slice(0, 16);
  const cached = join(process.env["LAMELLA_PYTHON_CACHE"] ?? join(homedir(), ".cache/lamella"), `python-${key}`, "bin/python");
  const candidates = [process.env["LAMELLA_PYTHON"], cached, "python3"].filter((one): one is string => one !== undefined && (one === "python3" || existsSync(one)));
  return candidates.find((one) => spawnSync(one, ["-c", `import ${module}`]).status === 0) ?? null;
}
