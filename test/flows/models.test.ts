// Shapes and sightings in, the Models page's rows and module trees out.
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { canonicalShape } from "#core/shape/canonical.ts";
import { mergeParts } from "#core/shape/merge.ts";
import type { ShapeBody } from "#schema/api/models.ts";
import type { Client } from "#test/rig/client.ts";
import { drawShape } from "#test/core/shape/draw-shape.ts";
import { expectInvariants } from "#test/rig/invariants.ts";
import { StackRig } from "#test/rig/stack.ts";
import { randomId, shapeUpload, sightingsUpload } from "#test/rig/uploads.ts";

let rig: StackRig;
beforeAll(async () => {
  rig = await StackRig.open();
});
afterAll(() => rig.remove());
afterEach(() => expectInvariants(rig));

const embedding = "embed Embedding weight:bfloat16[100,8]";
const layer = (name: string) => `    ${name} Layer\n      q Linear weight:bfloat16[8,8]\n      norm Norm weight:bfloat16[8]`;
const net = drawShape(`NetForCausalLM
  model Net
    ${embedding}
    layers ModuleList
${layer("0..3").replaceAll(/^/gm, "  ")}
  lm_head Linear weight:bfloat16[100,8]`, { "lm_head.weight": "model.embed.weight" }, "NetForCausalLM");
// The embedding once (tied), four layers of 64 + 8, all in bfloat16.
const parameters = 100 * 8 + 4 * (64 + 8);

test("a sighting before its shape shows the model by name; the shape completes the row", async () => {
  const tenant = await rig.tenantWithModels("sighting-first");
  const key = randomId(32);
  await rig.send(tenant, ["sightings", sightingsUpload({ modelKey: key, nameOrPath: "org/net", architecture: "NetForCausalLM", rootClass: "NetForCausalLM", tpSize: 1, ppSize: 1 })]);
  const [before] = (await tenant.get("models")).models;
  expect(before).toMatchObject({ id: key, shapeId: null, parameters: null, modules: null, weightBytes: null, name: "org/net", modelKeys: [key], hosts: 1, machines: 1, processes: 1, sources: ["live"], parallelism: [], missingStages: [] });
  expect((await tenant.get("model", { params: { id: key } })).model).toEqual(before);
  const early = await tenant.send("shape", { params: { id: randomId(64) } });
  expect([early.status, JSON.parse(early.text).code, early.headers.get("retry-after")]).toEqual([404, "shape_not_stored", "5"]);

  await rig.send(tenant, ["shapes", shapeUpload(net, key)]);
  const [after] = (await tenant.get("models")).models;
  expect(after).toMatchObject({ id: after!.shapeId, parameters, weightBytes: 2 * parameters, name: "org/net", modelKeys: [key], hosts: 1, processes: 1 });
  for (const id of [key, after!.shapeId!]) expect((await tenant.get("model", { params: { id } })).model).toEqual(after);
  const shape = await tenant.send("shape", { params: { id: after!.shapeId! } });
  expect(shape.headers.get("cache-control")).toBe("private, max-age=31536000, immutable");
  expect(pathsOf((JSON.parse(shape.text) as { shape: ShapeBody }).shape)).toEqual(pathsOf(net));
});

// Every module of the unfolded tree with its class and its tensors' names, one line each.
function pathsOf(body: ShapeBody, row = body.root, path = ""): string[] {
  const { className, tensors, children } = body.modules[row]!;
  return [`${path} ${className} ${tensors.map(({ name, dims }) => `${name}[${dims}]`)}`, ...children.flatMap(({ name, module }) => pathsOf(body, module, `${path}.${name}`))];
}

