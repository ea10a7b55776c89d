// Workloads on a real ClickHouse, rows made as uploads make them; every case is a tenant of its own. What is asked of all requests is held to core/workload, which answers
// the same for a file that is only read.
import { create, fromBinary, type MessageInitShape } from "@bufbuild/protobuf";
import { afterAll, describe, expect, test } from "vitest";
import { type TenantScope, tenantScope } from "#clickhouse/scope.ts";
import { errorsOf, failuresOf, goodputOf, representativesOf, requestsOf, type RequestsSort } from "#clickhouse/workload-requests.ts";
import { workloadById, workloadsBetween } from "#clickhouse/workloads.ts";
import { encodeWorkload } from "#core/upload/encode-workload.ts";
import { goodputOf as goodputInCore } from "#core/workload/goodput.ts";
import { representativeRules, representativesOf as representativesInCore } from "#core/workload/representatives.ts";
import { requestColumns, type RequestRow, type Requests } from "#core/workload/requests.ts";
import type { Workload } from "#core/workload/workload.ts";
import { WorkloadUploadSchema, type WorkloadUpload } from "#schema/gen/lamella/v1/workload_pb.ts";
import { requestsOf as drawRequests } from "#test/core/workload/benchmark-text.ts";
import { openEngine } from "#test/rig/engine.ts";
import { ask, insertBlock } from "#test/rig/store.ts";
import { requestRows, workloadRow } from "#workers/ingest/rows-workloads.ts";

const engine = openEngine();
afterAll(() => engine.close());

const nowS = Math.floor(Date.now() / 1_000);
const id = (letter: string) => letter.repeat(64);
let tenants = 0;
const newTenant = () => tenantScope(`${"abcdefghijklmnopqrstuvwxyz"[tenants++]}`.repeat(16), 30);

async function store(scope: TenantScope, upload: WorkloadUpload, receivedAtS = nowS, storedAtS = nowS): Promise<void> {
  await insertBlock(engine, "workload_requests", requestRows(scope, upload, storedAtS));
  await insertBlock(engine, "workloads", workloadRow(scope, upload, receivedAtS * 1_000, storedAtS * 1_000));
}

const upload = (init: MessageInitShape<typeof WorkloadUploadSchema>) => create(WorkloadUploadSchema, { workloadId: id("a"), ...init });
const plain = (n: number, init: MessageInitShape<typeof WorkloadUploadSchema> = {}) => {
  const column = <T>(value: T) => Array.from({ length: n }, () => value);
  return upload({ startUs: column(0n), ttftUs: column(1n), latencyUs: column(2n), inputTokens: column(3), outputTokens: column(4), failed: column(false), ...init });
};

const uploadsOf = (requests: Requests): WorkloadUpload[] => {
  const workload: Workload = { format: "vllm", tool: "vllm bench serve", toolVersion: "", label: "", engine: "vllm", modelName: "org/net", startedAtS: undefined, dateText: "", load: {}, requests, stated: {}, computed: undefined, notes: [] };
  const encoded = encodeWorkload(workload, { agentVersion: "1", workloadId: id("a"), name: "drawn" });
  if (!encoded.ok) throw new Error(encoded.error.detail);
  return encoded.value.map((bytes) => fromBinary(WorkloadUploadSchema, bytes));
};

const page = async (scope: TenantScope, sort: RequestsSort = { column: "request", descending: false }, offset = 0, limit = 100) => await ask(engine, scope, requestsOf(id("a"), { sort, offset, limit }));

test("a summary comes back whole: infinite rate, figures, aggregates, notes", async () => {
  const scope = newTenant();
  await store(scope, plain(2, {
    name: "run.json", label: "mine", tool: "vllm bench serve", toolVersion: "0.11", engine: "vllm", modelName: "org/net", layers: 28, startedAtS: 1_764_426_720n, dateText: "", latencyEstimated: true, loadStrategy: "poisson",
    load: [{ name: "requestsPerS", value: Infinity }, { name: "maxConcurrency", value: 8 }], stated: [{ name: "ttftUs.p99", value: 1.5 }], computed: [{ name: "completed", value: 2 }],
    aggregates: [{ engine: "vllm", metric: "queue_seconds", value: 0.25, observations: 2 }], notes: ["one", "two"], failed: [false, true],
  }));
  expect(await ask(engine, scope, workloadById(id("a")))).toEqual([{
    workload_id: id("a"), name: "run.json", label: "mine", tool: "vllm bench serve", tool_version: "0.11", engine: "vllm", model_name: "org/net", layers: 28, started_s: 1_764_426_720, date_text: "",
    latency_estimated: true, load_strategy: "poisson", load_names: ["requestsPerS", "maxConcurrency"], load_values: [null, 8], stated_names: ["ttftUs.p99"], stated_values: [1.5],
    computed_names: ["completed"], computed_values: [2], aggregate_engines: ["vllm"], aggregate_metrics: ["queue_seconds"], aggregate_values: [0.25], aggregate_observations: [2], notes: ["one", "two"],
    received_ms: nowS * 1_000, parts: 1, parts_stored: 1, requests: 2, failed: 1,
  }]);
  expect(await ask(engine, scope, workloadById(id("b")))).toEqual([]);
});

