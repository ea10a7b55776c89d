// The Models API beyond its list: sorting and filtering, layouts, one module, search, comparison, memory, text; and the same by the command line.
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { canonicalShape } from "#core/shape/canonical.ts";
import { layoutId, singleRank } from "#core/shape/layout.ts";
import type { ShapeLayout } from "#core/shape/part.ts";
import { root } from "#local/worker.ts";
import { modelColumns, type ShapeBody } from "#schema/api/models.ts";
import { fieldsOfPage } from "#schema/fields.ts";
import type { Client } from "#test/rig/client.ts";
import { drawShape } from "#test/core/shape/draw-shape.ts";
import { qwen3 } from "#test/core/shape/qwen3-32b.ts";
import { expectInvariants } from "#test/rig/invariants.ts";
import { StackRig } from "#test/rig/stack.ts";
import { nowS, randomId, shapeUpload, sightingsUpload } from "#test/rig/uploads.ts";

let rig: StackRig;
beforeAll(async () => {
  rig = await StackRig.open();
});
afterAll(() => rig.remove());
afterEach(() => expectInvariants(rig));

const laidOut = (body: ShapeBody, modelKey: string, layout: ShapeLayout) => shapeUpload(body, modelKey, undefined, undefined, layout);

const seenOn = (modelKey: string, fields: Parameters<typeof sightingsUpload>[0]) => sightingsUpload({ ...fields, modelKey } as typeof fields);

