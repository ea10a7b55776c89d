// Histories of three tenants who send the same bodies, ids, hosts and names, in any order: every read of each is what its own uploads alone would give.
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { canonicalShape } from "#core/shape/canonical.ts";
import { foldStacks } from "#core/flamegraph/tree.ts";
import type { StackProfile } from "#core/flamegraph/stacks.ts";
import { encodeUtf8 } from "#core/utf8.ts";
import { bodyKey, uploadIdOf } from "#workers/ingest/upload-id.ts";
import { uploadKinds, type UploadKind } from "#schema/upload-message.ts";
import { drawShape } from "#test/core/shape/draw-shape.ts";
import type { Client } from "#test/rig/client.ts";
import { drawRecord } from "#test/rig/draw-record.ts";
import { expectInvariants } from "#test/rig/invariants.ts";
import { StackRig } from "#test/rig/stack.ts";
import { columnsText, treeText } from "#test/rig/stacks.ts";
import { executionUpload, metricsUpload, randomId, samplesUpload, seededProfile, shapeUpload, sightingsUpload, valueOf, workloadUpload } from "#test/rig/uploads.ts";

let rig: StackRig;
beforeAll(async () => {
  rig = await StackRig.open();
});
afterAll(() => rig.remove());

// What can be sent: each thing is one or two bodies, the same bytes whoever sends them.
type Thing = { readonly uploads: readonly [UploadKind, Uint8Array][] };
type Live = Thing & { readonly profile: StackProfile; readonly exe: string };
type Execution = Thing & { readonly id: string; readonly profile: StackProfile };
type Model = Thing & { readonly name: string; readonly shapeId: string };
type Workload = Thing & { readonly id: string };

function pool(seed: number) {
  const key = randomId(32);
  const live = [0, 1, 2].map((i): Live => {
    const profile = seededProfile(seed + i);
    return { profile, exe: `exe-${i}`, uploads: [["samples", samplesUpload(profile, { hostName: "shared", exeName: `exe-${i}`, tags: ["team:shared", `only:${i}`] })]] };
  });
  const executions = [0, 1].map((i): Execution => {
    const [id, profile] = [randomId(64), seededProfile(seed + 10 + i)];
    const value = valueOf(profile);
    const summary = executionUpload(id, 1, value, { modelName: "org/net", digest: encodeUtf8(JSON.stringify(drawRecord(`.  Net 1 ${value} 1`))) });
    return { id, profile, uploads: [["samples", samplesUpload(profile, { executionId: id, part: 1, parts: 1, hostName: "shared" })], ["executions", summary]] };
  });
  // Two structures under one model key: who sent only one of them sees only that one.
  const models = [0, 1].map((i): Model => {
    const shape = drawShape(`Net\n  fc Linear weight:float32[4,${4 + i}]`);
    return { name: "org/twin", shapeId: canonicalShape(shape).shapeId, uploads: [["shapes", shapeUpload(shape, key)], ["sightings", sightingsUpload({ modelKey: key, nameOrPath: "org/twin", hostName: "shared", processKey: BigInt(i + 1) })]] };
  });
  const workloads = [0, 1].map((): Workload => {
    const id = randomId(64);
    return { id, uploads: [["workloads", workloadUpload(4, { workloadId: id, name: "shared" })]] };
  });
  const metrics: Thing[] = [{ uploads: [["metrics", metricsUpload(5)]] }];
  return { live, executions, models, workloads, metrics };
}
type Pool = ReturnType<typeof pool>;
type Sent = { readonly [K in keyof Pool]: Set<Pool[K][number]> };

const nothing = (): Sent => ({ live: new Set(), executions: new Set(), models: new Set(), workloads: new Set(), metrics: new Set() });
const things = ({ live, executions, models, workloads, metrics }: Sent): Thing[] => [...live, ...executions, ...models, ...workloads, ...metrics];

// Of the stacks with such a frame: how many samples; every stack is one.
function holders(profiles: readonly StackProfile[], value: (frame: StackProfile["frames"][number]) => string): string[] {
  const counts = new Map<string, number>();
  for (const { frames, stacks } of profiles) {
    for (const stack of stacks) for (const one of new Set(stack.frames.map((at) => value(frames[at]!)))) if (one !== "") counts.set(one, (counts.get(one) ?? 0) + 1);
  }
  return [...counts].sort(([left, n], [right, m]) => m - n || (left < right ? -1 : 1)).map(([one, count]) => `${one} ${count}`);
}