test("a workload is complete when every part is here, in whatever order, whatever came twice", async () => {
  const scope = newTenant();
  const part = (number: number, firstRequest: number, n: number) => plain(n, { part: number, parts: 3, firstRequest, name: number === 1 ? "first" : "" });
  const state = async () => (await ask(engine, scope, workloadById(id("a")))).map(({ name, parts, parts_stored: stored, requests }) => [name, stored, parts, requests]);
  await store(scope, part(3, 5, 1));
  expect(await state()).toEqual([]); // its figures are not here yet
  await store(scope, part(1, 0, 3));
  expect(await state()).toEqual([["first", 2, 3, 4]]);
  await store(scope, part(1, 0, 3), nowS, nowS + 1);
  expect(await state()).toEqual([["first", 2, 3, 4]]);
  await store(scope, part(2, 3, 2));
  expect(await state()).toEqual([["first", 3, 3, 6]]);
  expect((await page(scope)).map(({ request }) => request)).toEqual([0, 1, 2, 3, 4, 5]);
});

test("what the file does not give is NULL, never 0; spikes stay with their request", async () => {
  const scope = newTenant();
  await store(scope, upload({
    startUs: [0n, 0n], ttftUs: [5n, 0n], latencyUs: [25n, 0n], inputTokens: [7, 0], outputTokens: [3, 0], failed: [false, true], known: [31, 0], queueUs: [2n, 0n], itlCount: [2, 0], itlP50Us: [8n, 0n], itlP90Us: [9n, 0n],
    itlP99Us: [10n, 0n], itlMaxUs: [11n, 0n], spikeRequest: [0, 0], spikeAtUs: [15n, 25n], spikeGapUs: [10n, 11n], errors: ["", "=cmd()"], error: [0, 1],
  }));
  const absent = { startUs: null, clientQueueUs: null, queueUs: null, prefillUs: null, ttftUs: null, decodeUs: null, tpotUs: null, latencyUs: null, inputTokens: null, outputTokens: null, itlP50Us: null, itlP90Us: null, itlP99Us: null, itlMaxUs: null };
  expect(await page(scope)).toEqual([
    { ...absent, request: 0, startUs: 0, ttftUs: 5, decodeUs: 20, tpotUs: 10, latencyUs: 25, inputTokens: 7, outputTokens: 3, itlCount: 2, itlP50Us: 8, itlP90Us: 9, itlP99Us: 10, itlMaxUs: 11, failed: false, errorId: "", spikeAtUs: [15, 25], spikeGapUs: [10, 11] },
    { ...absent, request: 1, itlCount: 0, failed: true, errorId: expect.stringMatching(/^[0-9A-F]{32}$/), spikeAtUs: [], spikeGapUs: [] },
  ]);
  const { errorId } = (await page(scope))[1]!;
  const errorsIn = async (descending: boolean, offset: number) => await ask(engine, scope, errorsOf(id("a"), { sort: { column: "request", descending }, offset, limit: 1 }));
  expect([await errorsIn(false, 0), await errorsIn(false, 1)]).toEqual([[], [{ id: errorId, error: "=cmd()" }]]); // of each page its own
  expect([await errorsIn(true, 0), await errorsIn(true, 1)]).toEqual([[{ id: errorId, error: "=cmd()" }], []]);
});

test("pages sort by any column, those without the number last, and follow one another", async () => {
  const scope = newTenant();
  for (const part of uploadsOf(drawRequests({ latency: 30, ttft: 10, output: 5 }, { ttft: 5 }, { latency: 10, ttft: 20 }, { latency: 20, error: "refused" }, { latency: 30, ttft: 1, output: 2 }))) await store(scope, part);
  const order = async (column: RequestsSort["column"], descending: boolean) => (await page(scope, { column, descending })).map(({ request }) => request);
  expect(await order("latencyUs", false)).toEqual([2, 3, 0, 4, 1]);
  expect(await order("latencyUs", true)).toEqual([0, 4, 3, 2, 1]);
  expect(await order("decodeUs", true)).toEqual([4, 0, 1, 2, 3]); // a TTFT above the latency leaves no decode
  expect(await order("tpotUs", false)).toEqual([0, 4, 1, 2, 3]); // 20 ms over 4 gaps, 29 ms over 1
  expect(await order("failed", true)).toEqual([3, 0, 1, 2, 4]);
  const seen: number[] = [];
  for (let offset = 0; offset < 5; offset += 2) seen.push(...(await page(scope, { column: "latencyUs", descending: true }, offset, 2)).map(({ request }) => request));
  expect(seen).toEqual([0, 4, 3, 2, 1]);
});

