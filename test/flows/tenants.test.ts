// Two tenants never meet: what is another tenant's cannot be told from what does not exist, on any route, and no list mixes.
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { foldStacks } from "#core/flamegraph/tree.ts";
import { rankedBy } from "#schema/ranked-by.ts";
import { ensureMember } from "#workers/control/tenants.ts";
import { type RouteName, routeNames, routes } from "#schema/api/routes.ts";
import type { Answer, Client, Input, Raw } from "#test/rig/client.ts";
import { expectInvariants, expectTotals } from "#test/rig/invariants.ts";
import { StackRig } from "#test/rig/stack.ts";
import { columnsText, treeText } from "#test/rig/stacks.ts";
import { everyRoute, furnish, type Things, unknownThings } from "#test/rig/tour.ts";
import { oneSample, samplesUpload, seededProfile, shapeUpload, sightingsUpload, valueOf } from "#test/rig/uploads.ts";
import { drawShape } from "#test/core/shape/draw-shape.ts";

let rig: StackRig;
let ada: Client; // has something of everything
let ben: Client; // has nothing, and asks
let things: Things;
beforeAll(async () => {
  rig = await StackRig.open();
  ada = await rig.tenant("ada");
  ben = await rig.tenant("ben");
  things = await furnish(rig, ada, "node-of-ada");
  await ben.get("flagSet", { params: { flag: "models" }, body: { on: true } });
});
afterAll(() => rig.remove());

// All of an answer that may not differ: everything but the request's own id and the clock.
function essence({ status, headers, text }: Raw): object {
  const body = JSON.parse(text) as { requestId?: string };
  expect(body.requestId).toBe(headers.get("x-request-id"));
  return { status, headers: [...headers].filter(([name]) => name !== "x-request-id" && name !== "date"), text: text.replace(body.requestId!, "") };
}

describe("another tenant's address is an address that does not exist", () => {
  test.each(routeNames)("%s", async (name) => {
    const call = everyRoute(things)[name];
    const theirs = await ben.at("ada").send(name, call);
    expect(theirs.status).toBe(404);
    expect(essence(theirs)).toEqual(essence(await ben.at("nobody").send(name, call)));
  });

  test("for the browser session of a person too", async () => {
    const signIn = await fetch(await rig.stack.signInUrl(), { redirect: "manual" });
    const person = rig.demo.as("");
    const cookie = { cookie: signIn.headers.get("set-cookie")!.split(";")[0]!, "x-lamella-csrf": "1" };
    expect((await person.send("me", {}, cookie)).status).toBe(200);
    for (const name of routeNames.filter((one) => routes[one].scope !== "ingest")) {
      const call = everyRoute(things)[name];
      const theirs = await person.at("ada").send(name, call, cookie);
      expect(theirs.status, name).toBe(404);
      expect(essence(theirs), name).toEqual(essence(await person.at("nobody").send(name, call, cookie)));
    }
  });
});

test("a person learns of the tenants they are a member of and of no other; a token of its own alone", async () => {
  const signIn = await fetch(await rig.stack.signInUrl(), { redirect: "manual" });
  const cookie = { cookie: signIn.headers.get("set-cookie")!.split(";")[0]! };
  const person = rig.demo.as("");
  const tenantsSeen = async (slug: string) => (JSON.parse((await person.at(slug).send("me", {}, cookie)).text) as Answer<"me">).tenants.map((one) => one.slug);
  const alone = await tenantsSeen("demo");
  expect(alone).toEqual(["demo"]);
  const zoo = await rig.tenant("zoo");
  await ensureMember(rig.stack.worker.control, zoo.tenantId, "you@localhost", "You", "viewer", Date.now());
  expect(await tenantsSeen("demo")).toEqual(expect.arrayContaining(["demo", "zoo"]));
  expect(await tenantsSeen("zoo")).toEqual(await tenantsSeen("demo"));
  expect(await tenantsSeen("zoo")).toHaveLength(2);
  expect((await zoo.get("me")).tenants).toEqual([{ slug: "zoo", name: "zoo" }]);
  expect((await ben.get("me")).tenants.map((one) => one.slug)).toEqual(["ben"]);
});

