import { fromBinary } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { ExecutionUploadSchema } from "#schema/gen/lamella/v1/execution_pb.ts";
import { SamplesUploadSchema, type SamplesUpload } from "#schema/gen/lamella/v1/samples_pb.ts";
import { frameKindOfNumber } from "#schema/frame-kinds.ts";
import { limits } from "#schema/limits.ts";
import type { Execution } from "#core/trace/execution.ts";
import { checkExecution } from "#core/upload/check-messages.ts";
import { decodeSamples } from "#core/upload/decode-samples.ts";
import { encodeExecution } from "#core/upload/encode-execution.ts";
import { importDocument, importEvents, kernel, launch, module, op, python } from "#test/core/trace/trace-text.ts";

const head = { agentVersion: "lamella-cli 0.1.0", executionId: "ab".repeat(32), name: "net.json.gz", importedAtS: 1_764_426_720 };
const modelKey = "0123456789abcdef0123456789abcdef";

function encode(execution: Execution, context = {}) {
  const result = encodeExecution(execution, head, context);
  if (!result.ok) throw new Error(result.error.detail);
  return { ...result.value, uploads: result.value.parts.map((part) => fromBinary(SamplesUploadSchema, part)) };
}

type Line = { stack: string; value: bigint; count: number; step: number };

// A decoded part as lines again: frames spelled out with all their columns.
function linesOf({ strings, frames, stacks, samples }: SamplesUpload): Line[] {
  const starts: number[] = [];
  stacks!.depth.reduce((at, depth, row) => ((starts[row] = at), at + depth), 0);
  const frame = (row: number) => {
    const { kind, name, file, line, modulePath, moduleClass, modelKey: key } = frames!;
    return [frameKindOfNumber(kind[row]!), ...[name, file, modulePath, moduleClass, key].map((column) => strings[column[row]!]), line[row]].join("|");
  };
  return samples!.stack.map((stack, i) => ({
    stack: stacks!.frame.slice(starts[stack]!, starts[stack]! + stacks!.depth[stack]!).map(frame).join(" > "), value: samples!.value[i]!, count: samples!.count[i]!, step: samples!.step[i]!,
  }));
}

function expectedLines(execution: Execution): Line[] {
  return execution.samples.map(({ stack, value, count, step }) => ({
    stack: [...execution.stacks[stack]!].map((frame) => execution.frames[frame]!)
      .map(({ kind, name, file, modulePath, moduleClass, line }) => [kind, name, file, modulePath, moduleClass, kind === "layer" ? execution.modelKey : "", line].join("|")).join(" > "),
    value: BigInt(value), count, step,
  }));
}

const small = () => importDocument({
  baseTimeNanoseconds: 1_750_000_000_000_000_000, deviceProperties: [{ id: 0, name: "NVIDIA H100 80GB HBM3" }], lamella_model_name: "tiny", lamella_model_key: modelKey,
  lamella_module_map: { "nn.Module: Net_0": { path: "", class: "Net" }, "nn.Module: Linear_0": { path: "layers.0", class: "Linear" } },
  traceEvents: [
    python("run.py(7): main", [0, 100]), module("Net_0", [1, 90]), module("Linear_0", [10, 50]), op("aten::linear", [12, 48]), launch(10, [20, 22]), launch(11, [60, 61]),
    kernel(10, [200, 210]), kernel(11, [210, 215], "add"), kernel(3, [0, 2.5]),
  ],
});

test("what is decoded is what was imported", async () => {
  const execution = await small();
  const { uploads, execution: summary, parts } = encode(execution, { hostName: "node-7", exeName: "python3.11", scriptName: "serve.py", jobTag: "nightly", userTags: ["team:infra", "run:3"] });
  expect(uploads).toHaveLength(1);
  expect(linesOf(uploads[0]!)).toEqual(expectedLines(execution));
  const { contexts, strings, ...upload } = uploads[0]!;
  expect(upload).toMatchObject({ agentVersion: "lamella-cli 0.1.0", executionId: head.executionId, part: 1, parts: 1, source: 2, baseTimeS: BigInt(head.importedAtS) });
  const label = (column: number[]) => strings[column[1]!];
  expect([contexts!.hostName, contexts!.exeName, contexts!.scriptName, contexts!.jobTag, contexts!.gpuName].map(label)).toEqual(["node-7", "python3.11", "serve.py", "nightly", "NVIDIA H100 80GB HBM3"]);
  expect([contexts!.profileType, contexts!.tagCount, contexts!.tag.map((tag) => strings[tag])]).toEqual([[0, 1], [0, 2], ["team:infra", "run:3"]]);
  expect(decodeSamples(parts[0]!)).toMatchObject({ ok: true });
  expect(fromBinary(ExecutionUploadSchema, summary)).toMatchObject({
    executionId: head.executionId, name: "net.json.gz", device: "NVIDIA H100 80GB HBM3", profileType: 1, pathSource: 1, modelName: "tiny", modelKey, parts: 1, totalValue: 17_500n, moduleValue: 15_000n,
    kernels: 3n, events: 9n, durationNs: 215_000n, recordedAtNs: 1_750_000_000_000_000_000n, importedAtS: BigInt(head.importedAtS),
    gaps: [{ reason: "launched before capture", kernels: 1n, value: 2_500n }],
  });
  expect(checkExecution(fromBinary(ExecutionUploadSchema, summary), head.importedAtS)).toBeNull();
});

describe("a large execution comes in parts", () => {
  test.each([
    ["long names fill the bytes", 900, 12_000, 4],
    ["deep stacks fill the frame references", 1_500, 20, 1_000],
  ])("%s: every part within the bounds, nothing lost", async (_, kernels, nameLength, depth) => {
    const chain = Array.from({ length: depth }, (_, i) => python(`deep.py(${i + 1}): f${i}`, [i, 1e6 - i]));
    const launches = Array.from({ length: kernels }, (_, i) => launch(i + 1, [10_000 + i, 10_000.5 + i]));
    const events = Array.from({ length: kernels }, (_, i) => kernel(i + 1, [2e6 + i, 2e6 + i + 0.001 * (i + 1)], `${i}${"k".repeat(nameLength)}`));
    const execution = await importEvents(...chain, ...launches, ...events);
    const { uploads, parts } = encode(execution);
    expect(uploads.length).toBeGreaterThan(1);
    expect(uploads.map((upload) => [upload.part, upload.parts])).toEqual(uploads.map((_, i) => [i + 1, uploads.length]));
    for (const part of parts) {
      expect(part.length).toBeLessThan(limits.bodyBytesMax);
      expect(decodeSamples(part)).toMatchObject({ ok: true });
    }
    for (const upload of uploads) expect(upload.stacks!.frame.length).toBeLessThanOrEqual(limits.frameReferencesMax);
    const lines = uploads.flatMap(linesOf);
    expect(lines).toEqual(expectedLines(execution));
    expect(lines.reduce((sum, line) => sum + line.value, 0n)).toBe(BigInt((kernels * (kernels + 1)) / 2));
    expect(lines.reduce((sum, line) => sum + line.count, 0)).toBe(kernels);
  });
});

test("a label over its bound is refused by name", async () => {
  expect(encodeExecution(await small(), head, { jobTag: "x".repeat(257) })).toMatchObject({ ok: false, error: { code: "limit_exceeded", detail: expect.stringContaining("jobTag") } });
});
