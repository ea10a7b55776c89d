// Any process dies at the worst moment and the same folder is started again: what was answered with 202 is stored, exactly once.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { faultAt, type Script } from "#test/rig/clickhouse-front.ts";
import { expectInvariants, expectTotals } from "#test/rig/invariants.ts";
import { StackRig } from "#test/rig/stack.ts";
import { until } from "#test/rig/until.ts";
import { drawShape } from "#test/core/shape/draw-shape.ts";
import { oneSample, randomId, samplesUpload, seededProfile, shapeUpload, sightingsUpload, valueOf } from "#test/rig/uploads.ts";

let rig: StackRig;
beforeAll(async () => {
  rig = await StackRig.open();
});
afterAll(() => rig.remove());
beforeEach(() => rig.front.play(() => "pass"));
afterEach(() => expectInvariants(rig));

const anInsertIsHeld = () => until("inserts held by the front", () => rig.front.held, (held) => held === 1);

async function killWorkerAndStart(): Promise<void> {
  await rig.killWorker();
  rig.front.play(() => "pass");
  await rig.start();
  await rig.settled();
}

describe("workerd is killed while it stores samples", () => {
  const moments: [string, Script][] = [
    ["before the frames", faultAt("frames", "hold")],
    ["between the frames and the stacks", faultAt("stacks", "hold")],
    ["before the samples", faultAt("samples", "hold")],
    ["after the samples, before their answer", faultAt("samples", "hold_answer")],
    ["before the ledger row", faultAt("uploads", "hold")],
    ["after the ledger row, before the acknowledgement", faultAt("uploads", "hold_answer")],
  ];
  test.each(moments.map((moment, i) => [...moment, i] as const))("%s", async (_, script, i) => {
    const tenant = await rig.tenant(`samples-${i}`);
    const profile = seededProfile(100 + i);
    const exact = { uploads: 1, samples: profile.stacks.length, value: valueOf(profile) };
    rig.front.play(script);
    await tenant.upload("samples", samplesUpload(profile, { hostName: "node-7" }));
    await anInsertIsHeld();
    await killWorkerAndStart();
    await expectTotals(rig, tenant, exact);
    expect((await tenant.get("flamegraph")).samples).toBe(exact.samples);
    // What the dead Worker had sent arrives after all: the network may be slower than a restart.
    await rig.front.release();
    await expectTotals(rig, tenant, exact);
  });
});

describe("workerd is killed while it stores a model", () => {
  test.each([["shapes", "hold"], ["model_shapes", "hold"], ["uploads", "hold"], ["uploads", "hold_answer"]] as const)("at its insert into %s (%s)", async (table, fault) => {
    const tenant = await rig.tenant(`shape-${table}-${fault}`.replaceAll("_", "-"));
    const shape = drawShape("Net\n  fc Linear weight:float32[8,4]");
    rig.front.play(faultAt(table, fault));
    await tenant.upload("shapes", shapeUpload(shape, randomId(32)));
    await anInsertIsHeld();
    await killWorkerAndStart();
    await rig.front.release();
    const counts = await rig.rows(
      "SELECT (SELECT count() FROM shapes FINAL WHERE tenant_id = {tenant:String}) AS shapes, (SELECT count() FROM model_shapes FINAL WHERE tenant_id = {tenant:String}) AS models, (SELECT count() FROM uploads WHERE tenant_id = {tenant:String}) AS ledger",
      { tenant: tenant.tenantId },
    );
    expect(counts).toEqual([{ shapes: "1", models: "1", ledger: "1" }]);
  });
});

test("ClickHouse is killed in the middle of storing 40 acknowledged uploads: exact totals", async () => {
  const tenant = await rig.tenant("store-killed");
  const values = Array.from({ length: 40 }, (_, i) => i + 1);
  await Promise.all(values.map((value) => tenant.upload("samples", samplesUpload(oneSample(value), { hostName: "node-7" }))));
  await tenant.upload("sightings", sightingsUpload({ modelKey: randomId(32), nameOrPath: "org/net" }));
  await until("ledger rows on their way", () => rig.front.inserts.filter((table) => table === "uploads").length, (found) => found >= 10);
  await rig.killStore();
  await tenant.refused("store_unavailable", "status");
  await rig.stop();
  await rig.start();
  await rig.settled();
  await expectTotals(rig, tenant, { uploads: 41, samples: 40, value: BigInt((40 * 41) / 2) });
  expect(await tenant.get("models").catch(() => null), "models are off for a new tenant").toBeNull();
});
