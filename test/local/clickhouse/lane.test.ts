import { expect, test } from "vitest";
import { createLane } from "#local/clickhouse/lane.ts";

// A piece of work that runs until it is told to end.
function work(log: string[], name: string) {
  let end = () => {};
  const ended = new Promise<void>((done) => (end = done));
  return { end: () => end(), run: async () => (log.push(name), await ended, name) };
}

test("the slots are filled, then the others start in the order of arrival", async () => {
  const lane = createLane("read", { slots: 2, waitingMax: 2 });
  const log: string[] = [];
  const all = ["a", "b", "c", "d"].map((name) => work(log, name));
  const done = all.map(({ run }) => lane.run(run));
  await Promise.resolve();
  expect(log).toEqual(["a", "b"]);
  all[1]?.end();
  await done[1];
  expect(log).toEqual(["a", "b", "c"]);
  all.forEach(({ end }) => end());
  expect(await Promise.all(done)).toEqual(["a", "b", "c", "d"]);
});

test("beyond the waiting room it answers TOO_MANY_SIMULTANEOUS_QUERIES at once", async () => {
  const lane = createLane("insert", { slots: 1, waitingMax: 1 });
  const held = work([], "held");
  const first = lane.run(held.run);
  const second = lane.run(async () => "second");
  await expect(lane.run(async () => "third")).rejects.toMatchObject({ code: 202, status: 503 });
  held.end();
  expect(await Promise.all([first, second])).toEqual(["held", "second"]);
});

test("who leaves while waiting gives its place back and never starts", async () => {
  const lane = createLane("read", { slots: 1, waitingMax: 1 });
  const log: string[] = [];
  const held = work(log, "held");
  const first = lane.run(held.run);
  const client = new AbortController();
  const left = lane.run(async () => log.push("left"), client.signal);
  client.abort();
  await expect(left).rejects.toMatchObject({ code: 394 });
  const next = lane.run(async () => log.push("next"));
  held.end();
  await Promise.all([first, next]);
  expect(log).toEqual(["held", "next"]);
});

test("a failure frees the slot", async () => {
  const lane = createLane("read", { slots: 1, waitingMax: 0 });
  await expect(lane.run(() => Promise.reject(new Error("no")))).rejects.toThrow("no");
  expect(await lane.run(async () => "yes")).toBe("yes");
});
