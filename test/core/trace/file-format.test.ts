import { describe, expect, test } from "vitest";
import { fileFormat } from "#core/trace/file-format.ts";
import { message, number, content, text } from "#test/rig/wire-writer.ts";
import { bytesOf } from "./stacks-text.ts";

const latin1 = (word: string) => Uint8Array.from(word, (letter) => letter.charCodeAt(0));
const words = (...values: number[]) => new Uint8Array(new BigUint64Array(values.map(BigInt)).buffer);

test.each([
  ["a Chrome trace", '{"traceEvents":[', "chrome"],
  ["a list of events, after a byte order mark", '\uFEFF [{"ph":"X","name":"a"}', "chrome"],
  ["a trace with much before its events", `{"deviceProperties":[{"id":0,"traceName":"x}]"}],"other":"\\"{"`, "chrome"],
  ["speedscope by its schema", '{"version":"0.0.1","$schema":"https://www.speedscope.app/file-format-schema.json","shared":{}', "speedscope"],
  ["speedscope without", '{"shared":{"frames":[]},"profiles":[]}', "speedscope"],
  ["rocprofv3", '{"rocprofiler-sdk-tool":[{"metadata":', "rocprof"],
  ["OTLP as JSON", '{"resourceProfiles":[', "otlp-json"],
  ["model_execution.json", '{"model":"?","config":{"vocab_size":1},"layer_template":[],"kernel_summary":{"gemm":{"count":1', "model-execution"],
  ["model_execution.json, its tree first", '{"module_tree":{"class":"Net"},"kernel_summary":{}}', "model-execution"],
  ["folded stacks", "main;run 12\nmain;run;add 3\n", "folded"],
  ["folded stacks after comments", "# perf\n// by hand\nmain;run 12\nbroken\n", "folded"],
  ["Nsight Compute after its log", '==PROF== Connected\n"ID","Process ID","Process Name","Host Name","Kernel Name"\n', "ncu"],
  ["protobuf", message(content(1, number(1, 1)), text(6, "")), "protobuf"],
  ["a legacy CPU profile", words(0, 3, 0, 10_000, 0, 1), "pprof-legacy"],
  ["SQLite", latin1("SQLite format 3\0"), "nsys"],
])("%s", (_, head, door) => {
  expect(fileFormat(typeof head === "string" ? bytesOf(head) : head).door).toBe(door);
});

describe("what is no profile gets its reason", () => {
  test.each([
    ["", "", "the file is empty"],
    ["run.nsys-rep", "\x01\x02", "nsys export --type sqlite"],
    ["k.ncu-rep", "NVR\0\x01", "ncu --import FILE --csv"],
    ["perf.data", "PERFILE2\x68", "perf script | stackcollapse-perf.pl"],
    ["t.zip", "PK\x03\x04", "a zip archive"],
    ["t.json.zst", "\x28\xb5\x2f\xfd", "zstd -d"],
    ["t.json.gz.gz", "\x1f\x8b\x08", "gzip inside gzip"],
    ["m.pickle", "\x80\x04\x95\x00", "memory, not time"],
    ["run.prof", "\xfb\x01\x02", "cProfile"],
    ["a.out", "\x7fELF", "a program or library"],
    ["heap", "heap profile:     1:  9216 [  1:  9216] @ heapz_v2/524288\n", "legacy pprof heap profile"],
    ["contention", "--- contentionz 1 ---\ncycles/second = 3201000000\n", "go tool pprof -proto"],
    ["threads", "--- threadz 1 ---\n", "snapshot of which threads"],
    ["out.txt", "python 12 [001] 4.5: cycles:\n\t 7f12 main (/bin/python)\n", "fold it with stackcollapse-perf.pl"],
    ["page.html", "<!doctype html><p>", "HTML or XML"],
    ["notes.txt", "chapter 1\nonce upon a time 3\nthe end", "no profile format that is known. Lamella reads"],
    ["x.cpuprofile", '{"nodes":[],"startTime":1,"endTime":2,"timeDeltas":[]}', "V8 CPU profile"],
    ["t.json", '{"resourceSpans":[]}', "no profiles"],
    ["samples/per_request_profiles.json", '{"requests":[]}', "whose fields are not published"],
    ["request_metadata.json", '[{"label":"Fast","input_tokens":12}]', "labels of request traces"],
  ])("%s", (name, head, reason) => {
    expect(fileFormat(latin1(head), name)).toMatchObject({ door: "none", reason: expect.stringContaining(reason) });
  });

  test.each([
    ["a benchmark result", '{"date":"20250221","backend":"vllm","request_throughput":1.5,"mean_ttft_ms":3}', "benchmark"],
    ["a list of requests", '[{"error_code":null,"ttft_s":0.6,"inter_token_latency_s":0.01}]', "benchmark"],
    ["engine metrics", "# HELP vllm:num_requests_running Number\n# TYPE vllm:num_requests_running gauge\nvllm:num_requests_running 1.0\n", "metrics"],
    ["engine metrics without comments", 'vllm:num_requests_running{model_name="a;b"} 12\n', "metrics"],
    ["model_tree.json", '{"schema_version":2,"model":"Qwen/Qwen3-8B","source":"loaded_vllm_worker","run_id":"a","worker_pid":1,"capture_mode":"eager","config":{"vocab_size":1}', "model-tree"],
    ["a model configuration", '{"architectures":["Qwen3ForCausalLM"],"model_type":"qwen3"}', "model"],
  ])("%s is told for what it is", (_, head, is) => {
    expect(fileFormat(bytesOf(head))).toMatchObject({ door: "none", is });
  });
});
