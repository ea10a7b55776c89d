// What each tool's file becomes. Expected figures are worked out by hand.
import { describe, expect, test } from "vitest";
import { encodeWorkload } from "#core/upload/encode-workload.ts";
import { benchmarkFormatOf } from "#core/workload/benchmark-format.ts";
import { loadText } from "#core/workload/load.ts";
import { bytesOf, ms, read, readOne, refusal, whole } from "./benchmark-text.ts";

const noStarts = "The file has no start times of requests: when they ran and how many ran at once is not known";
const figuresOnly = "The file has figures only, no requests: percentiles are the file's own, distributions and goodput are not known";
const estimated = "The file has no latency of requests: it is estimated as TTFT plus the gaps between tokens, which leaves out the time after the last token";

// Two good requests and a failed one, as `vllm bench serve --save-detailed` writes them.
const vllm = {
  date: "20251130-101112", endpoint_type: "openai", backend: "openai", label: "nightly", model_id: "Qwen/Qwen3-8B", tokenizer_id: "Qwen/Qwen3-8B", num_prompts: 3, request_rate: "inf", burstiness: 1, max_concurrency: 2,
  duration: 2, completed: 2, failed: 1, total_input_tokens: 30, total_output_tokens: 10, request_throughput: 1, request_goodput: null, output_throughput: 5, total_token_throughput: 20, max_concurrent_requests: 2, rtfx: 0,
  input_lens: [10, 20, 30], output_lens: [4, 6, 0], ttfts: [0.1, 0.2, 0], itls: [[0.1, 0.1, 0.1], [0.2, 0.2, 0.2, 0.2, 0.2], []], latencies: [0.46, 1.2, 0], start_times: [2763085.5, 2763085.75, 2763086], queue_times: [0, 0.25, 0],
  errors: ["", "", "Traceback (most recent call last):\n  File \"x.py\", line 1\nConnectionError: refused\n"], generated_texts: ["a \"NaN\": Infinity", "b", ""],
  mean_ttft_ms: 150, median_ttft_ms: 150, std_ttft_ms: 50, p99_ttft_ms: 199, mean_e2el_ms: 830, mean_tpot_ms: 160,
};