describe("the list", () => {
  test("all thirteen fields of the page choose models, and no other field does", async () => {
    const tenant = await rig.tenantWithModels("thirteen-fields");
    const [one, other] = [randomId(32), randomId(32)];
    const labels = {
      hostName: "host-1", exeName: "python3.11", scriptName: "serve.py", jobTag: "nightly", containerName: "vllm", k8sPod: "vllm-0", k8sDeployment: "vllm-d", k8sNamespace: "inference", slurmJobId: "48213",
      slurmJobName: "pretrain", slurmJobUser: "ada", clusterName: "prod-eu",
    };
    await rig.send(tenant,
      ["sightings", seenOn(one, { nameOrPath: "org/one", ...labels, userTags: ["env:prod", "team:a"], processKey: 1n })],
      ["sightings", seenOn(other, { nameOrPath: "org/other", ...Object.fromEntries(Object.keys(labels).map((name) => [name, "x"])), userTags: ["env:dev"], processKey: 2n })]);
    const values: Record<string, string> = {
      "host.name": "host-1", "process.executable.name": "python3.11", "script.name": "serve.py", "job.tag": "nightly", "container.name": "vllm", "k8s.pod.name": "vllm-0", "k8s.deployment.name": "vllm-d",
      "k8s.namespace.name": "inference", "slurm.job.id": "48213", "slurm.job.name": "pretrain", "slurm.job.user": "ada", "user.tag": "env:prod", "cluster.name": "prod-eu",
    };
    expect(fieldsOfPage("models").sort()).toEqual(Object.keys(values).sort());
    expect(Object.keys(values)).toHaveLength(13);
    const names = async (filter: string) => (await tenant.get("models", { query: { filter } })).models.map(({ name }) => name).sort();
    for (const [field, value] of Object.entries(values)) {
      expect(await names(`${field} == "${value}"`), field).toEqual(["org/one"]);
      expect(await names(`${field} != "${value}"`), field).toEqual(["org/other"]);
    }
    expect(await names('cluster.name == "prod-eu" && k8s.pod.name.startsWith("vllm") && user.tag in ["env:prod"]')).toEqual(["org/one"]);
    for (const [field, didYouMean] of [["kernel.name", undefined], ["thread.name", undefined], ["gpu.uuid", undefined], ["model.name", undefined], ["host.nme", "host.name"], ["k8s.pods.name", "k8s.pod.name"], ["slurm.job.users", "slurm.job.user"]] as const) {
      const problem = await tenant.refused("filter_field_unsupported", "models", { query: { filter: `${field} == "x"` } });
      expect(problem).toMatchObject({ title: "Unsupported filter field", problems: [{ message: "Unsupported filter field", found: field, from: 0, to: field.length, ...(didYouMean ? { didYouMean } : {}) }] });
      expect(problem.problems![0]!.expected!.sort()).toEqual(fieldsOfPage("models").sort());
    }
  });

  test("by every column, both ways, page by page; a cursor belongs to its order", async () => {
    const tenant = await rig.tenantWithModels("sorted");
    const uploads: ["shapes" | "sightings", Uint8Array][] = [];
    for (let i = 0; i < 5; i++) {
      const key = randomId(32);
      if (i > 0) uploads.push(["shapes", shapeUpload(drawShape(`Net\n  fc Linear weight:float32[${1 + (i % 2)},${i}]`), key)]);
      uploads.push(["sightings", seenOn(key, { nameOrPath: `org/ä ~${"edcba"[i]}`, processKey: BigInt(i), firstSeenS: BigInt(nowS() - 100 * i - 60), lastSeenS: BigInt(nowS() - 10 * (i % 3)) })]);
    }
    await rig.send(tenant, ...uploads);
    const range = { from: new Date((nowS() - 86_400) * 1000).toISOString(), to: new Date((nowS() + 60) * 1000).toISOString() };
    for (const sort of modelColumns.flatMap((column) => [column, `-${column}`])) {
      const whole = await tenant.get("models", { query: { ...range, sort } });
      expect(whole.models).toHaveLength(5);
      const walked: string[] = [];
      for (let cursor: string | null | undefined; cursor !== null; ) {
        const page = await tenant.get("models", { query: { ...range, sort, limit: "2", ...(cursor ? { cursor } : {}) } });
        walked.push(...page.models.map(({ id }) => id));
        cursor = page.next;
      }
      expect(walked, sort).toEqual(whole.models.map(({ id }) => id));
    }
    const names = async (sort: string) => (await tenant.get("models", { query: { sort } })).models.map(({ name, parameters }) => `${name.at(-1)} ${parameters}`);
    expect(await names("name")).toEqual(["a 4", "b 6", "c 2", "d 2", "e null"]);
    expect(await names("-parameters")).toEqual(["b 6", "a 4", expect.stringMatching(/^[cd] 2$/), expect.stringMatching(/^[cd] 2$/), "e null"]);
    expect((await names("parameters")).at(-1)).toBe("e null");
    expect((await tenant.get("models")).models).toEqual((await tenant.get("models", { query: { sort: "-lastSeen" } })).models);
    const { next } = await tenant.get("models", { query: { sort: "name", limit: "2" } });
    expect((await tenant.refused("parameter_invalid", "models", { query: { sort: "-name", cursor: next! } })).detail).toContain('sorted by "name"');
    for (const query of [{ sort: "colour" }, { sort: "--name" }, { cursor: "x" }, { cursor: `-lastSeen~${randomId(64)}~99999999999999999999` }, { cursor: `-lastSeen~${randomId(64)}~-1` }, { cursor: `name~${randomId(64)}~%ff`, sort: "name" }]) {
      await tenant.refused("parameter_invalid", "models", { query });
    }
  });

  test("restarts and replicas are one row, a quantised copy another, a stage that is missing is named", async () => {
    const tenant = await rig.tenantWithModels("rows");
    const [key, quantised, piped] = [randomId(32), randomId(32), randomId(32)];
    await rig.send(tenant,
      ["shapes", shapeUpload(drawShape("Net\n  fc Linear weight:bfloat16[8,8]"), key)], ["shapes", shapeUpload(drawShape("Net\n  fc Linear weight:int8[8,8]"), quantised)],
      ["sightings", sightingsUpload({ modelKey: key, nameOrPath: "org/net", processKey: 1n, hostName: "a" }, { modelKey: key, nameOrPath: "org/net", processKey: 2n, hostName: "a" }, { modelKey: key, nameOrPath: "org/net", processKey: 3n, hostName: "b" })],
      ["sightings", sightingsUpload({ modelKey: quantised, nameOrPath: "org/net-int8", processKey: 4n }, { modelKey: piped, nameOrPath: "org/piped", ppRank: 0, ppSize: 3, processKey: 5n })],
      ["shapes", shapeUpload(drawShape("Net\n  a A"), piped, { rank: 0, of: 3 })]);
    const { models } = await tenant.get("models", { query: { sort: "name" } });
    expect(models).toMatchObject([{ name: "org/net", hosts: 2, processes: 3, weightBytes: 128 }, { name: "org/net-int8", processes: 1, weightBytes: 64 }, { name: "org/piped", shapeId: null, missingStages: [1, 2] }]);
    expect(await tenant.get("model", { params: { id: piped } })).toMatchObject({ model: { missingStages: [1, 2] }, layouts: [] });
  });
});

