// The store misbehaves in every way an HTTP server can: nothing acknowledged is lost, nothing counts twice, nothing lands in quarantine.
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { uploadKinds, type UploadKind } from "#schema/upload-message.ts";
import { drawShape } from "#test/core/shape/draw-shape.ts";
import type { Fault } from "#test/rig/clickhouse-front.ts";
import { expectInvariants, expectTotals } from "#test/rig/invariants.ts";
import { StackRig } from "#test/rig/stack.ts";
import { until } from "#test/rig/until.ts";
import { executionUpload, metricsUpload, oneSample, randomId, samplesUpload, seededProfile, shapeUpload, sightingsUpload, valueOf, workloadUpload } from "#test/rig/uploads.ts";

let rig: StackRig;
beforeAll(async () => {
  rig = await StackRig.open();
});
afterAll(() => rig.remove());
afterEach(async () => {
  rig.front.down = false;
  rig.front.play(() => "pass");
  await expectInvariants(rig);
});

const failures = () => rig.log.filter((line) => line.includes("not stored yet")).length;

// The queue waits five seconds and more before it tries again; a sweep tries at once. Later tries of the queue find the ledger row.
async function settledBySweeps(): Promise<void> {
  let seen = 0;
  await until("uploads that wait", async () => {
    if (failures() > seen) {
      seen = failures();
      await rig.stack.worker.sweep("start");
    }
    return rig.pending();
  }, (pending) => pending === 0);
}

describe("the first insert into every table fails", () => {
  test.each<Fault>(["reset_after_commit", "exception_in_200", 500, 503])("%s", async (fault) => {
    const tenant = await rig.tenant(`fault-${fault}`.replaceAll("_", "-"));
    const profile = seededProfile(200);
    rig.front.play(({ nth }) => (nth === 1 ? fault : "pass"));
    await tenant.upload("samples", samplesUpload(profile, { hostName: "node-7" }));
    await settledBySweeps();
    expect([...new Set(rig.front.inserts)].sort()).toEqual(["frames", "samples", "stacks", "uploads"]);
    expect(rig.front.inserts.filter((table) => table === "frames").length).toBeGreaterThanOrEqual(3); // every try begins at the front; a ledger row whose answer was lost ends it
    await expectTotals(rig, tenant, { uploads: 1, samples: profile.stacks.length, value: valueOf(profile) });
    expect((await tenant.get("quarantine")).uploads).toEqual([]);
  });
});

test("every kind of upload, sent twice, its first insert into each table cut off behind the commit: each row once", async () => {
  const tenant = await rig.tenant("every-kind");
  const [key, executionId] = [randomId(32), randomId(64)];
  rig.front.play(({ nth }) => (nth === 1 ? "reset_after_commit" : "pass"));
  const bodies: Record<UploadKind, Uint8Array> = {
    samples: samplesUpload(oneSample(8), { executionId, part: 1, parts: 1 }), executions: executionUpload(executionId, 1, 8n), shapes: shapeUpload(drawShape("Net\n  fc Linear weight:float32[8,4]"), key),
    sightings: sightingsUpload({ modelKey: key, nameOrPath: "org/net" }), workloads: workloadUpload(30), metrics: metricsUpload(40),
  };
  for (const kind of uploadKinds) for (let time = 1; time <= 2; time++) await tenant.upload(kind, bodies[kind]);
  await settledBySweeps();
  const rows = async (table: string) => Number((await rig.rows<{ rows: string }>(`SELECT count() AS rows FROM ${table} WHERE tenant_id = {tenant:String}`, { tenant: tenant.tenantId }))[0]!.rows);
  const found: Record<string, number> = {};
  for (const table of ["samples", "stacks", "executions", "shapes", "model_shapes", "sightings", "workload_requests", "engine_metrics", "uploads"]) found[table] = await rows(table);
  expect(found).toEqual({ samples: 1, stacks: 1, executions: 1, shapes: 1, model_shapes: 1, sightings: 1, workload_requests: 30, engine_metrics: 40, uploads: 6 });
  expect(await tenant.get("execution", { params: { id: executionId } })).toMatchObject({ complete: true, totalValue: 8 });
  expect((await tenant.get("quarantine")).uploads).toEqual([]);
});

