// A trace of an engine with what it brings itself: works without the agent, for as long as the trace runs.
import { engineRuns } from "./engine-run.ts";
import type { Engine } from "./setup-choice.ts";
import { commandLines } from "./shell-word.ts";

export function traceLines(engine: Engine): string {
  return byEngine[engine];
}

const vllm = engineRuns.vllm.command;
const sglang = engineRuns.sglang.command;
const tensorrt = engineRuns["tensorrt-llm"].command;

const byEngine: Readonly<Record<Engine, string>> = {
  vllm: [
    `# vLLM 0.13 or newer`,
    commandLines([...vllm, `--profiler-config '{"profiler": "torch", "torch_profiler_dir": "/tmp/lamella"}'`]),
    "",
    "curl -X POST http://localhost:8000/start_profile   # then a few requests, then",
    "curl -X POST http://localhost:8000/stop_profile",
    "npx lamella import /tmp/lamella/*.json.gz",
  ].join("\n"),
  sglang: [
    `export SGLANG_TORCH_PROFILER_DIR=/tmp/lamella`,
    commandLines(sglang),
    "",
    `curl -X POST http://localhost:30000/start_profile -H 'Content-Type: application/json' -d '{"num_steps": 10}'   # then a few requests`,
    "npx lamella import /tmp/lamella/*.json.gz",
  ].join("\n"),
  triton: [
    "nsys profile -t cuda,nvtx --cuda-graph-trace=node -o run tritonserver --model-repository /models",
    "nsys export --type sqlite run.nsys-rep",
    "npx lamella import run.sqlite",
  ].join("\n"),
  "tensorrt-llm": [
    "export TLLM_PROFILE_START_STOP=100-110   # iterations of the engine",
    "export TLLM_TORCH_PROFILE_TRACE=/tmp/lamella.json",
    commandLines(tensorrt),
    "npx lamella import /tmp/lamella.json",
  ].join("\n"),
  pytorch: [
    "# in the script, around a few steps",
    "from lamella.record import record",
    'record(model, lambda step, before: {"input_ids": ids}, "run.trace.json.gz")   # with module paths; any torch.profiler trace does as well',
    "",
    "# then",
    "npx lamella import run.trace.json.gz",
  ].join("\n"),
};