describe("what is asked of all requests is what core/workload answers", () => {
  // 211 requests by a fixed rule: ties, failures, answers of one token, absent numbers. Whole µs, as they are stored.
  const rows = Array.from({ length: 211 }, (_, i): RequestRow => ({
    failed: i % 17 === 3, error: i % 17 === 3 ? ["timeout", "refused", ""][i % 3] : "", ttftUs: i % 13 === 5 ? undefined : 1_000 + ((i * 7_919) % 40) * 500, latencyUs: i % 19 === 7 ? undefined : 30_000 + ((i * 104_729) % 60) * 1_000,
    outputTokens: i % 23 === 1 ? undefined : 1 + (i % 6), inputTokens: 10 + i,
  }));
  const requests = requestColumns(rows);
  const scope = newTenant();

  test("stored", async () => {
    for (const part of uploadsOf(requests)) await store(scope, part);
    expect(await ask(engine, scope, workloadById(id("a")))).toMatchObject([{ requests: 211, failed: requests.failed.reduce((sum, flag) => sum + flag, 0) }]);
  });

  test("representatives", async () => {
    const found = await ask(engine, scope, representativesOf(id("a"), representativeRules.map(({ percentile }) => percentile)));
    const known = (value: number) => (Number.isNaN(value) ? null : value);
    expect(found).toEqual(representativesInCore(requests).map(({ label: _label, ...one }) => ({ ...one, ttftUs: known(one.ttftUs), inputTokens: known(one.inputTokens), outputTokens: known(one.outputTokens) })));
  });

  test.each([[{}], [{ ttft: 9_000 }], [{ tpot: 9_500 }], [{ e2e: 60_000 }], [{ ttft: 15_000, tpot: 20_000, e2e: 80_000 }], [{ ttft: 0.5, tpot: 0.5, e2e: 0.5 }]])("goodput under %j", async (limitsUs: { ttft?: number; tpot?: number; e2e?: number }) => {
    const { good, notJudged, missed } = goodputInCore(requests, { ttftUs: limitsUs.ttft, tpotUs: limitsUs.tpot, latencyUs: limitsUs.e2e }, undefined);
    expect(await ask(engine, scope, goodputOf(id("a"), limitsUs))).toEqual([{ good, not_judged: notJudged, missed_ttft: missed.ttftUs, missed_tpot: missed.tpotUs, missed_e2e: missed.latencyUs }]);
  });

  test("failures by their text, the most frequent first", async () => {
    // 13 requests fail: 3, 20, 37, … 207; their numbers modulo 3 are 0, 2, 1, 0, …
    expect(await ask(engine, scope, failuresOf(id("a"), 2))).toEqual([{ error: "timeout", requests: 5, errors: 3 }, { error: "", requests: 4, errors: 3 }]);
  });
});

test("a run of which every request failed has no representative and no good request", async () => {
  const scope = newTenant();
  for (const part of uploadsOf(drawRequests({ latency: 5, error: "refused" }, { error: "refused" }))) await store(scope, part);
  expect(await ask(engine, scope, representativesOf(id("a"), [10, 50, 90]))).toEqual([]);
  expect(await ask(engine, scope, goodputOf(id("a"), { e2e: 1e9 }))).toMatchObject([{ good: 0, not_judged: 0 }]);
  expect(await ask(engine, scope, failuresOf(id("a"), 9))).toEqual([{ error: "refused", requests: 2, errors: 1 }]);
});

test("lists are newest first, pages follow one another within one second too, a prefix narrows", async () => {
  const scope = newTenant();
  for (const [letter, ago] of [["a", 300], ["b", 100], ["c", 100], ["d", 100], ["e", 50]] as const) await store(scope, plain(1, { workloadId: id(letter) }), nowS - ago);
  const list = async (after?: { receivedAtMs: number; id: string }, prefix = "") => await ask(engine, scope, workloadsBetween({ fromS: nowS - 1_000, toS: nowS, limit: 2, prefix, ...(after ? { after } : {}) }));
  const seen: string[] = [];
  for (let rows = await list(); rows.length > 0; rows = await list({ receivedAtMs: rows.at(-1)!.received_ms, id: rows.at(-1)!.workload_id })) seen.push(...rows.map((row) => row.workload_id[0]!));
  expect(seen).toEqual(["e", "b", "c", "d", "a"]);
  expect((await list(undefined, "c")).map((row) => row.workload_id)).toEqual([id("c")]);
  expect((await ask(engine, scope, workloadsBetween({ fromS: nowS - 299, toS: nowS - 51, limit: 9 }))).map((row) => row.workload_id[0])).toEqual(["b", "c", "d"]);
});

test("two tenants with the same workload never mix", async () => {
  const [one, other] = [newTenant(), newTenant()];
  await store(one, plain(2, { name: "one" }));
  await store(other, plain(3, { name: "other" }));
  expect(await ask(engine, one, workloadById(id("a")))).toMatchObject([{ name: "one", requests: 2 }]);
  expect((await page(other)).length).toBe(3);
});
