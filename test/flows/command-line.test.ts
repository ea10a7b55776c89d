// The `lamella` command and the Python package as a person uses them: real processes against a real stack.
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { root } from "#local/worker.ts";
import { StackRig } from "#test/rig/stack.ts";

const run = promisify(execFile);
let rig: StackRig;
beforeAll(async () => void (rig = await StackRig.open()));
afterAll(() => rig.remove());

type Outcome = { code: number; stdout: string; stderr: string };

async function lamella(...args: string[]): Promise<Outcome> {
  return await outcome(run(process.execPath, [join(root, "cli/lamella.mjs"), ...args, "--data-dir", rig.dataDir], { maxBuffer: 64 * 1024 * 1024 }));
}

async function outcome(running: Promise<{ stdout: string; stderr: string }>): Promise<Outcome> {
  try {
    return { code: 0, ...(await running) };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { code, stdout, stderr };
  }
}

const named = (commands: string[][]) => commands.map((command) => ({ line: command.join(" "), command }));

const demo = join(root, "local/demo/qwen3-demo.trace.json.gz");
const data = process.env.LAMELLA_TEST_DATA;

describe("the demo recording", () => {
  test("is imported once, shows as CPU operator time with recorded layers, and brings its model", async () => {
    const first = await lamella("import", demo);
    expect(first.stdout).toMatch(/^qwen3-demo\.trace\.json\.gz: imported as [0-9a-f]{12}\n {2}[\d,]+ operator calls · [\d.]+ ms CPU operator time · [\d.]+ ms \(9\d\.\d %\) inside modules/);
    expect((await lamella("import", demo)).stdout).toContain("already imported as");
    const tree = (await lamella("flamegraph", "--search", "Attention")).stdout;
    expect(tree).toContain("CPU operator time");
    expect(new Set(tree.match(/Qwen3DecoderLayer layers\.\d+/g))).toEqual(new Set(["Qwen3DecoderLayer layers.0", "Qwen3DecoderLayer layers.1", "Qwen3DecoderLayer layers.2", "Qwen3DecoderLayer layers.3"]));
    const hidden = (await lamella("flamegraph", "--layers", "hide")).stdout;
    expect(hidden).not.toMatch(/ layer {2,}/);
    const model = (await lamella("model", "qwen3-demo")).stdout;
    expect(model).toMatch(/Qwen3DecoderLayer ×4/);
  });

  const commands = [["import"], ["flamegraph"], ["top"], ["timeline"], ["executions"], ["report"], ["compare"], ["models"], ["model"], ["status"], ["token"], ["flag"], ["quarantine"], ["token", "create"], ["token", "list"], ["token", "revoke"], ["flag", "list"], ["flag", "set"], ["quarantine", "list"], ["quarantine", "replay"], ["values"], ["metrics"], ["metrics", "list"], ["metrics", "show"], ["metrics", "import"]];
  test.each(named(commands))("lamella $line --help names --json and shows an example", async ({ command }) => {
    const { stdout } = await lamella(...command, "--help");
    expect(stdout).toMatch(/Examples?:\n {2}lamella /);
    expect(stdout).toContain("--json");
  });

  test.each(named([["status"], ["models"], ["executions"], ["token", "list"], ["flag", "list"], ["quarantine", "list"], ["values", "host.name"], ["flamegraph"], ["top"], ["timeline"], ["metrics", "list"], ["metrics", "show", "ttft_seconds"]]))("lamella $line --json prints JSON", async ({ command }) => {
    JSON.parse((await lamella(...command, "--json")).stdout);
  });
});

describe("errors say what, where and how to fix it", () => {
  test.each([
    [["import", "no-such-file.json"], /no-such-file\.json cannot be read: there is no such file/],
    [["flamegraph", "--filter", 'host.nam == "a"'], /Unsupported filter field[\s\S]*host\.nam == "a"\n\s+\^{8} Unsupported filter field, did you mean host\.name\?/],
    [["flamegraph", "--from", "yesterday"], /`from` is "yesterday"/],
    [["model", "nobody/knows"], /No model "nobody\/knows" was seen/],
    [["token", "create", "--name", "x"], /Name at least one --scope/],
    [["flag", "set", "models", "maybe"], /neither on nor off/],
  ])("lamella %j", async (args, words) => {
    const { code, stderr } = await lamella(...(args as string[]));
    expect(code).toBe(1);
    expect(stderr).toMatch(words as RegExp);
    expect(stderr).not.toMatch(/ at .*\.ts:\d+/);
  });

  test("a file that is no profile is refused with its reason, exit code 3; the others are imported", async () => {
    const { code, stdout, stderr } = await lamella("import", join(root, "package.json"), demo);
    expect(code).toBe(3);
    expect(stderr).toMatch(/package\.json is refused: no "traceEvents" in the file/);
    expect(stdout).toMatch(/qwen3-demo\.trace\.json\.gz: (already )?imported as/);
  });

  test("without a server", async () => {
    const { stderr } = await outcome(run(process.execPath, [join(root, "cli/lamella.mjs"), "status", "--data-dir", join(rig.dataDir, "nothing")]));
    expect(stderr).toMatch(/No embedded stack has run with the data folder .*nothing/);
  });
});

describe.skipIf(data === undefined)("public files (LAMELLA_TEST_DATA is set)", () => {
  test("the H100 trace of Qwen1.5-0.5B: 1,465 kernels, 45.43 ms, 31.76 ms inside modules, 436 launched before capture, 24 decoder layers", async () => {
    const file = join(data!, "kineto/tracelens__h100__Qwen_Qwen1.5-0.5B-Chat__1016005.json.gz");
    const { stdout } = await lamella("import", file);
    expect(stdout).toContain("1,465 kernels · 45.43 ms GPU time · 31.76 ms (69.9 %) inside modules · 436 kernels (13.67 ms) launched before capture");
    const tree = (await lamella("flamegraph", "--text", "--search", "Attention")).stdout;
    expect(tree).toContain("GPU time: 45.43 ms in 1,465 launches");
    expect(tree).toContain("Without a model layer: 13.67 ms (30.1 %)");
    expect(new Set(tree.match(/Qwen2DecoderLayer\[\d+\]/g)).size).toBe(24);
    expect((await lamella("import", file)).stdout).toContain("already imported");
  });

  const python = process.env.LAMELLA_PYTHON;
  test.skipIf(python === undefined)("python -m lamella.walk sends Qwen3-32B: 32,762,123,264 parameters, one Qwen3DecoderLayer ×64 (needs LAMELLA_PYTHON)", { timeout: 180_000 }, async () => {
    const config = join(data!, "hf_config/Qwen--Qwen3-32B_config.json");
    expect(existsSync(config)).toBe(true);
    const walked = await outcome(run(python!, ["-m", "lamella.walk", "--name", "Qwen/Qwen3-32B", "--config", config, "--data-dir", rig.dataDir], { cwd: join(root, "agent-native/python") }));
    expect(walked.stderr + walked.stdout).toContain("32,762,123,264");
    await rig.settled();
    expect((await lamella("models")).stdout).toMatch(/Qwen\/Qwen3-32B +Qwen3ForCausalLM +32,762,123,264/);
    const tree = (await lamella("model", "Qwen/Qwen3-32B", "--text")).stdout;
    expect(tree.match(/Qwen3DecoderLayer/g)).toHaveLength(1);
    expect(tree).toContain("Qwen3DecoderLayer ×64");
  });
});
