// Uploads made by hand to break what is read of them: the largest and oddest the door takes, parts that contradict each other, ids that are taken.
import { create, toBinary } from "@bufbuild/protobuf";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { encodeUtf8 } from "#core/utf8.ts";
import { MetricsUploadSchema } from "#schema/gen/lamella/v1/metrics_pb.ts";
import type { Client } from "#test/rig/client.ts";
import { drawRecord } from "#test/rig/draw-record.ts";
import { expectInvariants } from "#test/rig/invariants.ts";
import { StackRig } from "#test/rig/stack.ts";
import { drawProfile } from "#test/rig/stacks.ts";
import { executionUpload, nowS, oneSample, randomId, samplesUpload, workloadUpload } from "#test/rig/uploads.ts";

let rig: StackRig;
beforeAll(async () => {
  rig = await StackRig.open();
});
afterAll(() => rig.remove());
afterEach(() => expectInvariants(rig));

const record = (drawing = ".  Net 2 24000 4\n  layers.0 Layer 2 14000 2") => drawRecord(drawing);
const digest = (value: object, change = (text: string) => text) => encodeUtf8(change(JSON.stringify(value)));
const most = Number.MAX_SAFE_INTEGER;
const odd = "\u001b[2J\u009b\u202e<script>alert(1)</script>\u0000\ud800`|'\\";

async function sendExecution(tenant: Client, id: string, fields: Parameters<typeof executionUpload>[3], totalValue = 50n): Promise<void> {
  await rig.send(tenant, ["samples", samplesUpload(oneSample(50), { executionId: id, part: 1, parts: 1 })], ["executions", executionUpload(id, 1, totalValue, { modelName: "org/net", ...fields })]);
}

