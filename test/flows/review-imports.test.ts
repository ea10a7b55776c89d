// The same execution is imported twice without either import knowing of the other (a second try while the first still waits, two people at once): it counts once.
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { faultAt } from "#test/rig/clickhouse-front.ts";
import type { Client } from "#test/rig/client.ts";
import { expectInvariants } from "#test/rig/invariants.ts";
import { StackRig } from "#test/rig/stack.ts";
import { drawProfile } from "#test/rig/stacks.ts";
import { until } from "#test/rig/until.ts";
import { executionUpload, nowS, randomId, samplesUpload } from "#test/rig/uploads.ts";

let rig: StackRig;
beforeAll(async () => {
  rig = await StackRig.open();
});
afterAll(() => rig.remove());
afterEach(() => expectInvariants(rig));

const [one, two] = [drawProfile("main\ngemm:gpu_kernel\n30/3"), drawProfile("main\nadd:gpu_kernel\n70/7")];

// What one import sends: other bytes at another time or from another host, the same samples.
function bodies(executionId: string, atS: number, hostName: string): ["samples" | "executions", Uint8Array][] {
  return [
    ["samples", samplesUpload(one, { executionId, part: 1, parts: 2, atS, hostName })], ["samples", samplesUpload(two, { executionId, part: 2, parts: 2, atS, hostName })],
    ["executions", executionUpload(executionId, 2, 100n, { importedAtS: BigInt(atS) })],
  ];
}

async function expectOnce(tenant: Client, executionId: string): Promise<void> {
  expect(await tenant.get("flamegraph", { query: { execution: executionId } })).toMatchObject({ total: 100, samples: 2, execution: { complete: true, totalValue: 100, parts: { stored: 2, of: 2 } } });
  expect(await tenant.get("status")).toMatchObject({ samples: 2, executions: 1, uploads: { quarantined: 0 } });
}

test("broken off after its first part and begun again a minute later", async () => {
  const [tenant, id] = [await rig.tenant("broken-off"), randomId(64)];
  await tenant.upload(...bodies(id, nowS() - 70, "node-7")[0]!);
  await rig.settled();
  for (const body of bodies(id, nowS() - 10, "node-8")) await tenant.upload(...body);
  await rig.settled();
  await expectOnce(tenant, id);
});

test("sent twice while the store is away", async () => {
  const [tenant, id] = [await rig.tenant("impatient"), randomId(64)];
  rig.front.down = true;
  for (const atS of [nowS() - 70, nowS() - 10]) for (const body of bodies(id, atS, "node-7")) await tenant.upload(...body);
  rig.front.down = false;
  await rig.stack.worker.sweep("start");
  await rig.settled();
  await expectOnce(tenant, id);
});

test("the Worker dies between the samples of the first import and its ledger row, and the second import comes first", async () => {
  const [tenant, id] = [await rig.tenant("dies-between"), randomId(64)];
  rig.front.play(faultAt("uploads", "hold"));
  await tenant.upload(...bodies(id, nowS() - 70, "node-7")[0]!);
  await until("a ledger row on its way", () => rig.front.held, (held) => held === 1);
  await rig.killWorker();
  rig.front.play(() => "pass");
  await rig.start();
  for (const body of bodies(id, nowS() - 10, "node-7")) await tenant.upload(...body);
  await rig.settled();
  await rig.front.release();
  expect(await tenant.get("flamegraph", { query: { execution: id } })).toMatchObject({ total: 100, samples: 2 });
});

test("parts of another execution, and a part of another number, are not taken for it", async () => {
  const [tenant, id, other] = [await rig.tenant("no-mistake"), randomId(64), randomId(64)];
  for (const body of [...bodies(id, nowS() - 10, "node-7"), ...bodies(other, nowS() - 10, "node-7")]) await tenant.upload(...body);
  await rig.settled();
  for (const execution of [id, other]) expect(await tenant.get("flamegraph", { query: { execution } })).toMatchObject({ total: 100, samples: 2 });
  expect(await tenant.get("status")).toMatchObject({ samples: 4, executions: 2 });
});
