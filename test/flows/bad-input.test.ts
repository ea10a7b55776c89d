// The ingest URL refuses what it cannot store, in the order of its checks, with a sentence that says what, where and how to fix it; nothing refused leaves a trace.
import { request as httpRequest } from "node:http";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { errors, type ErrorCode } from "#schema/errors.ts";
import { limits } from "#schema/limits.ts";
import { uploadKinds } from "#schema/upload-message.ts";
import type { Client, Sent } from "#test/rig/client.ts";
import { drawShape } from "#test/core/shape/draw-shape.ts";
import { StackRig } from "#test/rig/stack.ts";
import { encodeSamples, executionUpload, gzip, nowS, oneSample, randomId, samplesMessage, type SamplesMessage, samplesUpload, shapeUpload, sightingsUpload } from "#test/rig/uploads.ts";

let rig: StackRig;
let agent: Client;
beforeAll(async () => {
  rig = await StackRig.open();
  agent = await rig.tenant("strict", ["ingest"]);
});
afterAll(async () => {
  try {
    // After everything below: no row, no body, nothing waiting, nothing in quarantine.
    expect([await rig.pending(), await rig.bodies(), rig.front.inserts, rig.log]).toEqual([0, [], [], []]);
    expect(await rig.stack.worker.control.prepare("SELECT * FROM quarantine").all()).toMatchObject({ results: [] });
    expect(await rig.rows("SELECT table, total_rows FROM system.tables WHERE database = 'lamella' AND total_rows > 0 AND table != 'migrations' AND name NOT LIKE '%_mv'")).toEqual([]);
  } finally {
    await rig.remove();
  }
});

const good = samplesUpload(oneSample(5), { hostName: "node-7" });
const refused = async (code: ErrorCode, bytes: Uint8Array<ArrayBuffer>, sent?: Sent) => (await agent.refusedUpload(code, "samples", bytes, sent)).detail;
const join = (...parts: Uint8Array[]) => new Uint8Array(Buffer.concat(parts));

describe("the head of the request", () => {
  test.each([null, "application/json", "text/plain", "application/x-protobuffer", "multipart/form-data; boundary=x"])("Content-Type %s: 415, and what to send", async (contentType) => {
    expect(await refused("unsupported_media_type", good, { contentType })).toContain("application/x-protobuf");
  });
  test.each(["zstd", "br", "gzip, gzip", "deflate", "snappy"])("Content-Encoding %s: 415, and what to send", async (encoding) => {
    expect(await refused("unsupported_media_type", good, { encoding })).toMatch(new RegExp(`"${encoding}"; send gzip`));
  });
  test("is judged in order: the token before the type, the type before the size, and nothing of the body before those", async () => {
    const declared = { "content-length": String(limits.bodyBytesMax + 1) };
    expect(await beforeTheEnd({ ...declared, "content-type": "text/plain" }, "")).toBe("token_missing");
    expect(await beforeTheEnd({ ...declared, "content-type": "text/plain" }, agent.token)).toBe("unsupported_media_type");
    expect(await beforeTheEnd({ ...declared, "content-type": "application/x-protobuf" }, agent.token)).toBe("body_too_large");
  });
});

// Sends the head and `body`, never ends the request, and answers the code: the server must not wait for what it is not going to take.
async function beforeTheEnd(headers: Record<string, string>, token: string, body?: Uint8Array): Promise<string> {
  const request = httpRequest(`${rig.stack.url}/t/strict/ingest/samples`, { method: "POST", headers: { ...headers, ...(token && { authorization: `Bearer ${token}` }) } });
  request.on("error", () => undefined);
  const answer = new Promise<string>((done) => request.on("response", (response) => done(text(response))));
  request.flushHeaders();
  if (body !== undefined) request.write(body);
  const { code } = JSON.parse(await answer) as { code: string };
  request.destroy();
  return code;
}