test("another tenant's thing at one's own address is a thing that does not exist", async () => {
  const calls = (of: Things): [RouteName, Input][] => [
    ["execution", { params: { id: of.executionId } }], ["flamegraph", { query: { execution: of.executionId } }], ["flamegraphTop", { query: { execution: of.executionId } }], ["frameModules", { query: { frame: of.frameId } }], ["shape", { params: { id: of.shapeId } }],
    ["shapeModule", { params: { id: of.shapeId } }], ["shapeFind", { params: { id: of.shapeId }, query: { q: "x" } }], ["shapeMemory", { params: { id: of.shapeId } }],
    ["shapeCompare", { query: { a: of.shapeId, b: of.shapeId } }], ["executionRecord", { params: { id: of.executionId } }],
    ["executionCompare", { params: { id: of.executionId }, query: { with: of.executionId } }], ["workload", { params: { id: of.workloadId } }], ["workloadRequests", { params: { id: of.workloadId } }],
    ["model", { params: { id: of.shapeId } }], ["model", { params: { id: of.modelKey } }], ["tokenRevoke", { params: { id: of.tokenId } }],
    ["quarantineReplay", { params: { uploadId: of.quarantinedId } }],
  ];
  const unknown = calls(unknownThings());
  for (const [i, [name, call]] of calls(things).entries()) {
    const theirs = await ben.send(name, call);
    expect(theirs.status, name).toBe(404);
    expect(essence(theirs), name).toEqual(essence(await ben.send(...unknown[i]!)));
  }
  // Ada finds every one of them, and what Ben tried changed nothing.
  for (const [name, call] of calls(things).slice(0, -2)) expect((await ada.send(name, call)).status, name).toBe(200);
  expect((await ada.get("tokens")).tokens.find(({ id }) => id === things.tokenId)).toMatchObject({ revokedAt: null });
  expect((await ada.get("quarantine")).uploads).toMatchObject([{ uploadId: things.quarantinedId, replayedAt: null }]);
  expect(await rig.pending()).toBe(0);
});

test("lists, counts and the flamegraph of one tenant show nothing of the other", async () => {
  expect(await ben.get("executions")).toMatchObject({ executions: [], ingestedThrough: null });
  expect(await ben.get("models", { query: { from: "-30d" } })).toMatchObject({ models: [], next: null });
  expect(await ben.get("metrics", { query: { from: "-30d" } })).toMatchObject({ metrics: [], ingestedThrough: null });
  expect((await ada.get("metrics")).metrics).toMatchObject([{ metric: "kv_cache_usage_ratio" }]);
  expect(await ben.get("flamegraph")).toMatchObject({ total: 0, samples: 0, execution: null, ingestedThrough: null });
  expect((await ben.send("flamegraph", { query: { execution: "latest" } })).status).toBe(404);
  for (const by of rankedBy) expect(await ben.get("flamegraphTop", { query: { by, from: "-30d" } })).toMatchObject({ total: 0, rows: [], unranked: [] });
  expect((await ben.get("flamegraphSearch", { query: { search: "gemm" } })).hits).toMatchObject({ total: 0, frames: 0 });
  expect((await ben.get("flamegraphTimeline")).points).toEqual({ t: [], value: [], count: [] });
  expect((await ben.get("moduleFrames", { query: { module_path: "*" } })).groups).toEqual([]);
  for (const field of ["host.name", "process.executable.name", "user.tag"]) expect((await ben.get("fieldValues", { query: { field, from: "-30d" } })).values).toEqual([]);
  expect(await ben.get("members")).toEqual({ members: [] });
  expect(await ben.get("quarantine")).toEqual({ uploads: [] });
  expect((await ben.get("tokens")).tokens.map(({ name }) => name)).toEqual([expect.stringContaining("ben")]);
  expect((await ben.get("audit")).events.every(({ actor }) => actor !== `token ${things.tokenId}`)).toBe(true);
  expect(await ben.get("status")).toMatchObject({ samples: 0, executions: 0, models: 0, uploads: { stored: 0, quarantined: 0, lastStoredAt: null }, lastSampleByHost: [], ingestedThrough: null });
  expect(await ada.get("status")).toMatchObject({ samples: 2, executions: 1, models: 1, uploads: { stored: 7, quarantined: 1 }, lastSampleByHost: [{ host: "node-of-ada" }] });
});

