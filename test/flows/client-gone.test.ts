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

function read(signal: AbortSignal): Promise<"answered" | "left"> {
  const headers = { authorization: `Bearer ${rig.stack.token}` };
  return fetch(`${rig.stack.url}/t/demo/api/flamegraph?from=-2h`, { headers, signal }).then(() => "answered", () => "left");
}

test("an upload is stored and /readyz answers while it runs; its reader leaves and it ends, while its twin runs on", async () => {
  const tenant = rig.stack.tenant.id;
  await tell(`INSERT INTO stacks SELECT '${tenant}', number + 1, arrayMap(i -> cityHash64(number, i), range(${heavyDepth})), today() FROM numbers(${heavyStacks})`);
  await tell(`INSERT INTO samples (tenant_id, profile_type, retention_days, bucket, ts, stack_id, source, value, count)
    SELECT '${tenant}', 'cuda', 30, toStartOfHour(now() - 60), now() - 60, number + 1, 'live', 1000, 1 FROM numbers(${heavyStacks})`);

  const [reader, stayer] = [new AbortController(), new AbortController()];
  const [left, stayed] = [read(reader.signal), read(stayer.signal)];
  await until("both heavy queries to run", heavyQueries, (running) => running === 2);

  expect((await fetch(`${rig.stack.url}/readyz`)).status).toBe(200);
  await rig.demo.get("ingest", { params: { kind: "samples" }, body: samplesUpload(oneSample(7)) });
  await rig.settled();
  expect(await heavyQueries(), "both still run: nothing waited for them").toBe(2);

  const leftAt = performance.now();
  reader.abort();
  expect(await left).toBe("left");
  await until("the abandoned query to end", heavyQueries, (running) => running < 2);
  // Two equal queries started together: one has ended while the other still runs because its reader left, not because it was done.
  expect(await Promise.race([stayed, "still running"])).toBe("still running");
  expect(await heavyQueries()).toBe(1);
  console.log(`the abandoned query ended ${Math.round(performance.now() - leftAt)} ms after its reader left`);
  stayer.abort();
  await until("the other to end", heavyQueries, (running) => running === 0);
});
