// A model_tree.json through the command line into the store: a row of the Models page with its tree; and out again as the same shape.
import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { root } from "#local/worker.ts";
import { bytesOf, modelTree, node } from "#test/core/shape/mapper/draw-model-tree.ts";
import type { Client } from "#test/rig/client.ts";
import { expectInvariants } from "#test/rig/invariants.ts";
import { StackRig } from "#test/rig/stack.ts";
import { until } from "#test/rig/until.ts";

let rig: StackRig;
beforeAll(async () => void (rig = await StackRig.open()));
afterAll(() => rig.remove());
afterEach(() => expectInvariants(rig));

function lamella(tenant: Client, ...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const env = { PATH: process.env.PATH, HOME: rig.dataDir, LAMELLA_URL: rig.stack.url, LAMELLA_TENANT: tenant.slug, LAMELLA_TOKEN: tenant.token };
  return new Promise((done) => {
    execFile(process.execPath, [join(root, "cli/lamella.mjs"), ...args], { cwd: rig.dataDir, env }, (error, stdout, stderr) => done({ code: (error as { code?: number } | null)?.code ?? 0, stdout, stderr }));
  });
}

const file = (name: string) => join(rig.dataDir, name);
const layer = (name: string) => node(name, "Layer", {}, [node("proj", "Linear", { weight: "bfloat16[8,8]" }), node("norm", "Norm", { weight: "float32[8]" })]);
const children = [node("embed", "Embedding", { weight: "bfloat16[100,8]" }), node("layers", "ModuleList", {}, [layer("0"), layer("1"), layer("2")]), node("lm_head", "Linear", { weight: "bfloat16[100,8]" })];
const secret = { forward: { source: "def forward(self): secret()", source_file: "/secret/net.py", operations: [] } };
const document = modelTree("NetForCausalLM", [...children, node("extra", "Extra", {}, [], secret)], { config: { architectures: ["NetForCausalLM"], tie_word_embeddings: true } });
const parameters = 800 + 3 * (64 + 8); // the embedding once: the configuration says that it is tied

test("in: a row, its tree and a module; out: a file that is read as the same shape", async () => {
  const tenant = await rig.tenantWithModels("model-tree");
  writeFileSync(file("model_tree.json"), bytesOf(document));
  const imported = await lamella(tenant, "import", "--json", file("model_tree.json"), "--tag", "env:lab", "--host", "gpu-7");
  const [{ model }] = JSON.parse(imported.stdout);
  expect(model).toMatchObject({ name: "org/net", parameters, modules: 14, aliases: 1 });

  const [row, ...others] = (await tenant.get("models")).models;
  expect([row, others]).toMatchObject([{ id: model.shapeId, shapeId: model.shapeId, modelKeys: [model.modelKey], name: "org/net", architecture: "NetForCausalLM", parameters, modules: 14, weightBytes: 2 * 800 + 3 * (128 + 32), hosts: 1, sources: ["import"] }, []]);
  expect((await tenant.get("model", { params: { id: model.shapeId } })).layouts.map(({ layoutId }) => layoutId)).toEqual([model.layoutId]);
  const seenOn = async (host: string) => (await tenant.get("models", { query: { filter: `host.name == "${host}"` } })).models.length;
  expect([await seenOn("gpu-7"), await seenOn("other")]).toEqual([1, 0]);
  expect(await tenant.get("shapeModule", { params: { id: model.shapeId }, query: { path: "layers.1.proj" } })).toMatchObject({ className: "Linear", totals: { parameters: 64 }, repeat: { count: 3 }, tensors: [{ name: "weight", dims: [8, 8], dtype: "bfloat16" }] });
  expect((await tenant.get("shapeModule", { params: { id: model.shapeId }, query: { path: "lm_head" } })).tensors).toMatchObject([{ shares: "embed.weight" }]);

  const shown = await lamella(tenant, "model", "org/net");
  expect(shown.stdout).toContain("layers.0 … layers.2  Layer ×3  72 each");
  expect(await lamella(tenant, "model", "org/net", "--model-tree", file("out.json"))).toMatchObject({ code: 0, stdout: `${file("out.json")}: written\n` });
  const [again] = JSON.parse((await lamella(tenant, "import", "--no-upload", "--json", file("out.json"))).stdout);
  expect(again).toMatchObject({ uploaded: false, notes: [], model: { name: "org/net", shapeId: model.shapeId, layoutId: model.layoutId, parameters } });
  expect((await lamella(tenant, "model", "org/net", "--model-tree", "-")).stdout).toBe(readFileSync(file("out.json"), "utf8"));
  expect(await lamella(tenant, "model", "org/net", "--model-tree", file("nowhere/out.json"))).toMatchObject({ code: 1, stderr: expect.stringContaining("cannot be written") });
});

test("the same file again is the same row; another tenant has none of it; no source text or path of it was sent", async () => {
  const [tenant, other] = [await rig.tenantWithModels("model-tree-twice"), await rig.tenantWithModels("model-tree-other")];
  writeFileSync(file("twice.json"), bytesOf(document));
  for (let times = 0; times < 2; times++) expect(await lamella(tenant, "import", file("twice.json"))).toMatchObject({ code: 0, stdout: expect.stringMatching(/imported as model [0-9a-f]{12}\n[\s\S]*See it: lamella model [0-9a-f]{12}\n$/) });
  await rig.settled();
  expect((await tenant.get("models")).models).toMatchObject([{ name: "org/net", processes: 1, parameters }]);
  expect((await other.get("models")).models).toEqual([]);
  const sent = await Promise.all((await rig.bodies()).map(async (key) => Buffer.from(await (await rig.stack.worker.bodies.get(key))!.arrayBuffer()).toString("latin1")));
  expect(sent.length).toBeGreaterThan(0);
  expect(sent.filter((body) => body.includes("secret"))).toEqual([]);
});

test("where the Models page is off, it is stored and said to be", async () => {
  const tenant = await rig.tenant("model-tree-off");
  writeFileSync(file("off.json"), bytesOf(document));
  expect((await lamella(tenant, "import", file("off.json"))).stdout).toContain("The Models page is off: `lamella flag set models on` shows it");
  await tenant.get("flagSet", { params: { flag: "models" }, body: { on: true } });
  await rig.settled();
  // A list ends before the second that is not over yet.
  const { models } = await until("the model", () => tenant.get("models"), (answer) => answer.models.length > 0);
  expect(models).toMatchObject([{ name: "org/net", parameters }]);
});

test("a name or a host longer than the contract takes is refused before anything is sent", async () => {
  const tenant = await rig.tenantWithModels("model-tree-long");
  writeFileSync(file("long.json"), bytesOf({ ...document, model: "n".repeat(17_000) }));
  writeFileSync(file("short.json"), bytesOf(document));
  expect(await lamella(tenant, "import", file("long.json"))).toMatchObject({ code: 1, stderr: expect.stringMatching(/The model in .*long\.json cannot be sent: .*name_or_path.*nameBytesMax/) });
  expect(await lamella(tenant, "import", file("short.json"), "--host", "h".repeat(300))).toMatchObject({ code: 1, stderr: expect.stringMatching(/The model in .*short\.json cannot be sent: .*host_name.*labelBytesMax/) });
  expect((await tenant.get("status")).uploads).toMatchObject({ stored: 0 });
});