describe("the size of the body", () => {
  test("one byte more than allowed, without a Content-Length: 413 as soon as it is counted, though the body has not ended", async () => {
    expect(await beforeTheEnd({ "content-type": "application/x-protobuf", "transfer-encoding": "chunked" }, agent.token, new Uint8Array(limits.bodyBytesMax + 1))).toBe("body_too_large");
  });
  test.each([["4 MB of zeros in 4 kB", 4_000_000], ["just over the bound", limits.inflatedBytesMax + 1], ["a thousand times its size", 200_000_000]])("a gzip bomb, %s", async (_, bytes) => {
    const bomb = gzip(new Uint8Array(bytes), 9);
    expect(bomb.length).toBeLessThan(limits.bodyBytesMax);
    const code = bytes > limits.inflatedBytesMax ? "body_too_large" : "body_undecodable";
    expect(await refused(code, bomb, { encoding: "gzip" })).toMatch(code === "body_too_large" ? /inflatedBytesMax/ : /not a SamplesUpload/);
  });
  test("empty: 400", async () => {
    expect(await refused("body_undecodable", new Uint8Array())).toContain("empty");
    expect(await refused("body_undecodable", gzip(new Uint8Array()), { encoding: "gzip" })).toMatch(/\w/);
  });
});

describe("gzip", () => {
  const packed = gzip(good);
  const spoiled = packed.slice();
  spoiled[packed.length - 6]! ^= 1; // in the checksum
  test.each([
    ["that breaks off", packed.subarray(0, packed.length - 9)], ["that is its head alone", packed.subarray(0, 10)], ["with a wrong checksum", spoiled],
    ["of two members", join(packed, gzip(good))], ["with bytes behind it", join(packed, new Uint8Array([1, 2, 3]))],
  ])("%s: 400", async (_, bytes) => {
    expect(await refused("body_undecodable", new Uint8Array(bytes), { encoding: "gzip" })).toContain("gzip member");
  });
});

describe("the message", () => {
  test.each(uploadKinds)("%s: random bytes, a cut message and text are 400 with a detail", async (kind) => {
    for (const bytes of [new Uint8Array([255, 255, 255, 255, 255, 7]), new Uint8Array(Buffer.from("{\"a\": 1}")), new Uint8Array([0x1f, 0x8b, 8])]) {
      const { detail } = await agent.refusedUpload("body_undecodable", kind, bytes);
      expect(detail.length, detail).toBeGreaterThan(20);
    }
  });
  const broken: [string, ErrorCode, (message: SamplesMessage) => void, RegExp][] = [
    ["no source", "body_undecodable", (m) => (m.source = 0), /source is 0/],
    ["strings[0] is not empty", "body_undecodable", (m) => (m.strings[0] = "x"), /strings\[0\]/],
    ["a name beyond the strings", "body_undecodable", (m) => (m.frames.name[2] = 99), /frames\.name row 2 points at 99 of \d+ strings/],
    ["a frame kind that does not exist", "body_undecodable", (m) => (m.frames.kind[1] = 12), /frames\.kind row 1 points at 12/],
    ["a frame without a name", "body_undecodable", (m) => (m.frames.name[1] = 0), /frames row 1 has no name/],
    ["a stack of a frame that does not exist", "body_undecodable", (m) => (m.stacks.frame[1] = 4), /stacks\.frame row 1 points at 4 of 4 frames/],
    ["a stack of frame 0", "body_undecodable", (m) => (m.stacks.frame[0] = 0), /stacks\.frame\[0\] is 0/],
    ["an empty stack", "body_undecodable", (m) => (m.stacks = { depth: [0, 0], frame: [] }), /stacks row 1 is empty/],
    ["depths that do not add up", "body_undecodable", (m) => (m.stacks.depth[1] = 2), /adds up to 2 frames, stacks\.frame has 3/],
    ["a sample of a stack that does not exist", "body_undecodable", (m) => (m.samples.stack[0] = 2), /samples\.stack row 0 points at 2 of 2 stacks/],
    ["a sample without a stack", "body_undecodable", (m) => (m.samples.stack[0] = 0), /samples row 0 has no stack/],
    ["a sample without a context", "body_undecodable", (m) => (m.samples.context[0] = 0), /samples row 0 has no context/],
    ["columns of different lengths", "body_undecodable", (m) => m.samples.value.push(1n), /samples\.\w+ has 1 rows where the table has 2/],
    ["a context without a profile type", "body_undecodable", (m) => (m.contexts.profileType[1] = 0), /contexts row 1 has no profile type/],
    ["tags that do not add up", "body_undecodable", (m) => (m.contexts.tagCount[1] = 3), /adds up to 3 tags/],
    ["an execution id that is no id", "body_undecodable", (m) => (m.executionId = "mine"), /execution_id/],
    ["a part of a live upload", "body_undecodable", (m) => (m.part = 1), /part 1 of 0/],
    ["a label that is too long", "limit_exceeded", (m) => (m.strings[m.strings.indexOf("node-7")] = "é".repeat(129)), /host.*258 is over the bound of 256 \(labelBytesMax\)/i],
    ["a name that is too long", "limit_exceeded", (m) => (m.strings[1] = "x".repeat(limits.nameBytesMax + 1)), /nameBytesMax/],
    ["a stack that is too deep", "limit_exceeded", (m) => (m.stacks = { depth: [0, 1_025], frame: Array(1_025).fill(1) }), /stacks row 1, depth: 1025 is over the bound of 1024 \(stackDepthMax\)/],
    ["samples older than a week", "limit_exceeded", (m) => (m.baseTimeS = BigInt(nowS() - 7 * 86_400 - 60)), /samples row 0 .* older than 7 days/],
    ["samples from the future", "limit_exceeded", (m) => (m.baseTimeS = BigInt(nowS() + 700)), /samples row 0 .* in the future/],
    ["samples at the end of time", "limit_exceeded", (m) => (m.baseTimeS = 2n ** 63n - 1n), /samples row 0/],
    ["samples before time", "limit_exceeded", (m) => (m.baseTimeS = -(2n ** 63n)), /samples row 0/],
  ];
  test.each(broken)("%s: %s", async (_, code, change, detail) => {
    const message = samplesMessage(oneSample(5), { hostName: "node-7" });
    change(message);
    expect(await refused(code, encodeSamples(message))).toMatch(detail);
  });
});

