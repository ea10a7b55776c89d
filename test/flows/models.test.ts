// Shapes and sightings in, the Models page's rows and module trees out.
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import type { ShapeBody } from "#schema/api/models.ts";
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