describe("vllm bench serve", () => {
  test("with details: every request, and figures that agree", () => {
    const workload = readOne(vllm);
    expect(workload).toMatchObject({ format: "vllm", tool: "vllm bench serve", label: "nightly", engine: "", modelName: "Qwen/Qwen3-8B", startedAtS: undefined, dateText: "2025-11-30 10:11:12" });
    expect(workload.load).toMatchObject({ requestsPerS: Number.POSITIVE_INFINITY, maxConcurrency: 2, requests: 3 });
    const { requests } = workload;
    expect(ms(requests.startUs)).toEqual([0, 250, 500]);
    expect(ms(requests.clientQueueUs)).toEqual([0, 250, 0]);
    expect(ms(requests.ttftUs)).toEqual([100, 200, "–"]);
    expect(ms(requests.latencyUs)).toEqual([460, 1200, "–"]);
    expect(ms(requests.decodeUs)).toEqual([360, 1000, "–"]);
    expect(ms(requests.tpotUs)).toEqual([120, 200, "–"]);
    expect(whole(requests.inputTokens)).toEqual([10, 20, 30]);
    expect(whole(requests.outputTokens)).toEqual([4, 6, 0]);
    expect([...requests.failed]).toEqual([0, 0, 1]);
    expect(workload.computed).toMatchObject({ durationS: 2, completed: 2, failed: 1, inputTokens: 30, outputTokens: 10, requestsPerS: 1, outputTokensPerS: 5, totalTokensPerS: 20, peakConcurrency: 2 });
    expect(workload.computed!.ttftUs).toMatchObject({ n: 2, mean: 150_000, std: 50_000, min: 100_000, max: 200_000 });
    expect(workload.computed!.ttftUs!.percentiles["p99"]).toBeCloseTo(199_000, 6);
    expect(workload.notes).toEqual([
      "The file's date (2025-11-30 10:11:12) is the end of the run by a clock without a time zone, so it is not taken for the start", "1 of 3 requests failed; most often: ConnectionError: refused",
    ]);
  });

  test("figures that do not agree with the requests become notes", () => {
    const { notes } = readOne({ ...vllm, completed: 3, mean_ttft_ms: 151, p99_ttft_ms: 250, max_concurrent_requests: 6 });
    expect(notes.slice(2)).toEqual([
      "The file states completed requests: 3, its requests give 2", "The file states requests at once: 6, its requests give 2",
      "The file states a mean TTFT of 151.00 ms, its requests give 150.00 ms", "The file states a p99 TTFT of 250.00 ms, its requests give 199.00 ms",
    ]);
  });

  // Multi-step scheduling: 12 gaps for 120 tokens. TPOT is what is waited per token, not per piece.
  test("TPOT never comes from the number of gaps", () => {
    const { requests, computed, notes } = readOne({ completed: 1, num_prompts: 1, ttfts: [0.05], itls: [new Array<number>(12).fill(0.1)], input_lens: [8], output_lens: [120], errors: [""], mean_e2el_ms: 1262 });
    expect(ms(requests.latencyUs)).toEqual([1250]);
    expect(requests.latencyEstimated).toBe(true);
    expect(requests.tpotUs[0]).toBeCloseTo(1_200_000 / 119, 6);
    expect(computed!.itlUs!.mean).toBeCloseTo(100_000, 6);
    expect(notes).toEqual([noStarts, estimated, "The file states a mean latency of 1,262.00 ms, its requests give 1,250.00 ms"]);
  });

  test("a run in which everything failed has no latency", () => {
    const zeros = { mean_ttft_ms: 0, median_ttft_ms: 0, std_ttft_ms: 0, p99_ttft_ms: 0, mean_tpot_ms: 0, median_tpot_ms: 0, mean_itl_ms: 0, p99_itl_ms: 0 };
    const { stated, notes } = readOne({ num_prompts: 5, completed: 0, failed: 5, duration: 1, request_throughput: 0, total_output_tokens: 0, ...zeros });
    expect(stated).toMatchObject({ completed: 0, failed: 5, requestsPerS: 0, ttftUs: undefined, tpotUs: undefined, itlUs: undefined });
    expect(notes).toEqual(["5 of 5 requests failed", "The file states 0 for TTFT, TPOT, ITL: nothing was measured, so it is left out", figuresOnly]);
  });

  test("a server that does not stream has no TTFT", () => {
    const { stated, requests } = readOne({ num_prompts: 1, completed: 1, ttfts: [0], latencies: [2], output_lens: [10], mean_ttft_ms: 0, median_ttft_ms: 0, mean_e2el_ms: 2000 });
    expect(stated).toMatchObject({ ttftUs: undefined, latencyUs: { mean: 2_000_000 } });
    expect([ms(requests.ttftUs), ms(requests.tpotUs), ms(requests.latencyUs), [...requests.failed]]).toEqual([["–"], ["–"], [2000], [0]]);
  });

  test("goodput with and without the colon; failures that are not counted", () => {
    expect(readOne({ num_prompts: 10, completed: 8, "request_goodput:": 1.5 })).toMatchObject({ stated: { failed: 2, goodRequestsPerS: 1.5 } });
    expect(readOne({ num_prompts: 10, completed: 8, request_goodput: 2.5 }).notes).toContain("The file does not count failures: requests asked for but not completed are taken as failed");
    expect(readOne({ num_prompts: 10, completed: 8, "request_goodput:": null }).stated.goodRequestsPerS).toBeUndefined();
  });

  test("lists of different lengths", () => {
    const { requests, notes } = readOne({ completed: 3, num_prompts: 3, ttfts: [0.1, 0.2], output_lens: [5, 5, 5], latencies: [1, 1, 1] });
    expect(ms(requests.ttftUs)).toEqual([100, 200, "–"]);
    expect(notes[0]).toBe("The lists of requests have different lengths (2 to 3); what is missing at their ends is absent");
  });

  test("per-LoRA figures of a fork are not taken for the run's", () => {
    const { stated } = readOne({ num_prompts: 2, completed: 2, mean_ttft_ms: 5, mean_ttfts_ms_by_lora: { "dummy-1": 99 } });
    expect(stated.ttftUs).toEqual({ mean: 5000, percentiles: {} });
  });
});