test("many processes on several hosts, restarted and sent twice, are one row with exact counts", async () => {
  const tenant = await rig.tenantWithModels("many-processes");
  const key = randomId(32);
  const seen = (hostName: string, processKey: bigint) => ({ modelKey: key, nameOrPath: "org/net", hostName, machineId: `machine of ${hostName}`, processKey });
  const first = sightingsUpload(seen("a", 1n), seen("a", 2n), seen("b", 3n));
  await rig.send(tenant, ["shapes", shapeUpload(net, key)], ["sightings", first], ["sightings", first], ["sightings", sightingsUpload(seen("b", 3n), seen("c", 4n))], ["shapes", shapeUpload(net, key)]);
  expect((await tenant.get("models")).models).toMatchObject([{ name: "org/net", hosts: 3, machines: 3, processes: 4, parameters }]);
  expect((await tenant.get("models", { query: { filter: 'host.name == "a"' } })).models).toMatchObject([{ hosts: 1, processes: 2 }]);
  expect((await tenant.get("models", { query: { filter: 'host.name == "z"' } })).models).toEqual([]);
  expect((await tenant.get("status")).models).toBe(1);
});

test("two model keys of one structure are one row; another structure is another row", async () => {
  const tenant = await rig.tenantWithModels("one-structure");
  const [one, two, other] = [randomId(32), randomId(32), randomId(32)];
  const wider = drawShape(`NetForCausalLM\n  ${embedding}`);
  await rig.send(tenant,
    ["shapes", shapeUpload(net, one)], ["shapes", shapeUpload(net, two)], ["shapes", shapeUpload(wider, other)],
    ["sightings", sightingsUpload({ modelKey: one, nameOrPath: "org/net", processKey: 1n }, { modelKey: two, nameOrPath: "org/net", processKey: 2n }, { modelKey: other, nameOrPath: "org/other", processKey: 3n })]);
  const { models } = await tenant.get("models");
  expect(models.map((row) => [row.name, [...row.modelKeys].sort(), row.processes]).sort()).toEqual([["org/net", [one, two].sort(), 2], ["org/other", [other], 1]]);
  // Page by page, every row once.
  const page = await tenant.get("models", { query: { limit: "1" } });
  const next = await tenant.get("models", { query: { limit: "1", cursor: page.next! } });
  expect([...page.models, ...next.models].map(({ id }) => id).sort()).toEqual(models.map(({ id }) => id).sort());
  expect(next.next).toBeNull();
});

test("two pipeline stages are one row: incomplete with the missing stage named, then whole, in either order", async () => {
  const stages = [drawShape(`Net\n  ${embedding}\n  layers ModuleList\n    0 Layer\n      q Linear weight:bfloat16[8,8]`), drawShape("Net\n  layers ModuleList\n    1 Layer\n      q Linear weight:bfloat16[8,8]\n  norm Norm weight:bfloat16[8]")];
  for (const order of [[0, 1], [1, 0]]) {
    const tenant = await rig.tenantWithModels(`stages-${order.join("")}`);
    const key = randomId(32);
    const [firstStage, lastStage] = order as [number, number];
    const seen = (ppRank: number) => ({ modelKey: key, nameOrPath: "org/piped", ppRank, ppSize: 2, processKey: BigInt(ppRank + 1), tpSize: 1 });
    await rig.send(tenant, ["sightings", sightingsUpload(seen(0), seen(1))], ["shapes", shapeUpload(stages[firstStage]!, key, { rank: firstStage, of: 2 })]);
    expect((await tenant.get("models")).models).toMatchObject([{ id: key, shapeId: null, parameters: null, missingStages: [lastStage], parallelism: [{ tp: 1, pp: 2 }], processes: 2 }]);
    await rig.send(tenant, ["shapes", shapeUpload(stages[lastStage]!, key, { rank: lastStage, of: 2 })]);
    const { models } = await tenant.get("models");
    expect(models).toMatchObject([{ missingStages: [], parameters: 100 * 8 + 2 * 64 + 8, parallelism: [{ tp: 1, pp: 2 }], processes: 2 }]);
    const { shape } = await tenant.get("shape", { params: { id: models[0]!.shapeId! } });
    expect(pathsOf(shape).filter((line) => line.includes("Layer "))).toEqual([".layers.0 Layer ", ".layers.1 Layer "]);
  }
});

