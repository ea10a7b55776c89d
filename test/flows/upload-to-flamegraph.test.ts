// What goes in through the ingest URL comes out as exactly the tree of the reference fold, and counts once however often it is sent.
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { foldStacks } from "#core/flamegraph/tree.ts";
import type { StackProfile } from "#core/flamegraph/stacks.ts";
import { limits } from "#schema/limits.ts";
import { expectInvariants, expectTotals } from "#test/rig/invariants.ts";
import { StackRig } from "#test/rig/stack.ts";
import { columnsText, drawProfile, treeText } from "#test/rig/stacks.ts";
import { encodeSamples, gzip, nowS, samplesMessage, samplesUpload, seededProfile, valueOf } from "#test/rig/uploads.ts";

let rig: StackRig;
beforeAll(async () => {
  rig = await StackRig.open();
});
afterAll(() => rig.remove());
afterEach(async () => {
  await expectInvariants(rig);
  expect(rig.log.splice(0), "what the Worker warned of").toEqual([]);
});

const modelKey = "0123456789abcdef0123456789abcdef";

// A drawn profile whose layers say which class and which model they are of.
function drawModel(drawing: string): StackProfile {
  const profile = drawProfile(drawing);
  return { ...profile, frames: profile.frames.map((one) => (one.kind === "layer" ? { ...one, moduleClass: one.name.split(" ")[0]!, modelKey } : { ...one, file: "serve.py", line: 7 })) };
}

const served = drawModel(`
  main                                   main                                   main             main
  forward                                forward                                forward          idle
  Net@net:layer                          Net@net:layer                          Net@net:layer    5/1
  Layer layers.0@net.layers.0:layer      Layer layers.1@net.layers.1:layer      add:gpu_kernel
  aten::mm:op                            aten::mm:op                            30/3
  gemm:gpu_kernel                        gemm:gpu_kernel
  100/10                                 60/6
`);

describe("a drawn profile", () => {
  test("comes back as the tree of the reference fold, with layers and without", async () => {
    const demo = await rig.tenant("drawn");
    await demo.upload("samples", samplesUpload(served, { hostName: "node-7", exeName: "python3.11", k8sNamespace: "inference", tags: ["team:infra"] }));
    await rig.settled();
    const shown = await demo.get("flamegraph");
    expect(columnsText(shown)).toBe(treeText(foldStacks(served), served.frames));
    expect(shown).toMatchObject({ profileType: "cuda", unit: "ns", total: 195, withoutLayer: 5, samples: 4, execution: null, executionReason: null, truncated: { nodes: 0, total: 0 }, simulated: false });
    const hidden = await demo.get("flamegraph", { query: { layers: "hide" } });
    expect(columnsText(hidden)).toBe(treeText(foldStacks(served, new Set(["layer"])), served.frames));
    expect(hidden.frames.kind).not.toContain("layer");
    expect(hidden.total).toBe(195);
    const kernelsOnly = await demo.get("flamegraph", { query: { hide: "python,op,layer" } });
    expect(columnsText(kernelsOnly)).toBe(treeText(foldStacks(served, new Set(["python", "op", "layer"])), served.frames));
    const layer = shown.frames.name.indexOf("Layer layers.1");
    expect(Object.values(shown.frames).map((column) => column[layer])).toEqual([expect.stringMatching(/^[0-9a-f]{1,15}6$/), "layer", "Layer layers.1", "", 0, "", "net.layers.1", "Layer", modelKey]);
    await expectTotals(rig, demo, { uploads: 1, samples: 4, value: 195n });
  });

  test("is cut by nodes without losing value", async () => {
    const demo = await rig.tenant("drawn");
    const cut = await demo.get("flamegraph", { query: { max_nodes: "3" } });
    expect(cut.total).toBe(195);
    expect(cut.nodes.total[0]).toBe(195);
    expect(cut.nodes.self.reduce((sum, self) => sum + self, 0)).toBe(195);
    expect(cut.truncated.nodes).toBe(11 - 3);
  });

  test("is found by filters, field values and status", async () => {
    const demo = await rig.tenant("drawn");
    await demo.upload("samples", samplesUpload(drawProfile("other\n7"), { hostName: "node-8", atS: nowS() - 20 }));
    await rig.settled();
    const total = async (filter: string) => (await demo.get("flamegraph", { query: { filter } })).total;
    expect([await total('host.name == "node-7"'), await total('host.name == "node-8"'), await total('module.path == "net.layers.1"'), await total('user.tag == "team:infra"')]).toEqual([195, 7, 60, 195]);
    expect(await demo.get("fieldValues", { query: { field: "host.name" } })).toEqual({ field: "host.name", values: [{ value: "node-7", samples: 4 }, { value: "node-8", samples: 1 }] });
    expect((await demo.get("fieldValues", { query: { field: "user.tag", prefix: "team" } })).values).toEqual([{ value: "team:infra", samples: 4 }]);
    const status = await demo.get("status");
    expect(status).toMatchObject({ samples: 5, executions: 0, models: 0, lastSampleByHost: [{ host: "node-7" }, { host: "node-8" }] });
    expect(Date.parse(status.ingestedThrough!)).toBeGreaterThan(Date.now() - 60_000);
  });
});

