// What is told of a workload: as text, as CSV, as workload_data.json.
import { describe, expect, test } from "vitest";
import { reportOf } from "#core/workload/report.ts";
import { reportText } from "#core/workload/report-text.ts";
import { requestsCsv, requestsCsvHead } from "#core/workload/requests-csv.ts";
import { workloadData } from "#core/workload/workload-data.ts";
import type { RequestColumns } from "#schema/api/workloads.ts";
import { limits } from "#schema/limits.ts";
import { readOne } from "./benchmark-text.ts";

const noLimits = { ttftMs: null, tpotMs: null, e2eMs: null };
const report = (document: unknown, goodput = noLimits) => reportOf(readOne(document), { name: "run.json", goodput });

const columns: RequestColumns = {
  request: [0, 1], startUs: [0, null], clientQueueUs: [null, null], queueUs: [2_000, null], prefillUs: [null, null], ttftUs: [10_000, null], decodeUs: [20_500, null], tpotUs: [10_250, null], latencyUs: [30_500, null],
  inputTokens: [7, null], outputTokens: [3, null], itlCount: [2, 0], itlP50Us: [10_000, null], itlP90Us: [10_000, null], itlP99Us: [10_000, null], itlMaxUs: [10_500, null], failed: [false, true], error: [0, 1],
};
const errors = ["", '=cmd("x"),\nthen'];

describe("text", () => {
  test("a file of figures says whose they are and that goodput is not known", () => {
    const text = reportText(report({ backend: "vllm", num_prompts: 2, completed: 2, mean_ttft_ms: 5, p99_ttft_ms: 7, request_rate: 4 }));
    expect(text.split("\n").slice(0, 8)).toEqual(["run.json  vllm bench serve · vllm", "4 req/s · figures only · start not known", "", "ms    from      mean   p99", "TTFT  the file  5.00  7.00", "", "           the file", "completed         2"]);
    expect(text).not.toContain("goodput  ");
    expect(text).toContain("distributions and goodput are not known");
  });

  test("a run of which all requests failed has no latency", () => {
    const text = reportText(report({ num_prompts: 2, completed: 0, mean_ttft_ms: 0, p99_tpot_ms: 0, input_lens: [1, 1], output_lens: [0, 0], ttfts: [0, 0], itls: [[], []], errors: ["Traceback\n  deep\nValueError: no", "Traceback\n  deep\nValueError: no"] }));
    expect(text).toContain("There is no latency");
    expect(text).toContain("failed  error\n     2  ValueError: no");
    expect(text).toContain("goodput  0 of 2 requests (0.0 %), without a limit");
    expect(text).not.toMatch(/\b0\.00\b/);
  });

  test("an estimated latency is marked wherever it counts", () => {
    const text = reportText(report({ completed: 1, num_prompts: 1, input_lens: [5], output_lens: [3], ttfts: [0.1], itls: [[0.02, 0.03]], errors: [""] }));
    expect(text).toMatch(/^latency {2}requests \(estimated\) +1 +150\.00/m);
    expect(text).toMatch(/^TPOT {5}requests \(estimated\) +1 +25\.00/m);
    expect(text).toMatch(/^TTFT {5}requests +1 +100\.00/m);
  });

  test("nothing of a file reaches the terminal raw", () => {
    const evil = "\u001b[31mred\u202e";
    const text = reportText(report({ backend: evil, model_id: evil, label: evil, completed: 0, num_prompts: 1, input_lens: [1], output_lens: [0], ttfts: [0], itls: [[]], errors: [evil] }));
    for (const raw of ["\u001b", "\u202e"]) expect(text).not.toContain(raw);
    expect(text).toContain("\\u{1b}[31mred\\u{202e}");
  });

  test("more errors than are told are counted", () => {
    const n = limits.workloadErrorsMax + 3;
    const many = Array.from({ length: n }, (_, i) => `error ${i}`);
    const text = reportText(report({ completed: 0, num_prompts: n, input_lens: many.map(() => 1), output_lens: many.map(() => 0), ttfts: many.map(() => 0), itls: many.map(() => []), errors: many }));
    expect(text).toContain("\n3 more errors");
  });
});

test("CSV: an empty cell for what is not known; quotes doubled; no text that a spreadsheet would run", () => {
  expect(requestsCsvHead + requestsCsv(columns, errors)).toBe([
    "request,start_us,client_queue_us,queue_us,prefill_us,ttft_us,decode_us,tpot_us,latency_us,input_tokens,output_tokens,itl_count,itl_p50_us,itl_p90_us,itl_p99_us,itl_max_us,failed,error",
    "0,0,,2000,,10000,20500,10250,30500,7,3,2,10000,10000,10000,10500,false,",
    `1,,,,,,,,,,,0,,,,,true,"'=cmd(""x""),\nthen"`, "",
  ].join("\r\n"));
});

test("CSV: lines of an error stay lines, whatever else in it would move a terminal's cursor or hide text is escaped", () => {
  const line = requestsCsv({ ...columns, request: [1], failed: [true], error: [1] }, ["", "Traceback\r\n  \u001b[2Jgone \u009b1m\u202e\u0007"]).trimEnd();
  expect(line.slice(line.indexOf("true,"))).toBe('true,"Traceback\n  \\u{1b}[2Jgone \\u{9b}1m\\u{202e}\\u{7}"');
});

test("workload_data.json: ms, absolute starts where the run's start is known, and null for what is not", () => {
  const told = { ...report({ backend: "vllm", model_id: "org/net", num_prompts: 2, completed: 1, mean_ttft_ms: 10 }), startedAt: "2025-11-29T14:32:00.000Z", layers: 28 };
  expect(workloadData(told, columns, errors)).toMatchObject({
    model: "org/net", engine: "vllm", num_layers: 28, start_times: "Unix seconds", summary: { source: "file", ttft: { mean: 10, unit: "ms" } },
    requests: [
      { request_id: 0, start_time: 1_764_426_720, queue_ms: 2, prefill_ms: null, ttft_ms: 10, decode_ms: 20.5, tpot_ms: 10.25, latency_ms: 30.5, itl_p50_ms: 10, itl_max_ms: 10.5, input_len: 7, output_len: 3, success: true, error: "" },
      { request_id: 1, start_time: null, ttft_ms: null, latency_ms: null, input_len: null, success: false, error: '=cmd("x"),\nthen' },
    ],
  });
});
