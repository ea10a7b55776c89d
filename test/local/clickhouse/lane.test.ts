import { expect, test } from "vitest";
import { createLane, laneBounds } from "#local/clickhouse/lane.ts";

// A piece of work that runs until it is told to end.
function work(log: string[], name: string) {
  let end = () => {};
  const ended = new Promise<void>((done) => (end = done));
  return { end: () => end(), run: async () => (log.push(name), await ended, name) };
}

const bounds = (slots: number, waitingMax: number, perTenant = { slots, waitingMax }) => ({ slots, waitingMax, perTenant });

// Works named by their tenant, "a1" of "a", sent in this order. `end` ends one that runs and resolves when what follows it has begun.
function busyLane(room: ReturnType<typeof bounds>, names: string) {
  const lane = createLane("read", room);
  const log: string[] = [];
  const works = new Map(names.split(" ").map((name) => [name, work(log, name)]));
  const done = new Map([...works].map(([name, { run }]) => [name, lane.run(name[0]!, run)]));
  const end = async (name: string) => (works.get(name)!.end(), await done.get(name));
  return { lane, log, end, async endAll() { works.forEach((one) => one.end()); await Promise.all(done.values()); } };
}

test("the slots are filled, then the others of a tenant start in the order of arrival", async () => {
  const { log, end, endAll } = busyLane(bounds(2, 2), "a1 a2 a3 a4");
  await Promise.resolve();
  expect(log).toEqual(["a1", "a2"]);
  await end("a2");
  expect(log).toEqual(["a1", "a2", "a3"]);
  await endAll();
  expect(log).toEqual(["a1", "a2", "a3", "a4"]);
});

test("tenants take turns, however many wait and whoever came first", async () => {
  const { log, end, endAll } = busyLane(bounds(1, 9), "a1 a2 a3 a4 b1 b2 c1");
  for (const name of ["a1", "a2", "b1", "c1", "a3", "b2"]) await end(name);
  expect(log).toEqual(["a1", "a2", "b1", "c1", "a3", "b2", "a4"]);
  await endAll();
});

test("a tenant with a hundred that wait delays another's one by one turn", async () => {
  const hundred = Array.from({ length: 100 }, (_, i) => `a${i}`);
  const { log, end, endAll } = busyLane(bounds(4, 200, { slots: 3, waitingMax: 100 }), [...hundred, "b1", "b2", "b3"].join(" "));
  await Promise.resolve();
  expect(log, "the fourth slot is not for the tenant that has three").toEqual(["a0", "a1", "a2", "b1"]);
  await end("a1");
  await end("a0");
  expect(log.slice(4)).toEqual(["a3", "b2"]);
  await endAll();
});

test("a slot that its tenant may not fill again stays free until another comes", async () => {
  const { lane, log, end, endAll } = busyLane(bounds(3, 9, { slots: 2, waitingMax: 9 }), "a1 a2 a3 b1");
  await end("b1");
  expect(log).toEqual(["a1", "a2", "b1"]);
  expect(await lane.run("c", async () => "at once")).toBe("at once");
  expect(log).toEqual(["a1", "a2", "b1"]);
  await end("a1");
  expect(log.at(-1)).toBe("a3");
  await endAll();
});

test("beyond the waiting room it answers TOO_MANY_SIMULTANEOUS_QUERIES at once", async () => {
  const { lane, endAll } = busyLane(bounds(1, 1), "a1 a2");
  await expect(lane.run("b", async () => "third")).rejects.toMatchObject({ code: 202, status: 503, message: expect.stringContaining("1 run and 1 wait in the read lane") });
  await endAll();
});

test("one tenant cannot fill the waiting room", async () => {
  const { lane, endAll } = busyLane(bounds(1, 4, { slots: 1, waitingMax: 2 }), "a1 a2 a3");
  await expect(lane.run("a", async () => "fourth")).rejects.toMatchObject({ code: 202, message: expect.stringContaining("of one tenant") });
  const [other, keyless] = [lane.run("b", async () => "other"), lane.run("", async () => "without a key")];
  await endAll();
  expect(await Promise.all([other, keyless])).toEqual(["other", "without a key"]);
});

test("of the read lane a tenant leaves a slot and most of the waiting room to the others", () => {
  const { slots, waitingMax, perTenant } = laneBounds.read;
  expect(perTenant.slots).toBe(slots - 1);
  expect(perTenant.waitingMax * 4).toBe(waitingMax);
});

test("who leaves while waiting gives its place back and never starts", async () => {
  const { lane, log, endAll } = busyLane(bounds(1, 1), "a1");
  const client = new AbortController();
  const left = lane.run("a", async () => log.push("left"), client.signal);
  client.abort();
  await expect(left).rejects.toMatchObject({ code: 394 });
  const next = lane.run("b", async () => log.push("next"));
  await endAll();
  await next;
  expect(log).toEqual(["a1", "next"]);
});

test("a failure frees the slot", async () => {
  const lane = createLane("read", bounds(1, 0));
  await expect(lane.run("a", () => Promise.reject(new Error("no")))).rejects.toThrow("no");
  expect(await lane.run("b", async () => "yes")).toBe("yes");
});