describe("Qwen3-32B, stored", () => {
  let tenant: Client;
  let shapeId: string;
  const key = randomId(32);
  const four: ShapeLayout = {
    ...singleRank(), tpSize: 4, sharded: [{ path: "lm_head.weight", dim: 0 }, { path: "model.layers.*.self_attn.o_proj.weight", dim: 1 }, { path: "model.layers.*.self_attn.q_proj.weight", dim: 0 }],
    padded: [{ path: "lm_head.weight", dim: 0, size: 152_064 }], replicated: [],
  };
  beforeAll(async () => {
    tenant = await rig.tenantWithModels("qwen");
    shapeId = canonicalShape(qwen3()).shapeId;
    await rig.send(tenant,
      ["shapes", shapeUpload(qwen3(), key)], ["sightings", seenOn(key, { nameOrPath: "Qwen/Qwen3-32B", tpSize: 1, processKey: 1n, lastSeenS: BigInt(nowS() - 30) })],
      ["shapes", laidOut(qwen3(), key, four)], ["sightings", seenOn(key, { nameOrPath: "Qwen/Qwen3-32B", tpSize: 4, processKey: 2n, lastSeenS: BigInt(nowS() - 1) })]);
  });

  test("one row and one shape, two layouts, the one seen last first", async () => {
    const { model, layouts } = await tenant.get("model", { params: { id: shapeId } });
    expect(model).toMatchObject({ name: "Qwen/Qwen3-32B", parameters: 32_762_123_264, parallelism: [{ tp: 4, pp: 1 }] });
    expect(layouts).toMatchObject([
      { layoutId: layoutId(four), modelKeys: [key], tp: 4, pp: 1, ep: 1, dp: 1, sharded: four.sharded, padded: four.padded, replicated: [], aliases: [], lastSeen: expect.any(String) },
      { layoutId: layoutId(singleRank()), tp: 1, sharded: [], lastSeen: expect.any(String) },
    ]);
    expect(layouts[0]!.lastSeen! > layouts[1]!.lastSeen!).toBe(true);
    expect((await tenant.get("model", { params: { id: key } })).layouts).toEqual(layouts);
    const before = { from: new Date((nowS() - 7_200) * 1000).toISOString(), to: new Date((nowS() - 45) * 1000).toISOString() };
    expect((await tenant.get("model", { params: { id: key }, query: before })).layouts.map(({ lastSeen }) => typeof lastSeen)).toEqual(["string", "string"]); // both began before its end
  });

  test("a module: totals, copies, precision, tensors as a layout holds them", async () => {
    const answer = await tenant.get("shapeModule", { params: { id: shapeId }, query: { path: "model.layers.17.self_attn.o_proj", layout: layoutId(four) } });
    expect(answer).toEqual({
      shapeId, layoutId: layoutId(four), path: "model.layers.17.self_attn.o_proj", className: "Linear", role: "Linear / MLP", frameName: "Linear o_proj", search: "Linear o_proj", alias: null,
      totals: { parameters: 41_943_040, weightBytes: 83_886_080, ownParameters: 41_943_040, submodules: 0, unsizedTensors: 0 },
      repeat: { count: 64, first: "model.layers.0.self_attn.o_proj", last: "model.layers.63.self_attn.o_proj", firstIndex: null, lastIndex: null, parameters: 64 * 41_943_040, weightBytes: 64 * 83_886_080 },
      precision: [{ dtype: "bfloat16", tensors: 1, bytes: 83_886_080, share: 1 }],
      tensors: [{
        name: "weight", path: "model.layers.17.self_attn.o_proj.weight", role: "parameter", dtype: "bfloat16", dims: [5_120, 8_192], packedBits: 0, logicalNumel: 0, elements: 41_943_040, bytes: 83_886_080,
        sharded: [1], padded: [], replicas: 1, shares: null, sharedBy: 0, notes: ["dim 1 sharded"],
      }],
    });
    expect(await tenant.get("shapeModule", { params: { id: shapeId } })).toMatchObject({ path: "", frameName: "Qwen/Qwen3-32B", search: "Qwen/Qwen3-32B", totals: { submodules: 966 } });
    const head = (layout: string) => tenant.get("shapeModule", { params: { id: shapeId }, query: { path: "lm_head", layout } });
    expect((await head(layoutId(four))).tensors[0]!.notes).toEqual(["dim 0 sharded", "dim 0 padded to 152,064"]);
    expect((await head(layoutId(singleRank()))).tensors[0]!.notes).toEqual([]);
  });

  test("a path that is not there: the nearest module above it is named", async () => {
    const detail = async (path: string) => (await tenant.refused("module_not_found", "shapeModule", { params: { id: shapeId }, query: { path } })).detail;
    expect(await detail("model.layers.64.mlp")).toBe('This shape has no module "model.layers.64.mlp". The nearest that exists is "model.layers", which has no child "64".');
    expect(await detail("lm_head.weight")).toContain('"weight" is a tensor of "lm_head"');
    expect(await detail("x")).toContain("The nearest that exists is the root");
    expect((await tenant.refused("parameter_invalid", "shapeModule", { params: { id: shapeId }, query: { layout: randomId(64) } })).detail).toContain("none of shape");
    await tenant.refused("parameter_invalid", "shapeModule", { params: { id: shapeId }, query: { layout: "x" } });
  });

  test("find: copies of a fold are one hit", async () => {
    expect(await tenant.get("shapeFind", { params: { id: shapeId }, query: { q: "mlp up" } })).toEqual({
      shapeId, modules: 967, matches: 64, more: false, hits: [{ className: "Linear", first: "model.layers.0.mlp.up_proj", last: "model.layers.63.mlp.up_proj", copies: 64, of: 64 }],
    });
    expect((await tenant.get("shapeFind", { params: { id: shapeId }, query: { q: "/layers\\.1\\d$/" } })).hits).toEqual([{ className: "Qwen3DecoderLayer", first: "model.layers.10", last: "model.layers.19", copies: 10, of: 64 }]);
    expect(await tenant.get("shapeFind", { params: { id: shapeId }, query: { q: "e", limit: "2" } })).toMatchObject({ more: true, hits: [{}, {}] });
    expect(await tenant.refused("search_invalid", "shapeFind", { params: { id: shapeId }, query: { q: "x /(/" } })).toMatchObject({ problems: [{ from: 2, to: 5 }] });
    for (const query of [{ q: "x", limit: "0" }, { q: "x", limit: "501" }, {}]) await tenant.refused("parameter_invalid", "shapeFind", { params: { id: shapeId }, query });
    await tenant.refused("search_invalid", "shapeFind", { params: { id: shapeId }, query: { q: " " } });
  });

  test("memory: the layout that says how TP divides is used, and said", async () => {
    const answer = await tenant.get("shapeMemory", { params: { id: shapeId }, query: { tp: "8", pp: "2" } });
    expect(answer).toMatchObject({ shapeId, layoutId: layoutId(four), tp: 8, pp: 2, ep: 1, kv: { bytesPerToken: 262_144, bytesPerTokenPerRank: 16_384 }, weights: { bytes: 65_524_246_528, stages: [{ layers: 32 }, { layers: 32 }] } });
    expect(answer.tensors.find(({ path }) => path === "model.layers.*.self_attn.o_proj.weight")).toMatchObject({ from: "layout", rule: "row", dim: 1 });
    const plain = await tenant.get("shapeMemory", { params: { id: shapeId }, query: { tp: "8", layout: layoutId(singleRank()), kvDtypeBytes: "1" } });
    expect(plain).toMatchObject({ layoutId: layoutId(singleRank()), inferred: 9, kv: { elementBytes: 1, bytesPerToken: 131_072 } });
    expect(await tenant.get("shapeMemory", { params: { id: shapeId } })).toMatchObject({ tp: 1, weights: { bytesPerRank: 65_524_246_528 } });
    expect((await tenant.refused("parameter_invalid", "shapeMemory", { params: { id: shapeId }, query: { pp: "65" } })).detail).toContain("64 layers");
    for (const query of [{ tp: "0" }, { tp: "4097" }, { ep: "x" }, { kvDtypeBytes: "9" }]) await tenant.refused("parameter_invalid", "shapeMemory", { params: { id: shapeId }, query });
  });

  test("text: a table for people", async () => {
    const text = await tenant.raw("GET", `/t/qwen/api/shapes/${shapeId}?format=text`);
    expect([text.status, text.headers.get("content-type"), text.headers.get("cache-control")]).toEqual([200, "text/plain; charset=utf-8", "no-store"]);
    expect(text.text).toMatch(/^Qwen\/Qwen3-32B\n32,762,123,264 parameters · 65\.5 GB of weights · 967 modules\n/);
    expect(text.text).toMatch(/^ {6}0 … 63: Qwen3DecoderLayer ×64 +487,598,336 +975\.2 MB$/m);
    await tenant.refused("parameter_invalid", "shape", { params: { id: shapeId }, query: { format: "xml" } });
  });

  test("comparison with a quantised copy, and of two layouts", async () => {
    const body = qwen3();
    const quantised: ShapeBody = { ...body, modules: body.modules.map((module) => ({ ...module, tensors: module.tensors.map((tensor) => (tensor.dims.join() === "5120,25600" ? { ...tensor, dtype: "int32", dims: [5_120, 3_200], packedBits: 4, logicalNumel: 5_120 * 25_600 } : tensor)) })) };
    const other = canonicalShape(quantised).shapeId;
    const otherKey = randomId(32);
    await rig.send(tenant, ["shapes", laidOut(quantised, otherKey, four)], ["sightings", seenOn(otherKey, { nameOrPath: "Qwen/Qwen3-32B-AWQ", processKey: 9n })]);
    const answer = await tenant.get("shapeCompare", { query: { a: shapeId, b: other } });
    expect(answer).toMatchObject({
      same: false, total: 1, a: { shapeId, layoutId: null, weightBytes: 65_524_246_528 }, b: { shapeId: other, parameters: 32_762_123_264, weightBytes: 65_524_246_528 - 64 * (2 * 5_120 * 25_600 - 4 * 5_120 * 3_200) },
      changes: [{ kind: "tensor_changed", path: "model.layers.*.mlp.down_proj.weight", copies: 64, of: 64, fields: ["dtype", "dims", "packing"] }],
    });
    expect(await tenant.get("shapeCompare", { query: { a: shapeId, b: shapeId } })).toMatchObject({ same: true, changes: [] });
    const layouts = await tenant.get("shapeCompare", { query: { a: shapeId, b: shapeId, layoutA: layoutId(singleRank()), layoutB: layoutId(four) } });
    expect(layouts.changes.map(({ kind, path, copies }) => `${kind} ${path} ${copies}`)).toEqual([
      "sizes_changed  1", "sharding_changed lm_head.weight 1", "sharding_changed model.layers.*.self_attn.o_proj.weight 64", "sharding_changed model.layers.*.self_attn.q_proj.weight 64",
    ]);
    await tenant.refused("parameter_invalid", "shapeCompare", { query: { a: shapeId, b: shapeId, layoutA: layoutId(four) } });
    await tenant.refused("parameter_invalid", "shapeCompare", { query: { a: shapeId } });
    expect(JSON.parse((await tenant.send("shapeCompare", { query: { a: shapeId, b: randomId(64) } })).text)).toMatchObject({ code: "shape_not_stored", status: 404 });
  });

  test("what is not stored yet says so, and when to ask again, on every route of a shape", async () => {
    for (const [name, query] of [["shape", {}], ["shapeModule", {}], ["shapeFind", { q: "x" }], ["shapeMemory", {}]] as const) {
      const early = await tenant.send(name, { params: { id: randomId(64) }, query });
      expect([early.status, JSON.parse(early.text).code, JSON.parse(early.text).title, early.headers.get("retry-after")], name).toEqual([404, "shape_not_stored", "Shape not stored yet", "5"]);
    }
  });
});

