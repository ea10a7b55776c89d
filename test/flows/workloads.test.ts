// Benchmarks in, their runs out: two parts through the API, files through the command, one tenant beside another.
import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { encodeWorkload } from "#core/upload/encode-workload.ts";
import { reportOf } from "#core/workload/report.ts";
import type { Workload } from "#core/workload/workload.ts";
import { root } from "#local/worker.ts";
import { limits } from "#schema/limits.ts";
import { readOne } from "#test/core/workload/benchmark-text.ts";
import { expectInvariants } from "#test/rig/invariants.ts";
import { StackRig } from "#test/rig/stack.ts";
import { randomId, workloadUpload } from "#test/rig/uploads.ts";

let rig: StackRig;
beforeAll(async () => {
  rig = await StackRig.open();
});
afterAll(() => rig.remove());
afterEach(() => expectInvariants(rig));

// As `vllm bench serve --save-detailed` writes it. Request i waits 100 + i ms for its first of five tokens and 40 ms for all others; every fiftieth fails.
const detailed = (n: number) => {
  const rows = Array.from({ length: n }, (_, i) => ({ failed: i % 50 === 49, ttft: 0.1 + i / 1_000 }));
  return {
    date: "20250531-123017", backend: "vllm", model_id: "org/net", num_prompts: n, request_rate: "inf", max_concurrency: 8, duration: 20, completed: rows.filter((row) => !row.failed).length, failed: rows.filter((row) => row.failed).length,
    input_lens: rows.map(() => 512), output_lens: rows.map(({ failed }) => (failed ? 0 : 5)), ttfts: rows.map(({ failed, ttft }) => (failed ? 0 : ttft)), latencies: rows.map(({ failed, ttft }) => (failed ? 0 : ttft + 0.04)),
    start_times: rows.map((_, i) => 1_000 + i / 100), itls: rows.map(({ failed }) => (failed ? [] : [0.01, 0.01, 0.01, 0.01])), errors: rows.map(({ failed }) => (failed ? "refused" : "")),
    mean_ttft_ms: (rows.filter((row) => !row.failed).reduce((sum, { ttft }) => sum + ttft, 0) * 1_000) / rows.filter((row) => !row.failed).length,
  };
};

const partsOf = (workload: Workload, workloadId: string) => {
  const encoded = encodeWorkload(workload, { agentVersion: "flow test 1", workloadId, name: "drawn.json", layers: 28, aggregates: [{ engine: "vllm", metric: "queue_seconds", value: 1.5, observations: 100 }] });
  if (!encoded.ok) throw new Error(encoded.error.detail);
  return encoded.value;
};