test("SGLang: one run a line, Infinity and NaN, a broken line", () => {
  const line = (rate: string) => `{"backend": "sglang", "request_rate": ${rate}, "random_input_len": 1024, "random_output_len": 512, "completed": 3, "total_output_tokens_retokenized": 9, "mean_e2e_latency_ms": 40.5, "p99_ttft_ms": NaN, "concurrency": 1.5}`;
  const workloads = read(`${line("Infinity")}\n${line("4.0")}\n{"backend": "sgl\n`);
  expect(workloads.map(({ load }) => loadText(load))).toEqual(["no rate limit · 1,024 → 512 tokens", "4 req/s · 1,024 → 512 tokens"]);
  expect(workloads[0]).toMatchObject({ tool: "SGLang bench_serving", engine: "sglang", stated: { latencyUs: { mean: 40_500, percentiles: {} }, meanConcurrency: 1.5 } });
  expect(workloads[0]!.stated.ttftUs).toBeUndefined();
  expect(workloads[1]!.notes.at(-1)).toBe("Lines that are no JSON object, left out: 1, the first is line 3");
});

test("InferenceX: names without _ms are seconds", () => {
  const { stated } = readOne({ model_id: "m", completed: 2, median_ttft: 0.25, p99_ttft: 1.5, median_tpot: 0.02, median_e2el: 3 });
  expect(stated).toMatchObject({ ttftUs: { percentiles: { p50: 250_000, p99: 1_500_000 } }, tpotUs: { percentiles: { p50: 20_000 } }, latencyUs: { percentiles: { p50: 3_000_000 } } });
});

describe("AIPerf", () => {
  test("the summary, by its units", () => {
    const metric = (avg: number, unit: string, rest = {}) => ({ avg, unit, ...rest });
    const { stated, startedAtS } = readOne({
      time_to_first_token: metric(1.5, "sec", { p50: 1, std: null, count: 7 }), request_count: metric(7, "requests"), request_latency: metric(2000, "ms"), min_request_timestamp: metric(1.75e18, "ns"),
      inter_token_latency: metric(10, "parsecs"), benchmark_duration: metric(3, "sec"),
    });
    expect(stated).toMatchObject({ durationS: 3, completed: 7, ttftUs: { n: 7, mean: 1_500_000, std: undefined, percentiles: { p50: 1_000_000 } }, latencyUs: { mean: 2_000_000 }, tpotUs: undefined });
    expect(startedAtS).toBe(1.75e9);
  });

  const line = (startNs: string, rest: object, phase = "profiling") =>
    JSON.stringify({ metadata: { x_request_id: "r", request_start_ns: "@", benchmark_phase: phase }, error: null, ...rest }).replace('"@"', startNs);
  const metrics = (ttft: number, latency: number, osl: number) => ({
    metrics: { time_to_first_token: { value: ttft, unit: "ms" }, request_latency: { value: latency / 1000, unit: "sec" }, output_sequence_length: { value: osl, unit: "tokens" }, input_sequence_length: { value: 5, unit: "tokens" }, inter_chunk_latency: { value: [10, 30], unit: "ms" } },
  });

  test("the requests, a line each: warm-up left out, cancelled ones failed", () => {
    const [workload] = read([
      line("1759522419000000000", metrics(1, 2, 3), "warmup"), line("1759522420000000000", metrics(100, 500, 5)), line("1759522420250000000", { metrics: { error_request_count: { value: 1, unit: "requests" } }, error: { code: 499, message: "cancelled" } }),
    ].join("\n"));
    const { requests, startedAtS, notes } = workload!;
    expect(startedAtS).toBe(1_759_522_420);
    expect([ms(requests.startUs), ms(requests.ttftUs), ms(requests.tpotUs), [...requests.failed], requests.errors]).toEqual([[0, 250], [100, "–"], [100, "–"], [0, 1], ["", "cancelled"]]);
    expect(notes).toEqual(["Requests of the warm-up, left out: 1", "1 of 2 requests failed; most often: cancelled"]);
  });
});

