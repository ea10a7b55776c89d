// What can never be stored, or could not be for too long, is kept with its reason, and a replay brings it back, once.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { QuarantineCode } from "#schema/errors.ts";
import type { UploadKind } from "#schema/upload-message.ts";
import type { Client } from "#test/rig/client.ts";
import { drawShape } from "#test/core/shape/draw-shape.ts";
import { expectInvariants, expectTotals } from "#test/rig/invariants.ts";
import { StackRig } from "#test/rig/stack.ts";
import { drawProfile } from "#test/rig/stacks.ts";
import { until } from "#test/rig/until.ts";
import { gzip, oneSample, randomId, samplesUpload, shapeUpload } from "#test/rig/uploads.ts";

let rig: StackRig;
beforeAll(async () => {
  rig = await StackRig.open();
});
afterAll(() => rig.remove());

const keyOf = (client: Client, kind: UploadKind, id: string) => `ingest/${client.tenantId}/${kind}/${id}`;
const failed = (id: string) => until("a failed try", () => rig.log.filter((line) => line.includes(id)).length, (found) => found > 0);

// Accepted while the store is away; then its stored body changes, and the store comes back.
async function acceptedThenChanged(client: Client, kind: UploadKind, body: Uint8Array, change: (key: string) => Promise<unknown>): Promise<string> {
  rig.front.down = true;
  const id = await client.upload(kind, body);
  await failed(id);
  await change(keyOf(client, kind, id));
  rig.front.down = false;
  await rig.stack.worker.sweep("start");
  await rig.settled();
  return id;
}

const put = (bytes: Uint8Array) => (key: string) => rig.stack.worker.bodies.put(key, bytes);
const body = samplesUpload(oneSample(41), { hostName: "node-7" });
const modelKey = "0123456789abcdef0123456789abcdef";
const shape = drawShape("Net\n  fc Linear weight:float32[8,4]");

describe("a body that cannot be stored", () => {
  const cases: [QuarantineCode, string, UploadKind, Uint8Array, (key: string) => Promise<unknown>, RegExp][] = [
    ["body_undecodable", "bytes that are no message", "samples", body, put(new Uint8Array([255, 255, 255, 7])), /not a SamplesUpload/],
    ["body_undecodable", "gzip that breaks off", "samples", body, put(gzip(body).subarray(0, 30)), /gzip/],
    ["limit_exceeded", "samples too old when they were received", "samples", body, put(samplesUpload(oneSample(41), { atS: 1_700_000_000 })), /older than 7 days/],
    ["shape_hash_mismatch", "another hash than its own", "shapes", shapeUpload(shape, modelKey), put(shapeUpload(shape, modelKey, { rank: 0, of: 1 }, "ab".repeat(32))), /part_hash is abab/],
    ["body_missing", "a body that is gone", "samples", body, (key) => rig.stack.worker.bodies.delete(key), /body/],
  ];
  test.each(cases.map((one, i) => [...one, i] as const))("%s: %s", async (code, _, kind, sent, change, detail, i) => {
    const tenant = await rig.tenant(`poison-${i}`);
    const id = await acceptedThenChanged(tenant, kind, sent, change);
    const listed = await tenant.get("quarantine");
    expect(listed).toEqual({ uploads: [{ uploadId: id, kind, code, detail: expect.stringMatching(detail), at: expect.any(String), bodyBytes: gzip(sent).length, replayedAt: null }] });
    expect(await tenant.get("status")).toMatchObject({ samples: 0, uploads: { stored: 0, quarantined: 1 } });

    // Still broken: a replay brings it back to quarantine.
    expect(await tenant.get("quarantineReplay", { params: { uploadId: id } })).toEqual({ uploadId: id, queued: true });
    await rig.settled();
    expect((await tenant.get("quarantine")).uploads).toEqual([{ ...listed.uploads[0], at: expect.any(String) }]);

    await put(gzip(sent))(keyOf(tenant, kind, id));
    for (let time = 1; time <= 2; time++) {
      expect(await tenant.get("quarantineReplay", { params: { uploadId: id } })).toEqual({ uploadId: id, queued: true });
      await rig.settled();
      expect((await tenant.get("quarantine")).uploads).toMatchObject([{ uploadId: id, code, replayedAt: expect.any(String) }]);
      if (kind === "samples") await expectTotals(rig, tenant, { uploads: 1, samples: 1, value: 41n });
      else expect(await tenant.get("status")).toMatchObject({ uploads: { stored: 1, quarantined: 0 } });
    }
    expect((await tenant.get("audit")).events.map(({ action, target }) => [action, target])).toEqual(Array.from({ length: 3 }, () => ["quarantine_replay", id]));
    await expectInvariants(rig);
  });

  test("one poison among good ones does not hold them up", async () => {
    const tenant = await rig.tenant("mixed");
    rig.front.down = true;
    const ids: string[] = [];
    for (const value of [1, 2, 3]) ids.push(await tenant.upload("samples", samplesUpload(oneSample(value))));
    for (const id of ids) await failed(id);
    await put(new Uint8Array([1, 2, 3]))(keyOf(tenant, "samples", ids[1]!));
    rig.front.down = false;
    await rig.stack.worker.sweep("start");
    await rig.settled();
    expect((await tenant.get("quarantine")).uploads.map(({ uploadId }) => uploadId)).toEqual([ids[1]]);
    expect(await tenant.get("status")).toMatchObject({ samples: 2, uploads: { stored: 2, quarantined: 1 } });
  });

  test("the producer sends the same upload again: stored, and no longer in quarantine", async () => {
    const tenant = await rig.tenant("sent-again");
    const id = await acceptedThenChanged(tenant, "samples", body, put(new Uint8Array([1, 2, 3])));
    expect(await tenant.get("status")).toMatchObject({ uploads: { stored: 0, quarantined: 1 } });
    expect(await tenant.upload("samples", body)).toBe(id);
    await rig.settled();
    await expectTotals(rig, tenant, { uploads: 1, samples: 1, value: 41n });
    await expectInvariants(rig);
  });
});