// Every route answers, and each answer is of its schema (the client holds it to it).
describe("the largest and oddest that the door takes is answered by every route that shows it", () => {
  const all = BigInt(most);
  const filled = record();
  const huge = (column: readonly number[]) => column.map(() => most);
  test.each<[string, Parameters<typeof executionUpload>[3], bigint?]>([
    ["every number at its bound", { moduleValue: all, kernels: all, events: all, durationNs: all, recordedAtNs: 2n ** 63n - 1n, gaps: [{ reason: odd, kernels: all, value: all }], digest: digest({ ...filled, durationNs: most, modules: { ...filled.modules, calls: huge(filled.modules.calls), kernels: huge(filled.modules.kernels), value: huge(filled.modules.value), gpu: { min: huge(filled.modules.gpu.min), median: huge(filled.modules.gpu.median), max: huge(filled.modules.gpu.max), slowest: huge(filled.modules.gpu.slowest) } } }) }, all],
    ["nothing but zeros", { recordedAtNs: -(2n ** 63n), digest: digest({ ...filled, modules: { ...filled.modules, calls: [0, 0], value: [0, 0] }, totals: { kernels: 0, value: 0, moduleValue: 0, busyNs: 0 } }) }, 0n],
    ["odd texts", { name: odd, device: odd, modelName: "org/net", notes: [odd], digest: digest({ ...filled, device: odd, notes: [odd], headline: odd, texts: filled.texts.map((text) => text + odd) }) }],
    ["keys that JavaScript has of its own, and keys twice", { digest: digest(filled, (text) => text.replace('{"format":2', '{"format":1,"format":2,"__proto__":{"format":1},"constructor":1').replace('"found":{}', '"found":{"__proto__":1,"toString":true}')) }],
    ["numbers that JSON cannot print again", { digest: digest({ ...filled, forward: null }, (text) => text.replace('"forward":null', '"forward":[1e999,-1e999,1e-999]')) }],
    ["a forward analysis as deep as may be", { digest: digest({ ...filled, forward: null }, (text) => text.replace('"forward":null', `"forward":${"[".repeat(900)}${"]".repeat(900)}`)) }],
  ])("an execution: %s", async (name, fields, totalValue) => {
    const [tenant, id, plain] = [await rig.tenant(`odd-${name.replaceAll(/[^a-z]+/gi, "-").toLowerCase()}`.slice(0, 30)), randomId(64), randomId(64)];
    await sendExecution(tenant, plain, { digest: digest(filled) });
    await sendExecution(tenant, id, fields, totalValue);
    await tenant.get("execution", { params: { id } });
    await tenant.get("executionRecord", { params: { id } }); // and what the schema does not know is not in it
    for (const [a, b] of [[id, plain], [plain, id], [id, id]] as const) await tenant.get("executionCompare", { params: { id: a }, query: { with: b } });
    expect((await tenant.get("executions")).executions).toHaveLength(2);
    await tenant.get("moduleHistory", { query: { path: "layers.0", model_name: "org/net" } });
    await tenant.get("flamegraph", { query: { execution: id } });
  });

  type Point = readonly [metric: string, labels: string, value: number];
  const metricsUpload = (points: readonly Point[]) => {
    const strings = ["", odd, "__proto__", ...new Set(points.flatMap(([metric, labels]) => [metric, labels]).filter((text) => text !== ""))];
    const column = (of: (point: Point) => string) => points.map((point) => strings.indexOf(of(point)));
    return new Uint8Array(toBinary(MetricsUploadSchema, create(MetricsUploadSchema, {
      agentVersion: "flow test 1", baseTimeS: BigInt(nowS() - 60), strings, seriesMetric: column(([metric]) => metric), seriesLabels: column(([, labels]) => labels), seriesEngine: points.map((_, i) => i % 3), seriesHostName: points.map(() => 1), seriesModelName: points.map(() => 1),
      pointSeries: points.flatMap((_, i) => [i, i]), pointTimeS: points.flatMap(() => [0n, 30n]), pointValue: points.flatMap(([, , value]) => [value, value]),
    })));
  };
  test("engine metrics", async () => {
    const tenant = await rig.tenant("odd-metrics");
    const points: Point[] = [
      ["requests_running", "a=1", 1e30], ["requests_running", "a=2", 1e30], ["prompt_tokens", "", -1e30], ["kv_cache_usage_ratio", "since=start", -1],
      ["ttft_seconds_bucket", "le=abc", 5], ["ttft_seconds_bucket", "le=", -5], ["ttft_seconds_bucket", "le=NaN", 1], ["ttft_seconds_bucket", "le=+Inf", 1e30], ["ttft_seconds_bucket", "le=0.5,le=0.7", 3], ["ttft_seconds_sum", "", 1e30],
      ["ttft_seconds_count", "", -1], ["ttft_seconds_quantile", "quantile=5", 3], ["ttft_seconds_quantile", "quantile=x", 3], ["__proto__", "", 1], ["constructor_bucket", "le=1", 1], ["_sum", "", 1], ["x_total_bucket_count", "__proto__=1", 1], [odd, "", 1], ["m".repeat(16_384), "", 1],
    ];
    await rig.send(tenant, ["metrics", metricsUpload(points)]);
    const { metrics } = await tenant.get("metrics");
    await tenant.get("metrics", { query: { from: "-7d" } });
    expect(metrics.length).toBe(10);
    for (const { metric } of metrics) for (const query of [{}, { from: "-7d", step: "3600" }]) expect((await tenant.get("metricSeries", { query: { metric, ...query } })).engines.length, metric.slice(0, 40)).toBeGreaterThan(0);
  });

  test("a workload", async () => {
    const [tenant, id] = [await rig.tenant("odd-workload"), randomId(64)];
    const figures = [{ name: "__proto__.p50", value: 1 }, { name: "constructor", value: 1 }, { name: "ttftUs.__proto__", value: 1 }, { name: "ttftUs.p50", value: 1e30 }, { name: "ttftUs.n", value: most }, { name: "completed", value: -1e30 }, { name: "durationS", value: 1e-320 }, { name: odd, value: 0 }];
    await rig.send(tenant, ["workloads", workloadUpload(3, {
      workloadId: id, name: odd, tool: odd, toolVersion: odd, label: odd, engine: odd, modelName: odd, dateText: odd, loadStrategy: odd, startedAtS: 4_294_967_295n, layers: 4_294_967_295, notes: [odd],
      load: [{ name: "requestsPerS", value: Infinity }, { name: "__proto__", value: 1 }, { name: "maxConcurrency", value: -1e30 }], stated: figures, computed: figures, aggregates: [{ engine: odd, metric: "constructor", value: -1e30, observations: 1e30 }],
      ttftUs: [9_000n, 1n, 10_000_000_000_000n], latencyUs: [1n, 0n, 10_000_000_000_000n], inputTokens: [4_294_967_295, 0, 1], outputTokens: [4_294_967_295, 0, 1], failed: [false, false, true], errors: ["", odd], error: [0, 0, 1],
    })]);
    await tenant.get("workload", { params: { id }, query: { ttft_ms: "0.001", tpot_ms: "1e-9", e2e_ms: "10000000000" } });
    expect((await tenant.get("workloads")).workloads).toHaveLength(1);
    for (const sort of ["request", "-tpotUs", "decodeUs", "failed"]) expect((await tenant.get("workloadRequests", { params: { id }, query: { sort } })).columns.request).toHaveLength(3);
  });
});