describe("GuideLLM", () => {
  const distribution = (mean: number, count = 2) => ({ successful: { mean, count, total_sum: mean * count, percentiles: { p50: mean, p999: mean } } });
  const benchmark = (rate: number) => ({
    config: { strategy: { type_: "constant", rate } }, start_time: 1_786_678_148.25, duration: 5,
    metrics: { request_totals: { successful: 2, errored: 1, incomplete: 1, total: 4 }, request_latency: distribution(0.5), time_to_first_token_ms: distribution(100), inter_token_latency_ms: distribution(0, 0), prompt_token_count: distribution(10) },
    requests: {
      successful: [{ request_start_time: 1_786_678_148.25, request_latency: 0.4, time_to_first_token_ms: 90, output_tokens: 5 }, { info: { timings: { request_start: 1_786_678_149.25, first_token_iteration: 1_786_678_149.36, request_end: 1_786_678_149.85 } }, output_metrics: { text_tokens: 5 } }],
      errored: [{ info: { error: "timeout" } }], incomplete: [{}],
    },
  });

  test("every benchmark of the report is a run", () => {
    const workloads = read(JSON.stringify({ metadata: { version: 2, guidellm_version: "0.8.0" }, config: { spec: { backend: { model: "m", kind: "openai_http" } } }, benchmarks: [benchmark(2), benchmark(4)] }));
    expect(workloads.map((workload) => [workload.modelName, workload.toolVersion, loadText(workload.load), workload.startedAtS])).toEqual([2, 4].map((rate) => ["m", "0.8.0", `constant · ${rate} req/s`, 1_786_678_148.25]));
    const { stated, requests, notes } = workloads[0]!;
    expect(stated).toMatchObject({ completed: 2, failed: 1, inputTokens: 20, latencyUs: { n: 2, mean: 500_000, percentiles: { p50: 500_000, "p99.9": 500_000 } }, tpotUs: undefined });
    expect([ms(requests.startUs), ms(requests.ttftUs), ms(requests.latencyUs), requests.errors]).toEqual([[0, 1000, "–"], [90, 110, "–"], [400, 600, "–"], ["", "", "timeout"]]);
    expect(notes).toEqual(["Requests that had not ended when the run did, in no figure: 1", "1 of 3 requests failed; most often: timeout"]);
  });

  test("a report without a benchmark", () => expect(refusal('{"metadata": {"guidellm_version": "0.8.0"}, "benchmarks": []}')).toBe("a GuideLLM report without a benchmark in it: the run ended before its first one"));
});

test("LLMPerf: the summary in seconds, its own inter-token latency not taken for TPOT", () => {
  const { stated, dateText, load } = readOne({
    model: "m", num_concurrent_requests: 2, results_num_requests_started: 100, results_num_completed_requests: 98, results_number_errors: 2, results_num_completed_requests_per_min: 30, results_ttft_s_mean: 0.5, results_ttft_s_quantiles_p99: 0.75,
    results_ttft_s_stddev: 0.1, results_inter_token_latency_s_mean: 0.05, results_number_output_tokens_mean: 10.5, results_number_input_tokens_min: "550", timestamp: 1_718_208_656,
  });
  expect(stated).toMatchObject({ completed: 98, failed: 2, requestsPerS: 0.5, outputTokens: 1029, ttftUs: { mean: 500_000, percentiles: { p99: 750_000 } } });
  expect([stated.tpotUs, stated.itlUs]).toEqual([undefined, undefined]);
  expect([dateText, load.maxConcurrency, load.requests]).toEqual(["2024-06-12 16:10:56 UTC", 2, 100]);
});