test("a run of two parts: shown when whole, with the report its file gives unread by a server", async () => {
  const [tenant, other] = [await rig.tenant("two-parts"), await rig.tenant("not-two-parts")];
  const n = limits.workloadRequestsPerUploadMax + 10;
  const workload = readOne(detailed(n));
  const id = randomId(64);
  const [first, second, ...rest] = partsOf(workload, id);
  expect(rest).toEqual([]);

  await rig.send(tenant, ["workloads", first!]);
  expect((await tenant.get("workloads")).workloads).toMatchObject([{ id, requests: limits.workloadRequestsPerUploadMax, parts: { stored: 1, of: 2 }, complete: false }]);
  for (const name of ["workload", "workloadRequests"] as const) expect((await tenant.refused("not_found", name, { params: { id } })).detail).toBe("The workload is still arriving: 1 of 2 parts are stored. Retry shortly.");
  await rig.send(tenant, ["workloads", second!], ["workloads", first!]);
  expect(await tenant.get("workloads")).toMatchObject({
    workloads: [{ id, name: "drawn.json", engine: "vllm", modelName: "org/net", requests: n, failed: 400, complete: true, load: { requestsPerS: "inf", maxConcurrency: 8 }, figures: { source: "requests", requestsPerS: (n - 400) / 20 } }], next: null,
  });

  const goodput = { ttftMs: 5_000, tpotMs: 20, e2eMs: null };
  const detail = await tenant.get("workload", { params: { id }, query: { ttft_ms: "5000", tpot_ms: "20" } });
  // All that is told of a file that is only read; numbers of single requests are stored in whole µs, here as there.
  const { startedAt, ...report } = JSON.parse(JSON.stringify(reportOf(workload, { name: "drawn.json", goodput, layers: 28, aggregates: [{ engine: "vllm", metric: "queue_seconds", value: 1.5, observations: 100 }] }))) as typeof detail;
  const whole = (one: (typeof detail)["representatives"]) => one.map((of) => ({ ...of, latencyUs: Math.round(of.latencyUs), ttftUs: Math.round(of.ttftUs!) }));
  expect(detail).toMatchObject({ ...report, representatives: whole(report.representatives) });
  expect([startedAt, detail.startedAt]).toEqual([null, null]);
  // TTFT 100 + i ms: at most 5 s for i up to 4,900; of these 98 fail (49, 99, … 4,899). TPOT is 10 ms.
  expect(detail.goodput).toMatchObject({ good: 4_901 - 98, failed: 400, notJudged: 0, missed: { ttft: n - 4_901 - 302, tpot: 0 }, goodPerS: (4_901 - 98) / 20 });
  expect(detail.failures).toEqual([{ error: "refused", requests: 400 }]);

  const slowest = await tenant.get("workloadRequests", { params: { id }, query: { sort: "-latencyUs", limit: "3" } });
  expect(slowest).toMatchObject({ requests: n, columns: { request: [n - 1, n - 2, n - 3], ttftUs: [100_000 + (n - 1) * 1_000, 100_000 + (n - 2) * 1_000, 100_000 + (n - 3) * 1_000], decodeUs: [40_000, 40_000, 40_000], tpotUs: [10_000, 10_000, 10_000] } });
  const following = await tenant.get("workloadRequests", { params: { id }, query: { sort: "-latencyUs", limit: "3", cursor: slowest.next! } });
  expect(following.columns.request).toEqual([n - 4, n - 5, n - 6]);
  expect((await tenant.refused("parameter_invalid", "workloadRequests", { params: { id }, query: { cursor: slowest.next! } })).detail).toContain('sorted by "-latencyUs"');
  await tenant.refused("parameter_invalid", "workloadRequests", { params: { id }, query: { cursor: "request~" } });

  const csv = await tenant.raw("GET", `/t/two-parts/api/workloads/${id}/requests?format=csv&limit=2&sort=request`);
  expect([csv.status, csv.headers.get("content-type")]).toEqual([200, "text/csv; charset=utf-8; header=present"]);
  expect(csv.text.split("\r\n").slice(0, 2)).toEqual([
    "request,start_us,client_queue_us,queue_us,prefill_us,ttft_us,decode_us,tpot_us,latency_us,input_tokens,output_tokens,itl_count,itl_p50_us,itl_p90_us,itl_p99_us,itl_max_us,failed,error",
    "0,0,,,,100000,40000,10000,140000,512,5,4,10000,10000,10000,10000,false,",
  ]);
  const [, link] = /^<([^>]+)>; rel="next"$/.exec(csv.headers.get("link")!)!;
  expect((await tenant.raw("GET", link!)).text).toMatch(/^2,/);

  expect((await other.get("workloads")).workloads).toEqual([]);
  const missing = await other.refused("not_found", "workload", { params: { id: randomId(64) } });
  for (const name of ["workload", "workloadRequests"] as const) expect(await other.refused("not_found", name, { params: { id } })).toEqual({ ...missing, requestId: expect.any(String) });
  await other.at("two-parts").refused("not_found", "workloads");
});

test("a run of which all requests failed shows no latency", async () => {
  const tenant = await rig.tenant("all-failed");
  const id = randomId(64);
  const nothing = { completed: 0, failed: 2, duration: 1, mean_ttft_ms: 0, p99_ttft_ms: 0, mean_tpot_ms: 0, median_e2el_ms: 0, input_lens: [5, 5], output_lens: [0, 0], ttfts: [0, 0], itls: [[], []], errors: ["refused", "refused"] };
  await rig.send(tenant, ...partsOf(readOne({ backend: "vllm", num_prompts: 2, ...nothing }), id).map((part) => ["workloads", part] as ["workloads", Uint8Array]));
  const { stated, computed, representatives, goodput, failures, notes } = await tenant.get("workload", { params: { id } });
  for (const figures of [stated, computed!]) expect(Object.keys(figures).filter((name) => name.endsWith("Us"))).toEqual([]);
  expect({ representatives, failures, good: goodput!.good, share: goodput!.share }).toEqual({ representatives: [], failures: [{ error: "refused", requests: 2 }], good: 0, share: 0 });
  expect(notes).toContain("2 of 2 requests failed; most often: refused");
  expect((await tenant.get("workloads")).workloads[0]!.figures).toEqual({ source: "requests", completed: 0, failed: 2, requestsPerS: 0 });
});

