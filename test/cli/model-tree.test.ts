// `lamella import --no-upload model_tree.json` as a person runs it, without a server; and a tree written from a real model by Python beside what our own reader makes
// of the same model.
import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { afterAll, describe, expect, test } from "vitest";
import { root } from "#local/worker.ts";
import { bytesOf, modelTree, node } from "#test/core/shape/mapper/draw-model-tree.ts";

const folder = mkdtempSync(join(tmpdir(), "lamella-model-tree-"));
afterAll(() => rmSync(folder, { recursive: true }));

function file(name: string, content: Uint8Array): string {
  writeFileSync(join(folder, name), content);
  return name;
}

function lamella(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  return new Promise((done) => {
    const command = ["--disable-warning=ExperimentalWarning", join(root, "cli/main.ts"), ...args];
    execFile(process.execPath, command, { cwd: folder, env: { PATH: process.env.PATH, HOME: folder } }, (error, stdout, stderr) => done({ code: (error as { code?: number } | null)?.code ?? 0, stdout, stderr }));
  });
}

const net = modelTree("Net", [node("embed", "Embedding", { weight: "bfloat16[100,8]" }), node("lm_head", "Linear", { weight: "bfloat16[100,8]" })], { config: { tie_word_embeddings: true } });
const tree = file("model_tree.json", bytesOf(net));

test("the tree, its identities and what the file cannot say; gzip or not", async () => {
  const { code, stdout, stderr } = await lamella("import", "--no-upload", tree, file("packed.json.gz", gzipSync(bytesOf(net))));
  expect([code, stderr]).toEqual([0, ""]);
  const lines = [
    "  org/net  Net  800 parameters · 1.6 kB · 3 modules · bfloat16", "    embed  Embedding  800 · bfloat16", "    lm_head  Linear  800 · bfloat16 · shares embed.weight",
    expect.stringMatching(/^ {2}shape [0-9a-f]{64} · model key [0-9a-f]{32}$/), expect.stringContaining("  note: model_tree.json does not mark tied weights: lm_head.weight is taken to share embed.weight"), expect.stringContaining("  note: The format does not mark"),
  ];
  expect(stdout.trimEnd().split("\n")).toEqual(["model_tree.json: read, not uploaded", ...lines, "packed.json.gz: read, not uploaded", ...lines]);
});

test("--json has the same; --name names the model and so changes its key, not its shape", async () => {
  const [plain, named] = await Promise.all([lamella("import", "--no-upload", "--json", tree), lamella("import", "--no-upload", "--json", tree, "--name", "mine")]);
  const [entry] = JSON.parse(plain.stdout);
  expect(entry).toMatchObject({
    file: "model_tree.json", uploaded: false, notes: [expect.stringContaining("is taken to share"), expect.any(String)],
    model: { name: "org/net", architecture: "", rootClass: "Net", parameters: 800, weightBytes: 1_600, modules: 3, distinctModules: 3, unsizedTensors: 0, dtypes: ["bfloat16"], aliases: 1 },
  });
  const [other] = JSON.parse(named.stdout);
  expect([other.model.name, other.model.shapeId === entry.model.shapeId, other.model.modelKey === entry.model.modelKey]).toEqual(["mine", true, false]);
});

test("a refused file loses nothing of the others; options of other kinds are named; report says where it belongs", async () => {
  const bad = file("bad.json", bytesOf({ ...net, tree: [] }));
  const imported = await lamella("import", "--no-upload", bad, tree, "--step", "3", "--tag", "env:lab", "--prometheus", "x");
  expect(imported.code).toBe(3);
  expect(imported.stdout).toContain("800 parameters");
  expect(imported.stderr).toBe('lamella: bad.json is refused: a model_tree.json without a tree: "tree" must be an object of modules, and it is something else.\nlamella: model_tree.json is a model\'s structure: --step, --prometheus changed nothing of it\n');
  expect((await lamella("report", tree)).stderr).toContain("model_tree.json of vllm_arch_map, a model's structure without times; `lamella import FILE` puts it on the Models page.");
});

test("names cannot steer the terminal", async () => {
  const evil = "\u001b[2J\u202e\r";
  const { stdout, stderr } = await lamella("import", "--no-upload", file("evil.json", bytesOf(modelTree(evil, [node(evil, evil, { [evil]: "int8[1]" })], { model: evil }))));
  expect(stdout).toContain("\\u{1b}[2J\\u{202e}\\u{d}");
  expect((stdout + stderr).replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cf}]/u);
});

// As vllm_arch_map walks a model (named_modules once), and beside it the identity that python -m lamella.walk gives it.
const walker = `
import json, sys
from lamella.build import build, read_config
from lamella.walk import walk
model = build(read_config(sys.argv[1]), "org/net").model
meta = lambda tensors: {name: {"shape": list(t.shape), "dtype": str(t.dtype), "device": str(t.device), "stride": list(t.stride())} for name, t in tensors.items() if t is not None}
tree = {"name": "model", "children": []}
placed = {"": tree}
for path, module in model.named_modules():
    path = path or "__root__"
    placed[path] = {"name": path.rpartition(".")[2], "path": path, "class": type(module).__name__, "weights": meta(module._parameters), "buffers": meta(module._buffers), "children": []}
    placed[path.rpartition(".")[0]]["children"].append(placed[path])
json.dump({"schema_version": 2, "model": "org/net", "capture_mode": "eager", "config": model.config.to_dict(), "tree": tree}, open(sys.argv[2], "w"))
print(walk(model, "org/net").shape_id)
`;
const [python, data] = [process.env.LAMELLA_PYTHON, process.env.LAMELLA_TEST_DATA];

describe.skipIf(python === undefined || data === undefined)("a real model (LAMELLA_PYTHON and LAMELLA_TEST_DATA are set)", () => {
  test.each(["Qwen--Qwen3-1.7B", "mistralai--Mixtral-8x7B-v0.1"])("%s has one shape id, walked by Python or read from the file", { timeout: 180_000 }, async (name) => {
    const config = join(data!, `hf_config/${name}_config.json`);
    expect(existsSync(config)).toBe(true);
    const { stdout } = await promisify(execFile)(python!, ["-c", walker, config, join(folder, "walked.json")], { cwd: join(root, "agent-native/python") });
    const [entry] = JSON.parse((await lamella("import", "--no-upload", "--json", "walked.json")).stdout);
    expect(entry.model.shapeId).toBe(stdout.trim());
  });
});