describe("the other kinds", () => {
  const shape = drawShape("Net\n  fc Linear weight:float32[8,4]");
  const key = "ab".repeat(16);
  test.each([
    ["shapes", "another hash", shapeUpload(shape, key, { rank: 0, of: 1 }, "cd".repeat(32)), "body_undecodable", /part_hash is cdcd.* hashes to [0-9a-f]{64}/],
    ["shapes", "a model key that is none", shapeUpload(shape, "x"), "body_undecodable", /model_key/],
    ["shapes", "a stage beyond the last", shapeUpload(shape, key, { rank: 2, of: 2 }), "body_undecodable", /pp_rank/],
    ["sightings", "nothing seen", sightingsUpload(), "body_undecodable", /no sightings/],
    ["sightings", "seen last before first", sightingsUpload({ modelKey: key, lastSeenS: 5n }), "body_undecodable", /sightings\[0\] was last seen \(5\) before/],
    ["sightings", "seen a month ago", sightingsUpload({ modelKey: key, firstSeenS: 0n, lastSeenS: BigInt(nowS() - 30 * 86_400) }), "limit_exceeded", /sightings\[0\]\.last_seen_s/],
    ["executions", "no parts", executionUpload(randomId(64), 0, 1n), "body_undecodable", /parts is 0/],
    ["executions", "too many parts", executionUpload(randomId(64), limits.partsPerExecutionMax + 1, 1n), "limit_exceeded", /partsPerExecutionMax/],
    ["executions", "an id that is none", executionUpload("x", 1, 1n), "body_undecodable", /execution_id/],
  ] as const)("%s: %s", async (kind, _, body, code, detail) => {
    expect(errors[code].status).toBeLessThan(500);
    expect((await agent.refusedUpload(code, kind, body)).detail).toMatch(detail);
  });
});