// A pipeline of two stages that was started with one model (a), then, after a change under the same key, with another (b).
describe("a pipeline restarted with a changed model", () => {
  const stage = (rank: number, size: number) => drawShape(rank === 0 ? `Net\n  ${embedding}\n  layers ModuleList\n    0 Layer\n      q Linear weight:bfloat16[8,${size}]` : `Net\n  layers ModuleList\n    1 Layer\n      q Linear weight:bfloat16[8,${size}]\n  norm Norm weight:bfloat16[8]`);
  const stages = { a0: stage(0, 8), a1: stage(1, 8), b0: stage(0, 16), b1: stage(1, 16) };
  type Name = keyof typeof stages;
  const parametersOf = (first: number, last: number) => 100 * 8 + 8 * first + 8 * last + 8;
  const start = (tenant: Client) => {
    const key = randomId(32);
    const part = (name: Name, run?: string): ["shapes", Uint8Array<ArrayBuffer>] => ["shapes", shapeUpload(stages[name], key, { rank: Number(name[1]), of: 2, ...(run && { run }) })];
    const seen = (name: Name, processKey: number, runId = "") => ({ modelKey: key, nameOrPath: "org/piped", ppRank: Number(name[1]), ppSize: 2, tpSize: 1, processKey: BigInt(processKey), partHash: canonicalShape(stages[name]).shapeId, runId });
    const rows = async () => (await tenant.get("models")).models.map(({ parameters, missingStages, processes }) => ({ parameters, missingStages, processes })).sort((one, other) => (one.parameters ?? 0) - (other.parameters ?? 0));
    // What old and new stages together would be.
    const mixed = async () => {
      const found = [];
      for (const names of [["b0", "a1"], ["a0", "b1"]] as [Name, Name][]) {
        const merged = mergeParts(names.map((name, ppRank) => ({ ppRank, ppSize: 2, body: stages[name] })));
        if (!merged.ok) throw new Error(merged.error.detail);
        found.push((await tenant.send("shape", { params: { id: canonicalShape(merged.value).shapeId } })).status);
      }
      return found;
    };
    return { key, part, seen, rows, mixed };
  };
  const [old, young] = [{ parameters: parametersOf(8, 8), missingStages: [], processes: 2 }, { parameters: parametersOf(16, 16), missingStages: [], processes: 2 }];

  test("until the last stage of the new run is there it is named, and nothing is merged with the old ones", async () => {
    const tenant = await rig.tenantWithModels("restart");
    const { key, part, seen, rows, mixed } = start(tenant);
    const [before, after] = [randomId(32), randomId(32)];
    await rig.send(tenant, part("a0", before), part("a1", before), ["sightings", sightingsUpload(seen("a0", 1, before), seen("a1", 2, before))]);
    expect(await rows()).toEqual([old]);
    await rig.send(tenant, part("b0", after), ["sightings", sightingsUpload(seen("b0", 3, after))]);
    expect(await rows()).toEqual([{ parameters: null, missingStages: [1], processes: 1 }, old]);
    expect(await tenant.get("model", { params: { id: key } })).toMatchObject({ model: { id: key, shapeId: null, missingStages: [1] }, problem: "stage 1 of 2 not stored yet" });
    await rig.send(tenant, part("a0", before), part("a1", before)); // brought twice
    expect(await rows()).toEqual([{ parameters: null, missingStages: [1], processes: 1 }, old]);
    await rig.send(tenant, part("b1", after), ["sightings", sightingsUpload(seen("b1", 4, after))]);
    expect(await rows()).toEqual([old, young]);
    expect(await mixed()).toEqual([404, 404]);
  });

  test("in whatever order stages of two runs arrive", async () => {
    for (const order of [["b1", "a0", "b0", "a1"], ["a0", "b1", "a1", "b0"], ["b0", "a0", "a0", "b1", "b0", "a1"]] as Name[][]) {
      const tenant = await rig.tenantWithModels(`order-${order.join("")}`);
      const { part, seen, rows, mixed } = start(tenant);
      const runs: Record<string, string> = { a: randomId(32), b: randomId(32) };
      const runOf = (name: Name) => runs[name[0]!]!;
      for (const name of order) await rig.send(tenant, part(name, runOf(name)));
      await rig.send(tenant, ["sightings", sightingsUpload(...(["a0", "a1", "b0", "b1"] as const).map((name, i) => seen(name, i + 1, runOf(name))))]);
      expect(await rows(), order.join()).toEqual([old, young]);
      expect(await mixed(), order.join()).toEqual([404, 404]);
    }
  });

  test("a stage that did not change belongs to each run's whole", async () => {
    const tenant = await rig.tenantWithModels("one-stage-changed");
    const { part, seen, rows } = start(tenant);
    const [before, after] = [randomId(32), randomId(32)];
    await rig.send(tenant, part("a0", before), part("a1", before), ["sightings", sightingsUpload(seen("a0", 1, before), seen("a1", 2, before))]);
    await rig.send(tenant, part("a1", after), ["sightings", sightingsUpload(seen("a1", 4, after))]);
    expect(await rows()).toEqual([{ parameters: null, missingStages: [0], processes: 1 }, old]);
    await rig.send(tenant, part("b0", after), ["sightings", sightingsUpload(seen("b0", 3, after))]);
    expect(await rows()).toEqual([old, { parameters: parametersOf(16, 8), missingStages: [], processes: 2 }]);
  });

  test("agents that name no run: stages are put together as they come, and never with those that name one", async () => {
    const tenant = await rig.tenantWithModels("no-run");
    const { part, seen, rows, mixed } = start(tenant);
    await rig.send(tenant, part("a0"), part("b1", randomId(32)));
    await rig.send(tenant, ["sightings", sightingsUpload(seen("a0", 1))]);
    expect(await rows()).toEqual([{ parameters: null, missingStages: [1], processes: 1 }]);
    expect(await mixed()).toEqual([404, 404]);
    await rig.send(tenant, part("a1"), ["sightings", sightingsUpload(seen("a1", 2))]);
    expect(await rows()).toEqual([old]);
  });

  test("a run that is no 32 hex digits is refused", async () => {
    const tenant = await rig.tenantWithModels("odd-run");
    const { part, seen } = start(tenant);
    expect((await tenant.refusedUpload("body_undecodable", ...part("a0", "job-7"))).detail).toContain('run_id must be 32 lower-case hex digits or empty, not "job-7"');
    expect((await tenant.refusedUpload("body_undecodable", "sightings", sightingsUpload(seen("a0", 1, "job-7")))).detail).toContain("sightings[0].run_id is not 32 hex digits, nor empty");
  });
});

test("a hash that is not the shape's own is refused, and nothing of it is stored", async () => {
  const tenant = await rig.tenantWithModels("wrong-hash");
  expect((await tenant.refusedUpload("body_undecodable", "shapes", shapeUpload(net, randomId(32), { rank: 0, of: 1 }, "ab".repeat(32)))).detail).toContain("part_hash");
  expect((await tenant.get("status")).uploads.stored).toBe(0);
});

test("a model that was not seen in the range is not found there", async () => {
  const tenant = await rig.tenantWithModels("range");
  const key = randomId(32);
  const at = BigInt(Math.floor(Date.now() / 1000) - 3 * 86_400);
  await rig.send(tenant, ["sightings", sightingsUpload({ modelKey: key, nameOrPath: "org/old", firstSeenS: at - 60n, lastSeenS: at })]);
  expect((await tenant.get("models", { query: { from: "-7d" } })).models).toMatchObject([{ name: "org/old" }]);
  expect(await tenant.get("models", { query: { from: "-1d" } })).toMatchObject({ models: [], ingestedThrough: expect.any(String) });
  await tenant.refused("model_not_found", "model", { params: { id: key }, query: { from: "-1d" } });
});