test("filters cannot reach across", async () => {
  for (const filter of ['host.name == "node-of-ada"', 'host.name != "x"', '!(host.name == "x")', `host.name == "' OR 1=1 --"`, 'host.name.matches(".*")', 'kernel.name == "gemm"', '"" == host.name || true']) {
    const answer = await ben.send("flamegraph", { query: { filter } });
    if (answer.status === 200) expect(JSON.parse(answer.text), filter).toMatchObject({ total: 0, samples: 0 });
    else expect(answer.status, filter).toBe(400);
  }
});

test("both send the same bytes and different ones: each has its own, whole", async () => {
  const [one, two] = [await rig.tenant("twin-one"), await rig.tenant("twin-two")];
  const [same, onlyOne] = [seededProfile(300), seededProfile(301)];
  const key = "ab".repeat(16);
  const shape = shapeUpload(drawShape("Twin\n  fc Linear weight:float32[4,4]"), key);
  const sighting = sightingsUpload({ modelKey: key, nameOrPath: "org/twin" });
  const ids = new Set<string>();
  for (const tenant of [one, two]) {
    ids.add(await tenant.upload("samples", samplesUpload(same, { hostName: "shared", atS: 1_000 * Math.floor(Date.now() / 1_000_000) })));
    ids.add(await tenant.upload("shapes", shape));
    ids.add(await tenant.upload("sightings", sighting));
    await tenant.get("flagSet", { params: { flag: "models" }, body: { on: true } });
  }
  await one.upload("samples", samplesUpload(onlyOne, { hostName: "one" }));
  await rig.settled();
  expect(ids.size).toBe(6);
  await expectTotals(rig, one, { uploads: 4, samples: same.stacks.length + onlyOne.stacks.length, value: valueOf(same, onlyOne) });
  await expectTotals(rig, two, { uploads: 3, samples: same.stacks.length, value: valueOf(same) });
  for (const tenant of [one, two]) expect((await tenant.get("models")).models).toMatchObject([{ name: "org/twin", parameters: 16, hosts: 1, processes: 1 }]);
  expect((await two.get("fieldValues", { query: { field: "host.name" } })).values.map(({ value }) => value)).toEqual(["shared"]);
});

test.each([41, 42])("a random history of three tenants with the same hosts, stacks and bodies (seed %i): each reads the fold of its own", async (seed) => {
  const tenants = await Promise.all([1, 2, 3].map((number) => rig.tenant(`history-${seed}-${number}`)));
  const pool = [0, 1, 2, 3].map((i) => seededProfile(seed * 10 + i));
  const bodies = pool.map((profile, i) => samplesUpload(profile, { hostName: "shared", exeName: `exe-${i}` }));
  const [history] = fc.sample(fc.array(fc.record({ tenant: fc.nat(2), body: fc.nat(3) }), { minLength: 12, maxLength: 12 }), { seed, numRuns: 1 });
  for (const { tenant, body } of history!) await tenants[tenant]!.upload("samples", bodies[body]!);
  await rig.settled();
  for (const [i, tenant] of tenants.entries()) {
    const own = [...new Set(history!.filter((one) => one.tenant === i).map(({ body }) => body))];
    const samples = own.reduce((sum, body) => sum + pool[body]!.stacks.length, 0);
    await expectTotals(rig, tenant, { uploads: own.length, samples, value: valueOf(...own.map((body) => pool[body]!)) });
    for (const body of pool.keys()) {
      const shown = await tenant.get("flamegraph", { query: { filter: `process.executable.name == "exe-${body}"` } });
      expect(columnsText(shown)).toBe(own.includes(body) ? treeText(foldStacks(pool[body]!), pool[body]!.frames) : "all 0/0 ×0");
    }
  }
});

test("a token of one tenant stays of that tenant whatever address it is used at", async () => {
  await ben.at("ada").post("samples", samplesUpload(oneSample(77)));
  await rig.settled();
  expect((await ada.get("status")).samples).toBe(2);
  expect((await ben.get("status")).samples).toBe(0);
  await expectInvariants(rig);
});
