import { expect, test } from "vitest";
import { fileKindOf } from "#core/file-view/file-kind.ts";

const of = (text: string, name = "file") => fileKindOf(new TextEncoder().encode(text), name);

test.each([
  ['{"traceEvents": []}', "profile"],
  ["main;serve 3\n", "profile"],
  ['{"$schema": "https://www.speedscope.app/file-format-schema.json"}', "profile"],
  ['{"backend": "vllm", "ttfts": [0.1], "itls": [[0.01]], "input_lens": [3], "output_lens": [2], "request_throughput": 3}', "benchmark"],
  ['{"request_throughput": 3}', "benchmark"], // whoever reads it says what it lacks
  ['# HELP vllm:num_requests_running x\n# TYPE vllm:num_requests_running gauge\nvllm:num_requests_running{model_name="m"} 3\n', "metrics"],
  ["timestamp, name, utilization.gpu [%]\n2026/11/29 12:00:00.000, H100, 5 %\n", "metrics"],
  ['{"schema_version": 1, "tree": {}}', "model-tree"],
  ["a letter to a friend\n", "none"],
  ['{"architectures": ["Qwen3ForCausalLM"], "model_type": "qwen3"}', "none"],
])("%s is %s", (text, kind) => expect(of(text).kind).toBe(kind));

test("what is none says what is read", () => {
  const letter = of("a letter to a friend\n");
  expect(letter.kind === "none" && letter.refusal.reason).toContain("Lamella reads traces of torch.profiler");
});
