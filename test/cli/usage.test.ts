// Mistakes in the words of a command: text for people on stderr; with --json one document on stdout and nothing else. The exit code is the same either way.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root } from "#local/worker.ts";

function lamella(...words: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(root, "cli/lamella.mjs"), ...words], { encoding: "utf8", cwd: "/", env: { PATH: process.env.PATH } });
  return { status, stdout, stderr };
}

test.each<[string[], object]>([
  [["frobnicate"], { code: "usage", message: "unknown command 'frobnicate'" }],
  [[], { code: "usage", message: "A command is missing here.", help: expect.stringContaining("Usage: lamella ") }],
  [["workload"], { code: "usage", message: "A command is missing here.", help: expect.stringContaining("Usage: lamella workload ") }],
  [["import"], { code: "usage", message: "missing required argument 'files'" }],
  [["import", "--nmae", "x", "y"], { code: "usage", message: "unknown option '--nmae'\n(Did you mean --name?)" }],
  [["report", "latest", "--top"], { code: "usage", message: "option '--top <n>' argument missing" }],
  [["report", "latest", "--step", "x"], { code: "parameter_invalid", message: '--step is "x"; write a number, 1 or more.' }],
  [["model", "x", "--model-tree", "f", "--memory"], { code: "usage", message: "option '--model-tree <file>' cannot be used with option '--memory'" }],
  [["status"], { code: "server_not_found", message: expect.stringMatching(/^No server was found\./) }],
  [["\u001b[2Jx"], { code: "usage", message: "unknown command '\u001b[2Jx'" }],
])("%j", (words, error) => {
  const asText = lamella(...words);
  expect([asText.status, asText.stdout]).toEqual([1, ""]);
  expect(asText.stderr).not.toBe("");
  expect(asText.stderr).not.toContain("\u001b");
  const asJson = lamella(...(words.length % 2 === 0 ? ["--json", ...words] : [...words, "--json"])); // it may stand anywhere
  expect(asJson).toMatchObject({ status: asText.status, stderr: "" });
  expect(JSON.parse(asJson.stdout)).toEqual({ error });
  expect(asJson.stdout).not.toContain("\u001b");
});

test("help and the version are documents too", () => {
  expect(JSON.parse(lamella("--version", "--json").stdout)).toEqual({ version: lamella("--version").stdout.trim() });
  expect(JSON.parse(lamella("report", "--json", "--help").stdout)).toEqual({ help: lamella("report", "--help").stdout });
});

test("--json behind -- is a name, not a wish", () => {
  expect(lamella("report", "--", "--json")).toMatchObject({ status: 1, stdout: "", stderr: expect.stringContaining('"--json" is neither a file nor an execution') });
});
