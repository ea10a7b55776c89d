import { describe, expect, test } from "vitest";
import { executionNodes } from "#core/upload/execution-nodes.ts";
import { readRecord } from "#core/upload/read-record.ts";
import { encodeUtf8 } from "#core/utf8.ts";
import { drawRecord } from "#test/rig/draw-record.ts";

const record = drawRecord(".  Net 2 24000 4\n  layers.0 Layer 2 14000 2\n  layers.1 Layer 1 10000 2", { kernels: [{ module: 1, op: "aten::mm", kernel: "gemm", count: 2, value: 14_000 }] });
const digest = (value: unknown) => encodeUtf8(JSON.stringify(value));
const outcome = (bytes: Uint8Array) => {
  const read = readRecord(bytes);
  return read.ok ? (read.value === null ? "no record" : "a record") : `${read.error.code}: ${read.error.detail}`;
};

test("a record comes back as it was sent", () => {
  expect(readRecord(digest(record))).toEqual({ ok: true, value: record });
});

describe("older clients and others", () => {
  test.each<[string, Uint8Array, string]>([
    ["nothing at all", new Uint8Array(), "no record"],
    ["format 1, which had no modules", digest({ format: 1, headline: "1 kernel" }), "no record"],
    ["a later format", digest({ ...record, format: 3 }), "body_undecodable: digest has the format 3; 1 and 2 are known here. A newer client needs a newer server"],
    ["JSON of something else", digest({ hello: 1 }), "body_undecodable: digest has the format none; 1 and 2 are known here. A newer client needs a newer server"],
    ["null", digest(null), "body_undecodable: digest has the format none; 1 and 2 are known here. A newer client needs a newer server"],
    ["no JSON", encodeUtf8("{"), "body_undecodable: digest is not JSON in UTF-8"],
    ["no UTF-8", Uint8Array.of(0x22, 0xff, 0x22), "body_undecodable: digest is not JSON in UTF-8"],
  ])("%s", (_, bytes, expected) => expect(outcome(bytes)).toBe(expected));
});

test("keys that are not of this version are not kept, nor one that would be a prototype; of a key that is there twice the last counts", () => {
  const text = JSON.stringify({ ...record, later: { more: 1 } }).replace('{"format":2', '{"format":1,"format":2,"__proto__":{"format":3}').replace('"found":{}', '"found":{"__proto__":1}');
  const read = readRecord(encodeUtf8(text));
  expect(read).toEqual({ ok: true, value: record });
  expect(read.ok && read.value !== null && Object.keys(read.value).sort()).toEqual(Object.keys(record).sort());
});

test("a forward analysis nested so deep that printing it again would overflow the stack is refused, whole", () => {
  const nested = (levels: number) => encodeUtf8(JSON.stringify({ ...record, forward: null }).replace('"forward":null', `"forward":${"[".repeat(levels)}${"]".repeat(levels)}`));
  expect(outcome(nested(500_000))).toBe("limit_exceeded: digest: lists or objects in it are nested deeper than 1000 levels (jsonNestingMax)");
  expect(outcome(nested(1_000))).toMatch(/^limit_exceeded/); // the record itself is the first level
  expect(outcome(nested(999))).toBe("a record");
});

describe("a record that is not in order is refused with the place", () => {
  const { modules, kernels, texts } = record;
  test.each<[string, object, string]>([
    ["a missing table", { modules: undefined }, "modules is not an object"],
    ["a value below 0", { modules: { ...modules, value: [1, -1, 1] } }, "modules.value[1] is -1, not a whole number from 0 to 9007199254740991"],
    ["a fraction", { modules: { ...modules, calls: [1, 1.5, 1] } }, "modules.calls[1] is 1.5, not a whole number from 0 to 9007199254740991"],
    ["a text that is none", { texts: [...texts, 7] }, `texts[${texts.length}] is 7, not a text`],
    ["an unknown profile type", { profileType: "ram" }, "profileType is \"ram\", not one of cuda, cuda_launch, pc, cpu, cpu_op, samples, wall"],
    ["half a million wrong steps name one", { steps: new Array(500_000).fill(0) }, "steps[0] is not an object"],
    ["a child before its parent", { modules: { ...modules, parent: [-1, 2, 0] } }, "modules.parent[1] is 2; a parent comes before its children"],
    ["a short column", { modules: { ...modules, cpu: { ...modules.cpu, total: [1] } } }, "modules.cpu.total has 1 rows of 3"],
    ["a text beyond the last", { modules: { ...modules, path: [0, 0, texts.length] } }, `modules.path[2] is ${texts.length}, of ${texts.length}`],
    ["a kernel of a module beyond the last", { kernels: { ...kernels, module: [3] } }, "kernels.module[0] is 3, of 3"],
  ])("%s", (_, change, issue) => {
    const read = readRecord(digest({ ...record, ...change }));
    expect(read.ok ? null : read.error).toEqual({ code: "body_undecodable", detail: typeof issue === "string" ? `digest is no record: ${issue}` : issue });
  });
});

test("one row per module for the store", () => {
  expect(executionNodes(record)).toEqual({
    modulePath: ["", "layers.0", "layers.1"], moduleClass: ["Net", "Layer", "Layer"], step: [0, 0, 0], calls: [2, 2, 1], kernels: [4, 2, 2], value: [24_000, 14_000, 10_000],
    gpuMin: [12_000, 7_000, 10_000], gpuMedian: [12_000, 7_000, 10_000], gpuMax: [12_000, 7_000, 10_000],
    cpuTotal: [240_000, 140_000, 100_000], cpuMin: [120_000, 70_000, 100_000], cpuMedian: [120_000, 70_000, 100_000], cpuMax: [120_000, 70_000, 100_000],
  });
});
