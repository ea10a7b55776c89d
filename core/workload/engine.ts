// The engine behind a benchmark's word for its backend. "openai" and its kin name a protocol that every engine speaks, so they name none.

const engines: [RegExp, string][] = [
  [/vllm/, "vllm"], [/sglang|^srt$/, "sglang"], [/tensorrt|^trt|trtllm/, "tensorrt-llm"], [/^tgi/, "tgi"], [/lmdeploy/, "lmdeploy"], [/dynamo/, "dynamo"], [/llama\.?cpp/, "llama.cpp"],
];

export function engineOf(backend: string): string {
  return engines.find(([word]) => word.test(backend.toLowerCase()))?.[1] ?? "";
}
