// How each engine is started, as its own documentation does it: an image, a command, and where its metrics are. Only an example; the lines that matter are ours.
import type { Engine, GpuVendor } from "./setup-choice.ts";

export type EngineRun = {
  readonly image: Readonly<Record<GpuVendor, string>>;
  readonly command: readonly string[];
  readonly port: number | null;
  readonly metricsUrl: string | null;
  readonly metricsNote?: string;
};

const model = "zai-org/GLM-4-9B-0414";

export const engineRuns: Readonly<Record<Engine, EngineRun>> = {
  vllm: {
    image: { nvidia: "vllm/vllm-openai:latest", amd: "rocm/vllm:latest" },
    command: ["vllm serve", model, "--port 8000"],
    port: 8000,
    metricsUrl: "http://localhost:8000/metrics",
  },
  sglang: {
    image: { nvidia: "lmsysorg/sglang:latest", amd: "rocm/sgl-dev:v0.5.13.post1-ubuntu24.04-py3.14-rocm7.14" },
    command: ["python3 -m sglang.launch_server", `--model-path ${model}`, "--host 0.0.0.0 --port 30000", "--enable-metrics"],
    port: 30000,
    metricsUrl: "http://localhost:30000/metrics",
    metricsNote: "SGLang has metrics only with --enable-metrics.",
  },
  triton: {
    image: { nvidia: "nvcr.io/nvidia/tritonserver:25.10-vllm-python-py3", amd: "" },
    command: ["tritonserver", "--model-repository /models"],
    port: 8000,
    metricsUrl: "http://localhost:8002/metrics",
    metricsNote: "The engine's own figures are in it only with REPORT_CUSTOM_METRICS in the model's config.pbtxt.",
  },
  "tensorrt-llm": {
    image: { nvidia: "nvcr.io/nvidia/tensorrt-llm/release:latest", amd: "" },
    command: ["trtllm-serve", "Qwen/Qwen3-8B", "--host 0.0.0.0 --port 8000"],
    port: 8000,
    metricsUrl: "http://localhost:8000/prometheus/metrics",
    metricsNote: "TensorRT-LLM has them only with return_perf_metrics: true in its configuration.",
  },
  pytorch: {
    image: { nvidia: "pytorch/pytorch:latest", amd: "rocm/pytorch:latest" },
    command: ["python train.py"],
    port: null,
    metricsUrl: null,
  },
};
