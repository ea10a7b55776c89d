// `lamella report FILE --model-execution` as a person runs it, without a server: to a file, to stdout, and what is no tree.
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, test } from "vitest";
import { kernel, launch, module } from "#test/core/trace/trace-text.ts";

const main = fileURLToPath(new URL("../../cli/main.ts", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "lamella-model-execution-"));
afterAll(() => rmSync(folder, { recursive: true }));

function lamella(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  return new Promise((done) => {
    execFile(process.execPath, ["--disable-warning=ExperimentalWarning", main, ...args], { cwd: folder, env: { PATH: process.env.PATH, HOME: folder } }, (error, stdout, stderr) => done({ code: (error as { code?: number } | null)?.code ?? 0, stdout, stderr }));
  });
}

writeFileSync(join(folder, "run.json"), JSON.stringify({ traceEvents: [module("Net_0", [0, 100]), launch(1, [5, 6]), kernel(1, [9, 10])] }));
writeFileSync(join(folder, "bare.json"), JSON.stringify({ traceEvents: [launch(1, [5, 6]), kernel(1, [9, 10])] }));

test("written to a file, which is a profile that is read again", async () => {
  expect(await lamella("report", "run.json", "--model-execution", "model_execution.json")).toMatchObject({ code: 0, stdout: "model_execution.json: written\n" });
  expect(JSON.parse(readFileSync(join(folder, "model_execution.json"), "utf8"))).toMatchObject({ module_tree: { class: "Net", dur_us: 100 } });
  expect((await lamella("import", "--no-upload", "model_execution.json")).stdout).toMatch(/1 kernel · .* GPU time · .* \(100\.0 %\) inside modules/);
});

test("- is stdout, the document alone", async () => {
  const { code, stdout } = await lamella("report", "run.json", "--model-execution", "-");
  expect([code, JSON.parse(stdout)]).toMatchObject([0, { kernel_summary: { gemm: { count: 1, total_dur_us: 1 } } }]);
});

test("without modules, or to a place that is none: an error with its reason", async () => {
  expect((await lamella("report", "bare.json", "--model-execution", "-")).stderr).toContain("bare.json has no modules, and model_execution.json is a tree of them");
  expect(await lamella("report", "run.json", "--model-execution", "nowhere/x.json")).toMatchObject({ code: 1, stderr: expect.stringContaining("nowhere/x.json cannot be written") });
});
