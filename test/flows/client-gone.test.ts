// A heavy flamegraph beside the daily work, through the Worker: it delays neither an upload nor the readiness probe, and ends when its reader goes away.
import { afterAll, beforeAll, expect, test } from "vitest";
import { StackRig } from "#test/rig/stack.ts";
import { until } from "#test/rig/until.ts";
import { oneSample, samplesUpload } from "#test/rig/uploads.ts";

const heavyStacks = 60_000;
const heavyDepth = 200; // 12 million nodes: many seconds on two cores

let rig: StackRig;
beforeAll(async () => void (rig = await StackRig.open()));
afterAll(() => rig.remove());

async function tell(sql: string): Promise<string> {
  const { url, database, writer } = rig.stack.store;
  const response = await fetch(`${url}/?database=${database}`, { method: "POST", body: sql, headers: { "x-clickhouse-user": writer.user, "x-clickhouse-key": writer.password } });
  const text = await response.text();
  if (!response.ok) throw new Error(text);
  return text.trim();
}

const heavyQueries = async () => Number(await tell("SELECT count() FROM system.processes WHERE Settings['log_comment'] LIKE 'flamegraph %'"));

test("an upload is stored and /readyz answers while it runs; the reader leaves and it ends within a second", async () => {
  const tenant = rig.stack.tenant.id;
  await tell(`INSERT INTO stacks SELECT '${tenant}', number + 1, arrayMap(i -> cityHash64(number, i), range(${heavyDepth})), today() FROM numbers(${heavyStacks})`);
  await tell(`INSERT INTO samples (tenant_id, profile_type, retention_days, bucket, ts, stack_id, source, value, count)
    SELECT '${tenant}', 'cuda', 30, toStartOfHour(now() - 60), now() - 60, number + 1, 'live', 1000, 1 FROM numbers(${heavyStacks})`);

  const reader = new AbortController();
  const left = fetch(`${rig.stack.url}/t/demo/api/flamegraph?from=-2h`, { headers: { authorization: `Bearer ${rig.stack.token}` }, signal: reader.signal }).then(() => "answered", () => "left");
  await until("the heavy query to run", heavyQueries, (running) => running > 0);

  expect((await fetch(`${rig.stack.url}/readyz`)).status).toBe(200);
  await rig.demo.get("ingest", { params: { kind: "samples" }, body: samplesUpload(oneSample(7)) });
  await rig.settled();
  expect(await heavyQueries(), "the heavy query is still running: nothing waited for it").toBe(1);

  const leftAt = performance.now();
  reader.abort();
  expect(await left).toBe("left");
  await until("the heavy query to end", heavyQueries, (running) => running === 0);
  expect(performance.now() - leftAt).toBeLessThan(1_000);
});