async function expectOwn(tenant: Client, sent: Sent, all: Pool): Promise<void> {
  const [live, executions, models, workloads] = [[...sent.live], [...sent.executions], [...sent.models], [...sent.workloads]];
  const profiles = [...live, ...executions].map(({ profile }) => profile);
  const samples = profiles.reduce((sum, { stacks }) => sum + stacks.length, 0);
  const uploads = new Set(things(sent).flatMap((thing) => thing.uploads.map(([, body]) => body))).size;
  expect(await tenant.get("status")).toMatchObject({ samples, executions: executions.length, models: models.length > 0 ? 1 : 0, uploads: { stored: uploads, quarantined: 0 } });

  for (const { profile, exe } of all.live) {
    const own = live.some((one) => one.exe === exe);
    const shown = await tenant.get("flamegraph", { query: { filter: `process.executable.name == "${exe}"`, execution: "live" } });
    expect(columnsText(shown)).toBe(own ? treeText(foldStacks(profile), profile.frames) : "all 0/0 ×0");
  }
  for (const { id, profile } of all.executions) {
    const own = executions.some((one) => one.id === id);
    for (const [name, input] of [["execution", { params: { id } }], ["flamegraph", { query: { execution: id } }], ["executionRecord", { params: { id } }]] as const) expect((await tenant.send(name, input)).status, name).toBe(own ? 200 : 404);
    if (own) expect(columnsText(await tenant.get("flamegraph", { query: { execution: id } }))).toBe(treeText(foldStacks(profile), profile.frames));
  }
  const ids = (list: readonly { readonly id: string }[]) => list.map(({ id }) => id).sort();
  expect(ids((await tenant.get("executions")).executions)).toEqual(ids(executions));
  expect(ids((await tenant.get("workloads")).workloads)).toEqual(ids(workloads));
  for (const { id } of all.workloads) expect((await tenant.send("workload", { params: { id } })).status).toBe(workloads.some((one) => one.id === id) ? 200 : 404);
  for (const { shapeId } of all.models) expect((await tenant.send("shape", { params: { id: shapeId } })).status).toBe(models.some((one) => one.shapeId === shapeId) ? 200 : 404);
  expect((await tenant.get("models")).models.reduce((sum, { processes }) => sum + processes, 0)).toBe(models.length);
  expect((await tenant.get("metrics")).metrics.map(({ metric }) => metric)).toEqual(sent.metrics.size > 0 ? ["kv_cache_usage_ratio"] : []);

  // What completion counts and offers.
  const offered = async (text: string, page = "flamegraph") => (await tenant.get("filterComplete", { query: { text, page } })).options.filter(({ count }) => count !== 0).map(({ value, count }) => `${value} ${count}`);
  const labelled = (label: (one: Live | Execution) => readonly string[]) => holders([...live, ...executions].flatMap((one) => one.profile.stacks.map((): StackProfile => ({ profileType: "cuda", frames: label(one).map((name) => ({ name }) as never), stacks: [{ frames: label(one).map((_, at) => at), value: 1n, count: 1n }] }))), ({ name }) => name);
  expect(await offered("host.name == ")).toEqual(labelled(() => ["shared"]));
  expect(await offered("process.executable.name == ")).toEqual(labelled((one) => ("exe" in one ? [one.exe] : [])));
  expect(await offered("user.tag == ")).toEqual(labelled((one) => ("exe" in one ? ["team:shared", `only:${one.exe.slice(-1)}`] : [])));
  expect(await offered("kernel.name == ")).toEqual(holders(profiles, ({ kind, name }) => (kind === "gpu_kernel" ? name : "")));
  expect(await offered("module.path == ")).toEqual(holders(profiles, ({ kind, modulePath }) => (kind === "layer" ? modulePath : "")));
  expect(await offered("profile.frame.type == ")).toEqual(expect.arrayContaining(holders(profiles, ({ kind }) => kind)));
  expect(await offered("host.name == ", "models")).toEqual(models.length > 0 ? [`shared ${models.length}`] : []);
  expect((await tenant.get("fieldValues", { query: { field: "host.name" } })).values).toEqual(samples > 0 ? [{ value: "shared", samples }] : []);
}

test.each([51, 52])("each reads its own and nothing else, in the middle of the history and at its end (seed %i)", async (seed) => {
  const all = pool(seed * 100);
  const tenants = await Promise.all([1, 2, 3].map((number) => rig.tenantWithModels(`history-${seed}-${number}`)));
  const sent = tenants.map(nothing);
  const kinds = ["live", "executions", "models", "workloads", "metrics"] as const;
  const [history] = fc.sample(fc.array(fc.record({ who: fc.nat(2), kind: fc.constantFrom(...kinds), which: fc.nat(5), again: fc.boolean() }), { minLength: 24, maxLength: 24 }), { seed, numRuns: 1 });
  for (const [step, { who, kind, which, again }] of history!.entries()) {
    const thing = all[kind][which % all[kind].length]!;
    for (const [what, body] of thing.uploads) for (let times = again ? 2 : 1; times > 0; times--) await tenants[who]!.upload(what, body);
    (sent[who]![kind] as Set<Thing>).add(thing);
    if (step === 11) {
      await rig.settled();
      await expectOwn(tenants[0]!, sent[0]!, all);
    }
  }
  await rig.settled();
  for (const [who, tenant] of tenants.entries()) await expectOwn(tenant, sent[who]!, all);
  await expectInvariants(rig);
});

test("no two tenants, kinds or bodies share an upload's id or the place of its body, and one tenant's places are no prefix of another's", async () => {
  const tenants = ["aaaaaaaaaaaaaaaa", "aaaaaaaaaaaaaaab", "bbbbbbbbbbbbbbbb"];
  const [keys, ids] = [new Set<string>(), new Set<string>()];
  const bodies = [new Uint8Array(), new Uint8Array([1]), encodeUtf8("aaaaaaaaaaaaaaab")];
  for (const tenant of tenants) for (const kind of uploadKinds) for (const body of bodies) {
    const id = await uploadIdOf(tenant, kind, body);
    ids.add(id);
    keys.add(bodyKey(tenant, kind, id));
    expect(bodyKey(tenant, kind, id).startsWith(`ingest/${tenant}/`)).toBe(true);
  }
  expect([ids.size, keys.size]).toEqual([54, 54]);
});