test("the store is down for a while: uploads are taken, questions are told so, and then everything is there", async () => {
  const tenant = await rig.tenant("down");
  await tenant.upload("samples", samplesUpload(oneSample(1)));
  await rig.settled();
  rig.front.down = true;
  const before = failures();
  for (const value of [2, 3, 4, 5, 6]) await tenant.upload("samples", samplesUpload(oneSample(value)));
  await until("failed tries", failures, (found) => found >= before + 5);
  for (const route of ["status", "flamegraph", "executions"] as const) {
    const problem = await tenant.refused("store_unavailable", route);
    expect(problem.detail).not.toMatch(/127\.0\.0\.1|ECONN|ClickHouse/);
  }
  expect(Number((await tenant.send("status")).headers.get("retry-after"))).toBeGreaterThan(0);
  expect(await tenant.raw("GET", "/healthz")).toMatchObject({ status: 200 });
  expect(await tenant.raw("GET", "/readyz")).toMatchObject({ status: 503, text: JSON.stringify({ ok: false, store: false, control: true }) });
  expect(await tenant.get("me")).toMatchObject({ tenant: { slug: "down" } }); // what needs no store goes on
  expect([await rig.pending(), (await tenant.get("quarantine")).uploads]).toEqual([5, []]);
  rig.front.down = false;
  expect(await tenant.raw("GET", "/readyz")).toMatchObject({ status: 200 });
  await rig.stack.worker.sweep("start");
  await settledBySweeps();
  await expectTotals(rig, tenant, { uploads: 6, samples: 6, value: 21n });
  expect((await tenant.get("quarantine")).uploads).toEqual([]);
});

test("an upload that fails is stored by the queue's own next try, without a sweep", async () => {
  const tenant = await rig.tenant("retried");
  rig.front.play(({ nth }) => (nth === 1 ? 503 : "pass"));
  await tenant.upload("samples", samplesUpload(oneSample(9)));
  await until("samples that failed", () => rig.front.inserts.length, (found) => found >= 2);
  rig.front.play(() => "pass");
  await rig.settled();
  await expectTotals(rig, tenant, { uploads: 1, samples: 1, value: 9n });
});

describe("the queue delivers", () => {
  const messageOf = (tenantId: string, uploadId: string) => ({ v: 1, tenantId, kind: "samples", uploadId, receivedAtMs: Date.now(), bodyBytes: 1 });
  const deliver = (...bodies: unknown[]) => rig.stack.worker.deliver("lamella-uploads", bodies);

  test("the same message many times, during and after storing: one count, all acknowledged", async () => {
    const tenant = await rig.tenant("duplicates");
    rig.front.play(({ table, nth }) => (table === "samples" && nth === 1 ? "hold" : "pass"));
    const id = await tenant.upload("samples", samplesUpload(oneSample(5), { hostName: "node-7" }));
    await until("the first delivery at its samples", () => rig.front.held, (held) => held === 1);
    const message = messageOf(tenant.tenantId, id);
    expect(await deliver(message, message, message)).toEqual([0, 1, 2]);
    await expectTotals(rig, tenant, { uploads: 1, samples: 1, value: 5n });
    await rig.front.release();
    await rig.settled();
    expect(await deliver(message)).toEqual([0]);
    await expectTotals(rig, tenant, { uploads: 1, samples: 1, value: 5n });
  });

  test("messages out of order and in other batches: every upload once", async () => {
    const tenant = await rig.tenant("reordered");
    rig.front.down = true;
    const ids: string[] = [];
    for (const value of [1, 2, 3, 4]) ids.push(await tenant.upload("samples", samplesUpload(oneSample(value))));
    await until("failed tries", () => rig.log.filter((line) => ids.some((id) => line.includes(id))).length, (found) => found >= 4);
    rig.front.down = false;
    const messages = ids.map((id) => messageOf(tenant.tenantId, id));
    expect(await deliver(messages[3], messages[0])).toEqual([0, 1]);
    expect(await deliver(messages[2], messages[3], messages[1], messages[0])).toEqual([0, 1, 2, 3]);
    await expectTotals(rig, tenant, { uploads: 4, samples: 4, value: 10n });
  });

  test("a message of a newer version, in one batch with a good one: it comes back later, the good one is stored", async () => {
    const tenant = await rig.tenant("versions");
    rig.front.down = true;
    const id = await tenant.upload("samples", samplesUpload(oneSample(3)));
    await until("a failed try", () => rig.log.filter((line) => line.includes(id)).length, (found) => found >= 1);
    rig.front.down = false;
    const good = messageOf(tenant.tenantId, id);
    expect(await deliver({ ...good, v: 2 }, good, "nonsense", null)).toEqual([1]);
    await expectTotals(rig, tenant, { uploads: 1, samples: 1, value: 3n });
    expect((await tenant.get("quarantine")).uploads).toEqual([]);
  });

  test("an upload of a tenant that is gone: acknowledged, nothing stored", async () => {
    expect(await deliver(messageOf("a".repeat(16), "0".repeat(64)))).toEqual([0]);
    expect(await rig.rows(`SELECT * FROM uploads WHERE tenant_id = '${"a".repeat(16)}'`)).toEqual([]);
  });
});