test("an upload that does not fit is refused at the door, and limits of goodput are numbers", async () => {
  const tenant = await rig.tenant("bad-workloads");
  expect((await tenant.refusedUpload("body_undecodable", "workloads", workloadUpload(2, { error: [0, 7], errors: ["", "refused"] }))).detail).toContain("error row 1 points at 7 of 2 errors");
  for (const query of [{ ttft_ms: "0" }, { tpot_ms: "fast" }, { e2e_ms: "-1" }]) await tenant.refused("parameter_invalid", "workload", { params: { id: randomId(64) }, query });
  for (const query of [{ sort: "error" }, { limit: "20001" }]) await tenant.refused("parameter_invalid", "workloadRequests", { params: { id: randomId(64) }, query: query as Record<string, string> });
});

describe("the command", () => {
  const run = async (...args: string[]) => (await promisify(execFile)(process.execPath, [join(root, "cli/lamella.mjs"), "--data-dir", rig.dataDir, ...args], { maxBuffer: 64 * 1024 * 1024 })).stdout;
  const saved = (name: string, text: string): string => {
    const file = join(rig.dataDir, name);
    writeFileSync(file, text);
    return file;
  };

  test("imports a run with its engine's dumps and its model's layers, once, and shows it", async () => {
    const file = saved("run.json", JSON.stringify(detailed(100)));
    const dump = (requests: number) => `# TYPE vllm:request_queue_time_seconds histogram\nvllm:request_queue_time_seconds_bucket{le="+Inf"} ${requests}\nvllm:request_queue_time_seconds_sum ${requests / 4}\nvllm:request_queue_time_seconds_count ${requests}\n`;
    const options = ["--prometheus", saved("before.txt", dump(10)), "--prometheus", saved("after.txt", dump(110)), "--model-config", saved("config.json", '{"num_hidden_layers": 28, "rope": Infinity}')];
    const read = await run("import", "--no-upload", file, ...options);
    const imported = await run("import", file, ...options);
    const id = /run\.json: imported as ([0-9a-f]{12})/.exec(imported)![1]!;
    const report = (text: string) => text.split("\n").slice(2, -1).filter((line) => !line.startsWith("See it")).join("\n").trim();
    expect(report(imported)).toBe(report(read));
    expect(report(await run("import", file, ...options))).toBe(report(read));
    expect(await run("import", file, ...options)).toContain(`run.json: already imported as ${id}`);
    expect((await run("import", file)).split("\n")[0]).not.toContain(id); // other options, another workload
    const shown = await run("workload", "show", id, "--ttft-ms", "150", "--tpot-ms", "20");
    expect(shown).toMatchInlineSnapshot(`
      "run.json  vllm bench serve · vllm · org/net · 28 layers
      no rate limit · at most 8 at once · 100 requests, 2 failed · dated 2025-05-31 12:30:17

      ms       from        n    mean    std     min     p50     p90     p95     p99     max
      TTFT     requests   98  149.00  28.72  100.00  149.00  188.30  193.15  197.03  198.00
               the file       149.00
      decode   requests   98   40.00   0.00   40.00   40.00   40.00   40.00   40.00   40.00
      TPOT     requests   98   10.00   0.00   10.00   10.00   10.00   10.00   10.00   10.00
      ITL      requests  392   10.00   0.00   10.00   10.00   10.00   10.00   10.00   10.00
      latency  requests   98  189.00  28.72  140.00  189.00  228.30  233.15  237.03  238.00

                       requests  the file
      duration, s            20        20
      completed              98        98
      failed                  2         2
      input tokens       50,176
      output tokens         490
      requests/s            4.9
      input tokens/s    2,508.8
      output tokens/s      24.5
      tokens/s          2,533.3
      at once, mean       15.21
      at once, peak          22

      goodput  TTFT ≤ 150 ms, TPOT ≤ 20 ms: 50 of 100 requests (50.0 %), 2.5 requests/s · 48 over the TTFT · 0 over the TPOT · 2 failed

      stands for     request  latency, ms  TTFT, ms  input  output
      Fast (p10)           9       149.00    109.00    512       5
      Typical (p50)       48       188.00    148.00    512       5
      Slow (p90)          89       229.00    189.00    512       5

      failed  error
           2  refused

      engine aggregates: of all the engine's requests together, never of one
        vllm queue_seconds: 25 seconds in 100 observations, 0.25 seconds on average

      notes
        The file's date (2025-05-31 12:30:17) is the end of the run by a clock without a time zone, so it is not taken for the start
        2 of 100 requests failed; most often: refused
      "
    `);
    expect(await run("workload", "list")).toMatch(new RegExp(`^${id} +run\\.json +org/net +no rate limit · at most 8 at once +98 +2 +4\\.90 .* requests +20`, "m"));
  });

  test("requests as a table, as CSV, as workload_data.json that can be imported again", async () => {
    const file = saved("few.json", JSON.stringify(detailed(60)));
    const id = /imported as ([0-9a-f]{12})/.exec(await run("import", file))![1]!;
    expect(await run("workload", "requests", id, "--sort=-latencyUs", "--limit", "2")).toMatchInlineSnapshot(`
      "request  start, s  TTFT, ms  decode   TPOT  ITL p99  latency  input  output
           59     0.590    159.00   40.00  10.00    10.00   199.00    512       5
           58     0.580    158.00   40.00  10.00    10.00   198.00    512       5
      2 of 60 requests; --limit shows more, --csv all
      "
    `);
    const csv = (await run("workload", "requests", id, "--csv")).trim().split("\r\n");
    expect([csv.length, csv[50]]).toEqual([61, "49,490000,,,,,,,,512,0,0,,,,,true,refused"]);
    const data = await run("workload", "show", id, "--workload-data");
    expect(JSON.parse(data)).toMatchObject({
      model: "org/net", engine: "vllm", num_layers: null, summary: { num_requests: 60, num_failed: 1, ttft: { unit: "ms", p50: expect.closeTo(129, 6) } },
      requests: expect.arrayContaining([expect.objectContaining({ request_id: 0, ttft_ms: 100, decode_ms: 40, latency_ms: 140, input_len: 512, output_len: 5, success: true })]),
    });
    const [again] = (JSON.parse(await run("import", "--no-upload", "--json", saved("workload_data.json", data))) as { workloads: { requests: number; failed: number; computed: { ttftUs: object } }[] }[])[0]!.workloads;
    const [before] = (JSON.parse(await run("import", "--no-upload", "--json", file)) as { workloads: { computed: { ttftUs: object } }[] }[])[0]!.workloads;
    expect(again).toMatchObject({ requests: 60, failed: 1 });
    for (const [name, value] of Object.entries(before!.computed.ttftUs)) if (typeof value === "number") expect((again!.computed.ttftUs as Record<string, number>)[name]).toBeCloseTo(value, 3);
  });

  const python = process.env.LAMELLA_PYTHON;
  test.skipIf(python === undefined)("workload_data.json is what lamella.profile_serve picks from (needs LAMELLA_PYTHON)", async () => {
    const id = /imported as ([0-9a-f]{12})/.exec(await run("import", saved("picked.json", JSON.stringify(detailed(100)))))![1]!;
    const data = saved("picked_data.json", await run("workload", "show", id, "--workload-data"));
    const script = "import json, sys; from lamella.representatives import read_workload, representatives; print(json.dumps([[one.label, one.number, one.input_tokens, one.output_tokens, one.latency_ns] for one in representatives(read_workload(sys.argv[1]))]))";
    const { stdout } = await promisify(execFile)(python!, ["-c", script, data], { cwd: join(root, "agent-native/python") });
    expect(JSON.parse(stdout)).toEqual([["Fast", 9, 512, 5, 149_000_000], ["Typical", 48, 512, 5, 188_000_000], ["Slow", 89, 512, 5, 229_000_000]]);
  });
});
