// Bodies of the small kinds that are small on the wire and would be large in memory are refused before they are decoded; what fits is let through.
import { create, type DescMessage, toBinary } from "@bufbuild/protobuf";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ExecutionUploadSchema } from "#schema/gen/lamella/v1/execution_pb.ts";
import { MetricsUploadSchema } from "#schema/gen/lamella/v1/metrics_pb.ts";
import { ShapeUploadSchema } from "#schema/gen/lamella/v1/shape_pb.ts";
import { SightingsUploadSchema } from "#schema/gen/lamella/v1/sighting_pb.ts";
import { WorkloadUploadSchema } from "#schema/gen/lamella/v1/workload_pb.ts";
import { limits } from "#schema/limits.ts";
import { checkDecodedSize } from "#core/upload/decoded-size.ts";
import { content, message, number, packed, startGroup, text, varint } from "#test/rig/wire-writer.ts";

const bytesMax = limits.inflatedBytesMax;
const fill = (piece: readonly number[]) => new Uint8Array(Buffer.concat(new Array<Buffer>(Math.floor(bytesMax / piece.length)).fill(Buffer.from(piece))));
const all: DescMessage[] = [SightingsUploadSchema, ExecutionUploadSchema, MetricsUploadSchema, WorkloadUploadSchema, ShapeUploadSchema];

describe("refused", () => {
  test.each<[string, DescMessage, readonly number[]]>([
    ["empty sightings", SightingsUploadSchema, content(3, [])],
    ["sightings of one field", SightingsUploadSchema, content(3, number(6, 1))],
    ["empty gaps", ExecutionUploadSchema, content(17, [])],
    ["empty notes", ExecutionUploadSchema, text(18, "")],
    ["empty strings", ShapeUploadSchema, text(7, "")],
    ["64-bit numbers, unpacked", WorkloadUploadSchema, number(7, 1)],
    ["64-bit numbers, packed", WorkloadUploadSchema, packed(8, new Array<number>(100).fill(1))],
    ["small numbers, packed", MetricsUploadSchema, packed(4, new Array<number>(100).fill(1))],
  ])("8 MiB of %s", (_name, schema, piece) => {
    const problem = checkDecodedSize(schema, fill(piece));
    expect(problem?.code).toBe("limit_exceeded");
    expect(problem?.detail).toMatch(new RegExp(`^the decoded ${schema.name}, bytes: \\d+ is over the bound of ${limits.decodedBytesMax} \\(decodedBytesMax\\)`));
  });

  test("bytes that are no message, with the place", () => {
    expect(checkDecodedSize(SightingsUploadSchema, message(number(2, 1), startGroup(3)))).toEqual({ code: "body_undecodable", detail: "not a SightingsUpload: wire type 3 at byte 2" });
    expect(checkDecodedSize(SightingsUploadSchema, message(content(3, [...varint((1 << 3) | 2), 9, 1])))).toEqual({ code: "body_undecodable", detail: "not a SightingsUpload: a field of 9 bytes runs past the end at byte 2" });
  });
});

describe("let through", () => {
  const sighting = { modelKey: "ab".repeat(16), servedName: "qwen3-prod", nameOrPath: "Qwen/Qwen3-32B", hostName: "node-7", k8sPod: "vllm-0", userTags: new Array<string>(32).fill("x".repeat(256)), processKey: 2n ** 63n };
  const full = <T>(n: number, value: T) => new Array<T>(n).fill(value);
  const requests = limits.samplesPerUploadMax;
  test.each<[string, DescMessage, Uint8Array]>([
    ["8 MiB of sightings with every tag", SightingsUploadSchema, toBinary(SightingsUploadSchema, create(SightingsUploadSchema, { source: 1, sightings: full(850, sighting) }))],
    ["as many requests as the bound", WorkloadUploadSchema, toBinary(WorkloadUploadSchema, create(WorkloadUploadSchema, {
      startUs: full(requests, 2n ** 40n), ttftUs: full(requests, 2n ** 20n), latencyUs: full(requests, 2n ** 30n), inputTokens: full(requests, 512), outputTokens: full(requests, 128), failed: full(requests, true),
    }))],
    ["as many points as the bound", MetricsUploadSchema, toBinary(MetricsUploadSchema, create(MetricsUploadSchema, { strings: ["", "a"], pointSeries: full(requests, 0), pointTimeS: full(requests, 10n), pointValue: full(requests, 0.5) }))],
    ["a digest of 1 MiB", ExecutionUploadSchema, toBinary(ExecutionUploadSchema, create(ExecutionUploadSchema, { digest: new Uint8Array(limits.executionDigestBytesMax) }))],
    ["8 MiB of unknown fields, which are skipped", ShapeUploadSchema, fill(number(100, 1))],
  ])("%s", (_name, schema, bytes) => {
    expect(checkDecodedSize(schema, bytes)).toBeNull();
  });
});

test("whatever the bytes, it answers", () => {
  fc.assert(fc.property(fc.constantFrom(...all), fc.uint8Array({ maxLength: 200 }), (schema, bytes) => {
    const problem = checkDecodedSize(schema, bytes);
    expect(problem === null || problem.code === "body_undecodable").toBe(true);
  }), { numRuns: 500 });
});
