// An insert that was answered with 200 is there after any end of the process, once.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startClickHouse } from "#local/clickhouse/start.ts";
import { Embedded, endless, running } from "./embedded.ts";

const embedded = new Embedded();
const count = async () => (await embedded.write("SELECT count() FROM default.samples")).text;
const insert = (token: string, rows = "1\n2\n3\n") =>
  embedded.write(rows, {
    query: "INSERT INTO default.samples FORMAT TSV",
    insert_deduplication_token: token,
    deduplicate_blocks_in_dependent_materialized_views: "1",
  });
const total = async () => (await embedded.write("SELECT sum(value) FROM default.totals")).text;

async function killAndStart(): Promise<void> {
  embedded.clickhouse.process.kill("SIGKILL");
  await embedded.clickhouse.exited;
  await embedded.start();
}

beforeAll(async () => {
  await embedded.start();
  const window = "SETTINGS non_replicated_deduplication_window = 1000";
  await embedded.write(`CREATE TABLE default.samples (value UInt64) ENGINE = MergeTree ORDER BY value ${window}`);
  await embedded.write(`CREATE TABLE default.totals (value UInt64) ENGINE = SummingMergeTree ORDER BY tuple() ${window}`);
  await embedded.write("CREATE MATERIALIZED VIEW default.totals_mv TO default.totals AS SELECT sum(value) AS value FROM default.samples");
});
afterAll(() => embedded.remove());

test("kill -9 loses no acknowledged insert, and a token holds across the restart, in the table and its roll-up", async () => {
  for (let i = 0; i < 20; i++) await insert(`t${i}`);
  await killAndStart();
  expect([await count(), await total()]).toEqual(["60", "120"]);
  for (let i = 0; i < 20; i++) await insert(`t${i}`);
  expect([await count(), await total()]).toEqual(["60", "120"]);
  await insert("t20");
  expect([await count(), await total()]).toEqual(["63", "126"]);
});

test("kill -9 in the middle of inserts: what was answered is there, what is sent again is there once", async () => {
  const before = Number(await count());
  const sent = Array.from({ length: 40 }, (_, i) => insert(`mid${i}`).then(() => true, () => false));
  await Promise.any(sent.map(async (one) => (await one) || Promise.reject(new Error("not answered"))));
  await killAndStart();
  const acknowledged = (await Promise.all(sent)).filter(Boolean).length;
  expect(Number(await count())).toBeGreaterThanOrEqual(before + 3 * acknowledged);
  for (let i = 0; i < 40; i++) await insert(`mid${i}`);
  expect(Number(await count())).toBe(before + 120);
  expect(Number(await total())).toBe(2 * (before + 120));
});

test("one token at the same time from several senders is stored once", async () => {
  const before = Number(await count());
  await Promise.all(Array.from({ length: 8 }, () => insert("together")));
  expect([Number(await count()), Number(await total())]).toEqual([before + 3, 2 * (before + 3)]);
});

test("SIGTERM ends a running read and exits cleanly", async () => {
  const slow = embedded.send("writer", endless, { params: { query_id: "last" } });
  await embedded.until(running("last"), "1");
  embedded.clickhouse.process.kill("SIGTERM");
  expect((await slow).code).toBe("394");
  expect(await embedded.clickhouse.exited).toBe(0);
  await embedded.start();
});

test("a second process on the directory is refused and told who holds it", async () => {
  const pid = embedded.clickhouse.process.pid;
  await expect(startClickHouse({ dataDir: embedded.dataDir })).rejects.toThrow(new RegExp(`in use by process ${pid}[\\s\\S]+kill ${pid}[\\s\\S]+--data-dir`));
  expect(await count()).not.toBe("");
});

test("it ends with the process that started it, even by kill -9", async () => {
  await embedded.clickhouse.stop();
  const start = fileURLToPath(new URL("../../../local/clickhouse/start.ts", import.meta.url));
  const code = `import { startClickHouse } from ${JSON.stringify(start)};
    const { process: child } = await startClickHouse({ dataDir: ${JSON.stringify(embedded.dataDir)} });
    process.stdout.write(String(child.pid));`;
  const parent = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", "--input-type=module", "-e", code], { stdio: ["ignore", "pipe", "inherit"] });
  const [pid] = (await once(parent.stdout, "data")) as [Buffer];
  process.kill(Number(pid), 0);
  parent.kill("SIGKILL");
  // The directory opens again as soon as the orphan is gone; before that, the refusal names it.
  const restart = async (): Promise<unknown> =>
    embedded.start().catch((error: Error) => {
      expect(error.message).toContain(`in use by process ${pid}`);
      return restart();
    });
  await restart();
  expect(await count()).not.toBe("0");
});
