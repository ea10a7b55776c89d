// What a person chooses on the way to the lines that set up profiling: closed lists, so that a URL or an option can name only these.
export const engines = {
  vllm: "vLLM",
  sglang: "SGLang",
  triton: "Triton",
  "tensorrt-llm": "TensorRT-LLM",
  pytorch: "PyTorch script",
} as const;
export type Engine = keyof typeof engines;

export const platforms = { docker: "Docker", kubernetes: "Kubernetes", slurm: "Slurm", "bare-metal": "Bare metal" } as const;
export type Platform = keyof typeof platforms;

export const gpuVendors = { nvidia: "NVIDIA", amd: "AMD" } as const;
export type GpuVendor = keyof typeof gpuVendors;

export type SetupChoice = {
  readonly engine: Engine;
  readonly platform: Platform;
  readonly gpu: GpuVendor;
  readonly shapes: boolean; // module trees and Model Layer frames
  readonly pcSampling: boolean; // SASS and stall reasons; NVIDIA only
  readonly log: boolean; // the line that the library writes when it is loaded
  readonly tags: string; // "team:search;env:prod"; "" = none
  readonly cluster: string; // "" = none
  readonly endpoint: string; // https://host/t/TENANT
};

export type SetupStep = {
  readonly id: string;
  readonly title: string;
  readonly about: string;
  readonly when: "today" | "agent"; // agent: only with the injected library and the host agent, which are not released yet
  readonly lines: string;
};

// Why these two do not go together; undefined: they do.
export function notTogether({ engine, gpu }: Pick<SetupChoice, "engine" | "gpu">): string | undefined {
  if (gpu === "nvidia" || (engine !== "triton" && engine !== "tensorrt-llm")) return undefined;
  return `${engines[engine]} runs on NVIDIA GPUs only. Choose NVIDIA, or vLLM, SGLang or a PyTorch script on AMD.`;
}

// Tags as the agent takes them: key:value, several divided by ";".
export function tagsProblem(tags: string): string | undefined {
  if (tags === "" || tags.split(";").every((tag) => /^[^:;\s][^:;]*:[^:;]+$/.test(tag))) return undefined;
  return 'Write tags as key:value, several divided by ";": team:search;env:prod';
}