describe("what is complete stays as it is, whoever sends its id again", () => {
  test("an execution and its record", async () => {
    const [tenant, id] = [await rig.tenant("complete-execution"), randomId(64)];
    await sendExecution(tenant, id, { name: "first", digest: digest(record()) });
    const before = [await tenant.get("execution", { params: { id } }), await tenant.get("executionRecord", { params: { id } })];
    const { headers } = await tenant.raw("GET", `/t/${tenant.slug}/api/executions/${id}/record`);
    await rig.send(tenant, ["executions", executionUpload(id, 1, 50n, { name: "second", digest: digest(record(".  Other 1 50 1")) })], ["executions", executionUpload(id, 1_000, 50n, { name: "never whole" })], ["executions", executionUpload(id, 1, 50n, { name: "without a record" })]);
    expect([await tenant.get("execution", { params: { id } }), await tenant.get("executionRecord", { params: { id } })]).toEqual(before);
    expect((await tenant.raw("GET", `/t/${tenant.slug}/api/executions/${id}/record`, { headers: { "if-none-match": headers.get("etag")! } })).status).toBe(304);
    expect((await tenant.get("executions")).executions).toMatchObject([{ id, name: "first", complete: true }]);
  });

  test("a workload and its requests", async () => {
    const [tenant, id] = [await rig.tenant("complete-workload"), randomId(64)];
    await rig.send(tenant, ["workloads", workloadUpload(3, { workloadId: id, name: "first" })]);
    const before = [await tenant.get("workload", { params: { id } }), await tenant.get("workloadRequests", { params: { id } })];
    await rig.send(tenant, ["workloads", workloadUpload(5, { workloadId: id, name: "second" })], ["workloads", workloadUpload(3, { workloadId: id, name: "never whole", part: 1, parts: 9 })], ["workloads", workloadUpload(3, { workloadId: id, part: 2, parts: 9, firstRequest: 1 })]);
    expect([await tenant.get("workload", { params: { id } }), await tenant.get("workloadRequests", { params: { id } })]).toEqual(before);
  });

  test("another tenant with the same ids has its own, and changes nothing of them", async () => {
    const [ada, ben, id] = [await rig.tenant("same-id-ada"), await rig.tenant("same-id-ben"), randomId(64)];
    await sendExecution(ada, id, { name: "ada's", digest: digest(record()) });
    await rig.send(ada, ["workloads", workloadUpload(3, { workloadId: id, name: "ada's" })]);
    await ben.refused("not_found", "execution", { params: { id } });
    await rig.send(ben, ["executions", executionUpload(id, 1, 7n, { name: "ben's", digest: digest(record(".  Other 1 50 1")) })], ["workloads", workloadUpload(1, { workloadId: id, name: "ben's", parts: 2, part: 1 })]);
    // Her samples do not complete his execution, nor his part her workload.
    expect(await ben.get("execution", { params: { id } })).toMatchObject({ name: "ben's", complete: false, parts: { stored: 0, of: 1 } });
    expect((await ben.get("workloads")).workloads).toMatchObject([{ name: "ben's", complete: false, requests: 1 }]);
    expect(await ada.get("execution", { params: { id } })).toMatchObject({ name: "ada's", complete: true });
    expect(await ada.get("workload", { params: { id } })).toMatchObject({ name: "ada's", requests: 3 });
    expect(JSON.stringify(await ada.get("executionRecord", { params: { id } }))).not.toContain("Other");
  });
});

describe("parts that contradict each other", () => {
  const [one, two] = [drawProfile("main\ngemm:gpu_kernel\n30/3"), drawProfile("main\nadd:gpu_kernel\n70/7")];

  test("a part of another number of parts is kept apart: its samples would count twice", async () => {
    const [tenant, id] = [await rig.tenant("other-parts"), randomId(64)];
    await rig.send(tenant, ["samples", samplesUpload(one, { executionId: id, part: 1, parts: 2 })]);
    await rig.send(tenant, ["samples", samplesUpload(one, { executionId: id, part: 1, parts: 1 })], ["samples", samplesUpload(two, { executionId: id, part: 3, parts: 3 })]);
    const { uploads } = await tenant.get("quarantine");
    expect(uploads.map(({ code }) => code)).toEqual(["part_contradicts", "part_contradicts"]);
    expect(uploads.map(({ detail }) => detail).sort()[0]).toMatch(/^part 1 of 1 of execution [0-9a-f]{12}…, of which part 1 of 2 is stored: .*lamella import FILE --again$/);
    await rig.send(tenant, ["samples", samplesUpload(two, { executionId: id, part: 2, parts: 2 })], ["executions", executionUpload(id, 2, 100n)]);
    expect(await tenant.get("flamegraph", { query: { execution: id } })).toMatchObject({ total: 100, samples: 2 });
  });

  test("a summary of another number of parts than came is not complete", async () => {
    const [tenant, id] = [await rig.tenant("other-summary"), randomId(64)];
    for (const part of [1, 2]) await rig.send(tenant, ["samples", samplesUpload(part === 1 ? one : two, { executionId: id, part, parts: 3 })]);
    await rig.send(tenant, ["executions", executionUpload(id, 2, 100n)]);
    expect(await tenant.get("execution", { params: { id } })).toMatchObject({ complete: false, parts: { stored: 0, of: 2 } });
    expect((await tenant.send("flamegraph", { query: { execution: id } })).status).toBe(404);
  });

  test("parts of a workload that number its requests alike are one set of requests, and its pages end", async () => {
    const [tenant, id] = [await rig.tenant("alike-parts"), randomId(64)];
    for (const part of [1, 2]) await rig.send(tenant, ["workloads", workloadUpload(3, { workloadId: id, part, parts: 2, firstRequest: 0 })]);
    const seen: number[] = [];
    for (let cursor: string | null = ""; cursor !== null; ) {
      const query: Record<string, string> = { limit: "2", ...(cursor === "" ? {} : { cursor }) };
      const page = await tenant.get("workloadRequests", { params: { id }, query });
      seen.push(...page.columns.request);
      cursor = page.next;
    }
    expect(seen).toEqual([0, 1, 2]);
    await tenant.get("workload", { params: { id } });
  });
});