describe("requests one object each", () => {
  test("LLMPerf's responses", () => {
    const { tool, requests } = readOne([{ error_code: null, error_msg: "", ttft_s: 0.5, end_to_end_latency_s: 2.5, number_output_tokens: 11, number_input_tokens: 7 }, { error_code: 429, error_msg: "slow down", ttft_s: 0, end_to_end_latency_s: 0, number_output_tokens: 0, number_input_tokens: 7 }]);
    expect([tool, ms(requests.tpotUs), ms(requests.latencyUs), [...requests.failed], requests.errors]).toEqual(["LLMPerf", [200, "–"], [2500, "–"], [0, 1], ["", "slow down"]]);
  });

  test("any tool's list, by the unit in the name", () => {
    const { engine, modelName, requests, notes } = readOne({ engine: "vllm", model: "m", requests: [{ start_time: 12.5, ttft_ms: 100, queue_time_ms: 20, prefill_ms: 80, decode_ms: 400, input_len: 3, output_len: 5 }, { start_time: 13, ttft: 0.2, latency: 1, output_len: 2, success: false }, "x"] });
    expect([engine, modelName]).toEqual(["vllm", "m"]);
    expect([ms(requests.startUs), ms(requests.queueUs), ms(requests.prefillUs), ms(requests.latencyUs), ms(requests.tpotUs), [...requests.failed]]).toEqual([[0, 500], [20, "–"], [80, "–"], [500, 1000], [100, 800], [0, 1]]);
    expect(notes.slice(0, 2)).toEqual(["Entries that are no request, left out: 1", "Requests whose latency is TTFT plus decode time, since the file gives no latency: 1"]);
  });
});

test("a sweep as one JSON list", () => expect(read(JSON.stringify([{ ...vllm, label: "a" }, { ...vllm, label: "b" }])).map((workload) => workload.label)).toEqual(["a", "b"]));

describe("refused, with the reason", () => {
  test.each([
    ["", "the file is empty"],
    ['{"completed": 3, "num_prompts": ', /^not JSON: /],
    ["[]", "an empty list: no run in it"],
    ["3", /^JSON, but no benchmark result: it holds no object with figures\. Known are the files of vllm bench serve, SGLang/],
    ['{"traceEvents": []}', "a profiler trace (traceEvents), not a benchmark result"],
    ['{"architectures": ["X"], "num_hidden_layers": 3}', "a model configuration, which holds no benchmark run"],
    ['[{"benchmark": {}, "model": {}, "metric": {}}]', /^PyTorch benchmark records/],
    ['{"elapsed_time": 3, "num_requests": 5, "tokens_per_second": 9}', /^an offline throughput benchmark/],
    ['{"Test name": {"0": "a", "1": "b"}, "Mean TTFT (ms)": {"0": 1, "1": 2}}', /^a comparison table, which holds no benchmark run/],
    ['{"serving": {"Test name": {"0": "a"}, "qps": {"0": 1}}}', /^a comparison table/],
    ['{"hello": 1, "world": 2}', /no benchmark result that is known here \(its keys are "hello", "world"\)/],
  ])("%s", (text, reason) => void (reason instanceof RegExp ? expect(refusal(text)).toMatch(reason) : expect(refusal(text)).toBe(reason)));
});

