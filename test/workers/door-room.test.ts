import { afterEach, expect, test } from "vitest";
import { limits } from "#schema/limits.ts";
import { DoorRoom } from "#workers/ingest/door-room.ts";
import { ApiError } from "#workers/problem.ts";
import { inflate } from "#workers/ingest/body.ts";
import { gzipSync } from "node:zlib";

const rooms: DoorRoom[] = [];
const open = () => {
  const room = new DoorRoom();
  rooms.push(room);
  return room;
};
afterEach(() => rooms.splice(0).forEach((room) => room.leave()));

test("uploads together have a bound; one alone is bound by its own only", () => {
  const [first, second] = [open(), open()];
  first.take(limits.doorBytesMax + 1);
  first.take(1);
  expect(() => second.take(1)).toThrow(ApiError);
  first.leave();
  second.take(1);
});

test("who is refused is told to come again, and holds nothing", () => {
  const [first, second, third] = [open(), open(), open()];
  first.take(limits.doorBytesMax - 10);
  second.take(6);
  try {
    second.take(5);
    expect.unreachable();
  } catch (error) {
    expect(error).toMatchObject({ code: "store_unavailable", details: { retryAfterS: 2 } });
  }
  second.leave();
  third.take(10);
  expect(() => third.take(1)).toThrow(ApiError);
});

test("a small body that inflates to a large one is stopped while it inflates", async () => {
  const [first, second] = [open(), open()];
  first.take(limits.doorBytesMax - 1_000_000);
  const body = gzipSync(new Uint8Array(7 * 1024 * 1024));
  await expect(inflate(body, second.take)).rejects.toThrow(ApiError);
  first.leave();
  expect((await inflate(body, second.take)).length).toBe(7 * 1024 * 1024);
});
