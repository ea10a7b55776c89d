import { fromBinary } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { WorkloadUploadSchema } from "#schema/gen/lamella/v1/workload_pb.ts";
import { limits } from "#schema/limits.ts";
import { checkWorkload } from "#core/upload/check-workload.ts";
import { checkDecodedSize } from "#core/upload/decoded-size.ts";
import { encodeWorkload } from "#core/upload/encode-workload.ts";
import { knownColumns } from "#core/upload/known-columns.ts";
import { requestColumns, type RequestRow } from "#core/workload/requests.ts";
import type { Workload } from "#core/workload/workload.ts";
import { readOne } from "#test/core/workload/benchmark-text.ts";

const head = { agentVersion: "lamella-cli 0.1.0", workloadId: "ab".repeat(32), name: "openai-infqps.json" };

function encode(workload: Workload) {
  const result = encodeWorkload(workload, head);
  if (!result.ok) throw new Error(result.error.detail);
  for (const part of result.value) {
    expect(part.length).toBeLessThan(limits.bodyBytesMax);
    expect(checkDecodedSize(WorkloadUploadSchema, part)).toBeNull();
  }
  const uploads = result.value.map((part) => fromBinary(WorkloadUploadSchema, part));
  for (const upload of uploads) expect(checkWorkload(upload)).toBeNull();
  return uploads;
}

const small = () => readOne({
  backend: "vllm", model_id: "Qwen/Qwen3-8B", num_prompts: 3, completed: 2, failed: 1, request_rate: "inf", max_concurrency: 8, duration: 2, mean_ttft_ms: 150,
  input_lens: [10, 20, 30], output_lens: [4, 6, 0], ttfts: [0.1, 0.2, 0], latencies: [0.46, 1.2, 0], start_times: [100, 100.25, 0], queue_times: [0, 0.25, 0], errors: ["", "", "refused"],
  itls: [[0.1, 0.16, 0.1], [0.2, 0.2, 0.2, 0.2, 0.2], []],
});

test("what is decoded is what was read; absent numbers have no bit", () => {
  const [upload, ...rest] = encode(small());
  expect(rest).toEqual([]);
  const { startUs, ttftUs, latencyUs, clientQueueUs, queueUs, inputTokens, outputTokens, failed } = upload!;
  expect({ startUs, ttftUs, latencyUs, clientQueueUs, queueUs, inputTokens, outputTokens, failed }).toEqual({
    startUs: [0n, 250_000n, 0n], ttftUs: [100_000n, 200_000n, 0n], latencyUs: [460_000n, 1_200_000n, 0n], clientQueueUs: [0n, 250_000n, 0n], queueUs: [], inputTokens: [10, 20, 30], outputTokens: [4, 6, 0], failed: [false, false, true],
  });
  const all = knownColumns.startUs | knownColumns.ttftUs | knownColumns.latencyUs | knownColumns.inputTokens | knownColumns.outputTokens | knownColumns.clientQueueUs;
  expect(upload!.known).toEqual([all, all, knownColumns.inputTokens | knownColumns.outputTokens | knownColumns.clientQueueUs]);
  expect(upload).toMatchObject({ ...head, engine: "vllm", modelName: "Qwen/Qwen3-8B", tool: "vllm bench serve", startedAtS: 0n, part: 1, parts: 1, firstRequest: 0, latencyEstimated: false, errors: ["", "refused"], error: [0, 0, 1] });
  expect([upload!.itlCount, upload!.itlP50Us, upload!.itlMaxUs]).toEqual([[3, 5, 0], [100_000n, 200_000n, 0n], [160_000n, 200_000n, 0n]]);
  const figures = (list: { name: string; value: number }[]) => Object.fromEntries(list.map(({ name, value }) => [name, value]));
  expect(figures(upload!.load)).toEqual({ requestsPerS: Number.POSITIVE_INFINITY, maxConcurrency: 8, requests: 3 });
  expect(figures(upload!.stated)).toEqual({ durationS: 2, completed: 2, failed: 1, "ttftUs.mean": 150_000 });
  expect(figures(upload!.computed)).toMatchObject({ completed: 2, failed: 1, "ttftUs.mean": expect.closeTo(150_000, 6), "latencyUs.p50": expect.closeTo(830_000, 6) });
  expect(upload!.notes).toEqual(["1 of 3 requests failed; most often: refused"]);
});

test("a file of figures is one part without a request", () => {
  const [upload] = encode(readOne({ num_prompts: 2, completed: 2, mean_ttft_ms: 5 }));
  expect(upload).toMatchObject({ part: 1, parts: 1, startUs: [], known: [], itlCount: [], errors: [] });
});

describe("a large workload comes in parts", () => {
  const workloadOf = (n: number, row: (i: number) => Partial<RequestRow>): Workload => ({ ...small(), requests: requestColumns(Array.from({ length: n }, (_, i): RequestRow => ({ failed: false, ...row(i) }))) });

  test("by its requests, each with every column and its spikes", () => {
    const n = limits.workloadRequestsPerUploadMax * 2 + 1;
    const gapsUs = [...new Array<number>(20).fill(2 ** 33), 2 ** 36, 2 ** 36, 2 ** 36, 2 ** 36];
    const uploads = encode(workloadOf(n, (i) => ({ startUs: 2 ** 40 + i, clientQueueUs: 2 ** 36, queueUs: 2 ** 36, prefillUs: 2 ** 36, ttftUs: 2 ** 36 + i, latencyUs: 2 ** 38, inputTokens: 1e6, outputTokens: 1e6, gapsUs, error: i % 2 === 0 ? "" : "refused" })));
    expect(uploads.map(({ part, parts, firstRequest, startUs, spikeGapUs }) => [part, parts, firstRequest, startUs.length, spikeGapUs.length])).toEqual([[1, 3, 0, 20_000, 80_000], [2, 3, 20_000, 20_000, 80_000], [3, 3, 40_000, 1, 4]]);
    expect(uploads.flatMap(({ ttftUs }) => ttftUs).every((us, i) => us === BigInt(2 ** 36 + i))).toBe(true);
  });

  test("by its error texts, long ones with their middle left out", () => {
    const uploads = encode(workloadOf(300, (i) => ({ failed: true, error: `${i} ${"ü".repeat(20_000)} end` })));
    expect(uploads.length).toBeGreaterThan(1);
    const texts = uploads.flatMap(({ errors, error }) => error.map((row) => errors[row]!));
    expect(texts.map((text) => Number.parseInt(text))).toEqual(Array.from({ length: 300 }, (_, i) => i));
    expect(texts.every((text) => text.endsWith("ü end") && text.includes("…"))).toBe(true);
    expect(uploads[0]!.notes.at(-1)).toBe("Error texts longer than 16,384 bytes, their middle left out: 300");
    expect(uploads[1]!.notes).toEqual([]);
  });
});

test("a label over its bound is refused by name", () => {
  expect(encodeWorkload({ ...small(), modelName: "m".repeat(257) }, head)).toMatchObject({ ok: false, error: { code: "limit_exceeded", detail: expect.stringContaining("modelName") } });
});