test("what the queue gave up on lands in quarantine and is stored by a replay", async () => {
  const tenant = await rig.tenant("given-up");
  rig.front.down = true;
  const uploadId = await tenant.upload("samples", body);
  await failed(uploadId);
  const message = { v: 1, tenantId: tenant.tenantId, kind: "samples", uploadId, receivedAtMs: Date.now(), bodyBytes: gzip(body).length };
  expect(await rig.stack.worker.deliver("lamella-uploads-dead", [message, "nonsense"])).toEqual([0, 1]);
  expect(await rig.pending()).toBe(0);
  expect((await tenant.get("quarantine")).uploads).toMatchObject([{ uploadId, code: "retries_exhausted", replayedAt: null }]);
  rig.front.down = false;
  await tenant.get("quarantineReplay", { params: { uploadId } });
  await rig.settled();
  await expectTotals(rig, tenant, { uploads: 1, samples: 1, value: 41n });
  await expectInvariants(rig);
});

test("a message that was cut anywhere, or has any bit turned, is refused at the door or stored: never an error of ours, never quarantine", async () => {
  const tenant = await rig.tenant("spoiled");
  const whole = samplesUpload(drawProfile("main        main\nNet@n:layer  b:op\n3/1         4/1"), { hostName: "h", tags: ["a:b"] });
  const accepted = new Set<string>();
  for (let at = 0; at < whole.length; at += 2) {
    for (const bytes of [whole.slice(0, at), whole.map((byte, i) => (i === at ? byte ^ (1 << at % 8) : byte))]) {
      const answer = await tenant.post("samples", bytes);
      expect([202, 400, 422], `${at}: ${answer.text}`).toContain(answer.status);
      if (answer.status === 202) accepted.add((JSON.parse(answer.text) as { uploadId: string }).uploadId);
    }
  }
  await rig.settled();
  expect(accepted.size).toBeGreaterThan(0);
  expect(await tenant.get("status")).toMatchObject({ uploads: { stored: accepted.size, quarantined: 0 } });
  await expectInvariants(rig);
});

test("a replay of what is not in quarantine is told so", async () => {
  const tenant = await rig.tenant("unknown");
  await tenant.refused("not_found", "quarantineReplay", { params: { uploadId: randomId(64) } });
  await tenant.refused("not_found", "quarantineReplay", { params: { uploadId: "not-an-id" } });
  expect(await rig.pending()).toBe(0);
});