describe("a list or an object where a number belongs is another kind of file, never a run without that number", () => {
  const aiperfLine = (metrics: object) => ({ metadata: { x_request_id: "a", request_start_ns: 5e18 }, metrics: { request_latency: { value: 3, unit: "ms" }, ...metrics } });
  const guidellm = (request: object) => ({ metadata: { guidellm_version: "1" }, benchmarks: [{ metrics: {}, requests: { successful: [request] } }] });
  const response = { ttft_s: 0.5, end_to_end_latency_s: 1, number_output_tokens: 3 };
  test.each<[string, object, string]>([
    ["a request's TTFT", { ...vllm, ttfts: [[0.1], 0.2] }, "ttfts[0] is a list"],
    ["a request's latency", { ...vllm, latencies: [1, { s: 1 }] }, "latencies[1] is an object"],
    ["a request's tokens", { ...vllm, output_lens: [3, []] }, "output_lens[1] is a list"],
    ["a gap", { ...vllm, itls: [[0.1], [0.2, [0.3]]] }, "itls[1][1] is a list"],
    ["a stated figure", { ...vllm, mean_ttft_ms: [1.5] }, "mean_ttft_ms is a list"],
    ["the duration", { ...vllm, duration: { s: 3 } }, "duration is an object"],
    ["the load", { ...vllm, request_rate: [1, 2] }, "request_rate is a list"],
    ["InferenceX", { median_ttft: [1], completed: 3 }, "median_ttft is a list"],
    ["GuideLLM", guidellm({ request_latency: [1] }), "request_latency is a list"],
    ["AIPerf's figures", { records: { request_count: { unit: "requests", avg: [5] }, ttft: { unit: "ms", avg: 5 } } }, "avg is a list"],
    ["AIPerf's requests", aiperfLine({ time_to_first_token: { value: [1], unit: "ms" } }), "value is a list"],
    ["a gap of AIPerf's", aiperfLine({ inter_chunk_latency: { value: [1, [2]], unit: "ms" } }), "inter_chunk_latency.value[1] is a list"],
    ["LLMPerf", { model: "m", results_num_requests_started: [3], results_ttft_s_mean: 0.5 }, "results_num_requests_started is a list"],
    ["a list of requests", [{ ...response, ttft_s: [0.5] }], "ttft_s is a list"],
    ["a gap of a list of requests", [{ ...response, itls: [1, [1]] }], "itls[1] is a list"],
    ["an error's code", [{ ...response, error_code: [429] }], "error_code is a list"],
  ])("%s", (_, file, reason) => expect(refusal(JSON.stringify(file))).toBe(`${reason} where a number belongs`));

  test("of several runs the others are read", () => {
    const [only, ...others] = read(`${JSON.stringify({ ...vllm, label: "good" })}\n${JSON.stringify({ ...vllm, ttfts: [[1]] })}`);
    expect([only!.label, others, only!.notes.at(-1)]).toEqual(["good", [], "Documents that are no run, left out: 1; the first: ttfts[0] is a list where a number belongs"]);
  });

  test.each(["[", '{"a":'])("200,000 of %s in one another, wherever they are", (opener) => {
    const deep = opener.repeat(200_000) + (opener === "[" ? "" : "1") + (opener === "[" ? "]" : "}").repeat(200_000);
    const reason = "lists or objects in it are nested deeper than 1000 levels (jsonNestingMax)";
    for (const name of ["ttfts", "itls", "latencies", "error_code", "label", "unknown"]) expect(refusal(JSON.stringify(vllm).replace("{", `{"${name}":[${deep}],`)), name).toBe(reason);
    expect(refusal(deep)).toBe(reason);
  });
});

test("figures that no run can have are left out and counted, whoever made them", () => {
  const { stated, computed, load, notes } = readOne({ ...vllm, duration: 1e-300, output_throughput: 1e300, mean_ttft_ms: 1e30, max_concurrency: 1e31 });
  expect([stated.outputTokensPerS, stated.ttftUs?.mean, stated.ttftUs?.percentiles["p50"], load.maxConcurrency]).toEqual([undefined, undefined, 150_000, undefined]);
  expect([computed!.requestsPerS, computed!.completed]).toEqual([undefined, 2]);
  // Stated: the throughput and the mean (10^33 µs). Computed: four rates over a duration of nearly nothing. The load's one.
  expect(notes).toContain("Figures that cannot be (over 1e+30, or a count that is not whole), left out: 7");
  expect(encodeWorkload(readOne({ ...vllm, duration: 1e-300, rtfx: 1e300 }), { agentVersion: "test", workloadId: "ab".repeat(32), name: "x" }).ok).toBe(true);
});

test("brackets in texts are no nesting", () => {
  expect(readOne({ ...vllm, label: `${"[".repeat(5_000)}"\\${"{".repeat(5_000)}` }).label).toHaveLength(10_002);
});

test("told apart by the first bytes, also when the file goes on", () => {
  const cut = JSON.stringify(vllm).slice(0, 400);
  expect(benchmarkFormatOf(bytesOf(cut))).toBe("vllm");
  expect(["{}", "", "# HELP vllm:num_requests_running", '{"traceEvents": [{"completed": 1, "ttfts": 2}]}', "\u0000\u0001"].map((text) => benchmarkFormatOf(bytesOf(text)))).toEqual(new Array(5).fill(undefined));
});
