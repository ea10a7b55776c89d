// The budget of a tenant's queries, through the Worker: who has spent it is told so and what to do, while other tenants read and uploads are stored.
import { afterAll, beforeAll, expect, test } from "vitest";
import { laneBounds } from "#local/clickhouse/lane.ts";
import { limits } from "#schema/limits.ts";
import type { Client } from "#test/rig/client.ts";
import { StackRig } from "#test/rig/stack.ts";
import { until } from "#test/rig/until.ts";
import { oneSample, samplesUpload } from "#test/rig/uploads.ts";

const tenantSeconds = 2; // instead of querySecondsPerTenantPerMinuteMax

let rig: StackRig;
beforeAll(async () => void (rig = await StackRig.open({ tenantSeconds })));
afterAll(() => rig.remove());

// A read of so many seconds on the tenant's account, on one core.
async function read({ tenantId }: Client, seconds: number, signal: AbortSignal | null = null): Promise<string> {
  const { url, reader } = rig.stack.store;
  const response = await fetch(`${url}/?max_threads=1&max_execution_time=${seconds}`, {
    method: "POST", body: "SELECT count() FROM numbers(1000000000000) WHERE sipHash64(number) = 1", signal,
    headers: { "x-clickhouse-user": reader.user, "x-clickhouse-key": reader.password, "x-clickhouse-quota": tenantId },
  });
  return await response.text();
}

async function spend(tenant: Client): Promise<void> {
  expect(await read(tenant, tenantSeconds + 1)).toMatch(/^Code: 159/); // its own time is up
}

test("over the budget: 429 that says what to narrow; another tenant's flamegraph and an upload of the same tenant pass", async () => {
  const [ada, ben] = [await rig.tenant("ada"), await rig.tenant("ben")];
  await rig.send(ben, ["samples", samplesUpload(oneSample(3))]);
  expect((await ben.get("flamegraph")).total).toBe(3);
  // Twice at most: a new minute may begin between spending and asking.
  const answer = await until("the budget to be spent", async () => (await spend(ada), await ada.send("flamegraph")), ({ status }) => status === 429);
  const problem = await ada.refused("query_budget_spent", "flamegraph");
  expect(answer.headers.get("retry-after")).toBe("60");
  expect(problem.detail).toBe(
    `All queries of this tenant together may take ${limits.querySecondsPerTenantPerMinuteMax} s of execution and read 20 billion rows a minute, and have. It comes back within a minute. Narrow the time range or add a filter, so that each query takes less.`,
  );
  expect((await ben.get("flamegraph")).total).toBe(3);
  await rig.send(ada, ["samples", samplesUpload(oneSample(5))]);
  expect(await rig.rows("SELECT sum(value) AS value FROM samples WHERE tenant_id = {tenant:String}", { tenant: ada.tenantId })).toEqual([{ value: "5" }]);
});

test("with all its slots and places taken a tenant is told to come back with less; another one's flamegraph does not wait", async () => {
  const [cyd, dan] = [await rig.tenant("cyd"), await rig.tenant("dan")];
  await rig.send(dan, ["samples", samplesUpload(oneSample(4))]);
  const { slots, waitingMax } = laneBounds.read.perTenant;
  const left = new AbortController();
  const reads = Array.from({ length: slots + waitingMax + 1 }, () => read(cyd, 60, left.signal).catch(() => "left"));
  expect(await Promise.race(reads), "the one too many").toMatch(/^Code: 202/);
  expect((await cyd.refused("store_unavailable", "executions")).detail).toContain("as many queries at once as it may, or as many of this tenant");
  expect((await dan.get("flamegraph")).total).toBe(4);
  left.abort();
  expect((await Promise.all(reads)).filter((text) => text === "left")).toHaveLength(slots + waitingMax);
  const running = () => rig.rows<{ n: string }>("SELECT count() AS n FROM system.processes WHERE query LIKE '%sipHash64(number) = 1%' AND query NOT LIKE '%system.processes%'");
  await until("the reads of who left to end", running, ([row]) => row!.n === "0");
});
