// The local queue lives in workerd's memory: with kill -9 it is gone, and the sweep at the next start brings every acknowledged upload back.
import { afterAll, beforeAll, expect, test } from "vitest";
import { expectInvariants, expectTotals } from "#test/rig/invariants.ts";
import { StackRig } from "#test/rig/stack.ts";
import { oneSample, samplesUpload } from "#test/rig/uploads.ts";

let rig: StackRig;
beforeAll(async () => {
  rig = await StackRig.open();
});
afterAll(() => rig.remove());

test("workerd is killed with 500 acknowledged uploads that nobody has consumed: each is stored exactly once", async () => {
  const tenant = await rig.tenant("many");
  rig.front.play(() => "hold");
  const ids = new Set<string>();
  const values = Array.from({ length: 500 }, (_, i) => i + 1);
  await Promise.all(Array.from({ length: 16 }, async () => {
    for (let value = values.pop(); value !== undefined; value = values.pop()) ids.add(await tenant.upload("samples", samplesUpload(oneSample(value))));
  }));
  expect([ids.size, await rig.pending()]).toEqual([500, 500]);
  expect(await rig.rows("SELECT upload_id FROM uploads WHERE tenant_id = {tenant:String}", { tenant: tenant.tenantId })).toEqual([]);
  await rig.killWorker();
  rig.front.play(() => "pass");
  await rig.start();
  await rig.settled(420_000); // one to three minutes, by how busy the machine is
  await rig.front.release();
  await expectTotals(rig, tenant, { uploads: 500, samples: 500, value: BigInt((500 * 501) / 2) });
  const stored = await rig.rows<{ upload_id: string }>("SELECT upload_id FROM uploads WHERE tenant_id = {tenant:String}", { tenant: tenant.tenantId });
  expect(new Set(stored.map(({ upload_id }) => upload_id))).toEqual(ids);
  expect((await tenant.get("flamegraph")).total).toBe((500 * 501) / 2);
  await expectInvariants(rig);
}, 600_000);
