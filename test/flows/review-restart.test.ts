// workerd dies and its runner starts it again under the same stack: nothing that the stack held of the old process may be needed afterwards.
import { execFileSync } from "node:child_process";
import { afterAll, beforeAll, expect, test } from "vitest";
import { expectInvariants, expectTotals } from "#test/rig/invariants.ts";
import { StackRig } from "#test/rig/stack.ts";
import { until } from "#test/rig/until.ts";
import { oneSample, samplesUpload } from "#test/rig/uploads.ts";

let rig: StackRig;
beforeAll(async () => {
  rig = await StackRig.open();
});
afterAll(() => rig.remove());

const workerds = () => execFileSync("ps", ["-A", "-o", "pid=,ppid=,args="], { encoding: "utf8" }).split("\n").flatMap((line) => {
  const [, pid, parent, command = ""] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? [];
  return Number(parent) === process.pid && /(^|\/)workerd /.test(command) ? [Number(pid)] : [];
});

test("after a restart the sweep, the sign-in link and every upload work as before", async () => {
  const tenant = await rig.tenant("restarted");
  const [before] = workerds();
  rig.front.down = true;
  await tenant.upload("samples", samplesUpload(oneSample(3)));
  process.kill(before!, "SIGKILL");
  await until("another workerd", workerds, (pids) => pids.length === 1 && pids[0] !== before);
  await until("its answer", () => fetch(`${rig.stack.url}/healthz`).then(({ status }) => status, () => 0), (status) => status === 200);

  const signIn = await until("a link", () => rig.stack.signInUrl().catch(() => null), (link) => link !== null);
  expect((await fetch(signIn!, { redirect: "manual" })).status).toBe(303);
  rig.front.down = false;
  await rig.stack.worker.sweep("start");
  await rig.settled();
  await tenant.upload("samples", samplesUpload(oneSample(4)));
  await rig.settled();
  await expectTotals(rig, tenant, { uploads: 2, samples: 2, value: 7n });
  await expectInvariants(rig);
});