describe("lamella model", () => {
  type Outcome = { code: number; stdout: string; stderr: string };
  async function lamella(...args: string[]): Promise<Outcome> {
    try {
      const running = promisify(execFile)(process.execPath, [join(root, "cli/lamella.mjs"), ...args, "--data-dir", rig.dataDir], { maxBuffer: 64 * 1024 * 1024 });
      return { code: 0, ...(await running) };
    } catch (error) {
      const { code, stdout, stderr } = error as Outcome;
      return { code, stdout, stderr };
    }
  }
  beforeAll(async () => {
    const demo = rig.demo;
    await demo.get("flagSet", { params: { flag: "models" }, body: { on: true } });
    const [one, other] = [randomId(32), randomId(32)];
    const picture = (dtype: string, layers: string) => drawShape(`Net\n  layers ModuleList\n    ${layers} Layer\n      self_attn Attention\n        k_proj Linear weight:bfloat16[64,128]\n        v_proj Linear weight:bfloat16[64,128]\n        k_norm Norm weight:bfloat16[16]\n      up_proj Linear weight:${dtype}[256,128]`);
    await rig.send(demo, ["shapes", shapeUpload(picture("bfloat16", "0..7"), one)], ["shapes", shapeUpload(picture("int8", "0..5"), other)],
      ["sightings", sightingsUpload({ modelKey: one, nameOrPath: "org/net", processKey: 1n }, { modelKey: other, nameOrPath: "org/net-int8", processKey: 2n })]);
  });

  test("--compare says what changed, as text and as JSON", async () => {
    const { stdout } = await lamella("model", "org/net", "--compare", "org/net-int8");
    expect(stdout).toMatch(/^- org\/net {2}Net {2}393,344 parameters · 786\.7 kB · 50 modules · bfloat16\n\+ org\/net-int8 {2}Net /);
    expect(stdout).toContain("~ layers: 8 → 6 (2 × Layer fewer)\n~ layers.*.up_proj.weight: bfloat16 → int8 (×6 of 8)\n");
    expect(JSON.parse((await lamella("model", "org/net", "--compare", "org/net-int8", "--json")).stdout)).toMatchObject({ total: 2, same: false });
  });

  test("--memory", async () => {
    const { stdout } = await lamella("model", "org/net", "--memory", "--tp", "2", "--pp", "2");
    expect(stdout).toContain("org/net\nTP 2 · PP 2: ");
    expect(stdout).toContain("KV cache: 2,048 bytes per token (512 on a rank) at 2 bytes an element");
    expect(JSON.parse((await lamella("model", "org/net", "--memory", "--kv-bytes", "1", "--json")).stdout)).toMatchObject({ kv: { bytesPerToken: 1_024 } });
  });

  test("--find, --module, --tensors", async () => {
    expect((await lamella("model", "org/net", "--find", "k_proj")).stdout).toMatch(/^8 of 50 modules match\n[\s\S]*layers\.0\.self_attn\.k_proj … layers\.7\.self_attn\.k_proj +Linear +×8\n/);
    const detail = (await lamella("model", "org/net", "--module", "layers.3")).stdout;
    expect(detail).toContain("layers.3  Layer  (Other)");
    expect(detail).toContain("×8, 0 to 7: layers.0 … layers.7");
    expect((await lamella("model", "org/net", "--tensors")).stdout).toMatch(/weight +\[256, 128\] +bfloat16 +32,768 +65\.5 kB/);
  });

  test("errors name what is wrong", async () => {
    const refused = async (...args: string[]) => (await lamella("model", "org/net", ...args)).stderr;
    expect(await refused("--module", "layers.9")).toContain('The nearest that exists is "layers"');
    expect(await refused("--find", "/(/")).toContain("missing )");
    expect(await refused("--compare", "nobody/knows")).toContain('No model "nobody/knows" was seen');
    expect(await refused("--tp", "8")).toContain("belong to --memory");
    expect(await refused("--memory", "--find", "x")).toContain("cannot be used with");
    expect(await refused("--memory", "--layout", "ffffff")).toMatch(/No layout of org\/net begin with ffffff; it has [0-9a-f]{12} \(TP 1/);
  });

  test("models --sort", async () => {
    const names = async (sort: string) => (await lamella("models", `--sort=${sort}`)).stdout.split("\n").slice(1).map((line) => line.split(/ +/)[1]);
    expect((await names("parameters")).filter(Boolean)).toEqual(["org/net-int8", "org/net"]);
    expect((await names("-parameters")).filter(Boolean)).toEqual(["org/net", "org/net-int8"]);
  });
});