test.each([11, 12, 13])("a random profile (seed %i) in two uploads over three hours is the fold of both, over any range that holds them", async (seed) => {
  const tenant = await rig.tenant(`random-${seed}`);
  const [one, two] = [seededProfile(seed), seededProfile(seed + 1000)];
  await tenant.upload("samples", samplesUpload(one, { atS: nowS() - 5, spreadS: 3 * 3600, exeName: "a" }));
  await tenant.upload("samples", samplesUpload(two, { atS: nowS() - 5, spreadS: 3 * 3600, exeName: "b" }));
  await rig.settled();
  const both = { ...one, frames: [...one.frames, ...two.frames], stacks: [...one.stacks, ...two.stacks.map((stack) => ({ ...stack, frames: stack.frames.map((frame) => frame + one.frames.length) }))] };
  for (const from of ["-4h", "-1d", "-30d"]) {
    // Equal frames of both profiles are one frame of the store: the fold must see them as one too.
    expect(columnsText(await tenant.get("flamegraph", { query: { from } })), from).toBe(treeText(foldStacks(unified(both)), both.frames));
    expect(columnsText(await tenant.get("flamegraph", { query: { from, filter: 'process.executable.name == "b"' } })), from).toBe(treeText(foldStacks(two), two.frames));
  }
  await expectTotals(rig, tenant, { uploads: 2, samples: both.stacks.length, value: valueOf(one, two) });
});

function unified(profile: StackProfile): StackProfile {
  const first = new Map<string, number>();
  const number = profile.frames.map((frame, i) => {
    const identity = JSON.stringify(frame);
    if (!first.has(identity)) first.set(identity, i);
    return first.get(identity)!;
  });
  return { ...profile, stacks: profile.stacks.map((stack) => ({ ...stack, frames: stack.frames.map((frame) => number[frame]!) })) };
}

describe("the same upload again", () => {
  test("five times, compressed anew and not compressed: one id, one count", async () => {
    const tenant = await rig.tenant("again");
    const body = samplesUpload(served, { hostName: "node-7" });
    const ids: string[] = [];
    for (let time = 1; time <= 5; time++) ids.push(await tenant.upload("samples", body));
    // The bytes say what they are: a proxy may have lost or added the header.
    for (const [bytes, encoding] of [[gzip(body, 9), "gzip"], [gzip(body, 0), "gzip"], [gzip(body), null], [body, null], [body, "identity"], [body, "gzip"]] as const) {
      const answer = await tenant.post("samples", bytes, { encoding });
      expect(answer.status).toBe(202);
      ids.push((JSON.parse(answer.text) as { uploadId: string }).uploadId);
    }
    expect(new Set(ids).size).toBe(1);
    await rig.settled();
    await expectTotals(rig, tenant, { uploads: 1, samples: 4, value: 195n });
    ids.push(await tenant.upload("samples", body));
    await rig.settled();
    await expectTotals(rig, tenant, { uploads: 1, samples: 4, value: 195n });
  });

  test("all at once: one count", async () => {
    const tenant = await rig.tenant("at-once");
    const body = samplesUpload(served, { hostName: "node-7" });
    await Promise.all(Array.from({ length: 20 }, () => tenant.upload("samples", body)));
    await rig.settled();
    await expectTotals(rig, tenant, { uploads: 1, samples: 4, value: 195n });
  });

  test("as many rows as one upload may have, over two days, the store's answer lost on the way: one count", async () => {
    const tenant = await rig.tenant("large");
    const rows = limits.samplesPerUploadMax;
    const message = samplesMessage(served, { hostName: "node-7" });
    const samples = { stack: column((i) => 1 + (i % 4)), context: column(() => 1), timeS: column((i) => BigInt(-2 * i)), value: column((i) => BigInt(i)), count: column(() => 1), step: column(() => 0) };
    const body = encodeSamples({ ...message, samples });
    const value = (BigInt(rows) * BigInt(rows - 1)) / 2n;
    rig.front.play(({ table, nth }) => (table === "samples" && nth === 1 ? "reset_after_commit" : "pass"));
    await tenant.upload("samples", body);
    await rig.settled();
    expect(rig.front.inserts.filter((table) => table === "samples")).toHaveLength(2);
    await expectTotals(rig, tenant, { uploads: 1, samples: rows, value });
    expect(rig.log.splice(0)).toEqual([expect.stringContaining("not stored yet, will be retried")]);

    function column<T>(of: (row: number) => T): T[] {
      return Array.from({ length: rows }, (_, row) => of(row));
    }
  });
});
