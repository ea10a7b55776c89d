// The environment of the profiled process: where the injected library is, and its switches that differ from their defaults.
import type { SetupChoice } from "./setup-choice.ts";

export const libraryFolder = "/opt/lamella/profiler";

export function injectedVariables({ gpu, shapes, pcSampling, log }: SetupChoice): [name: string, value: string][] {
  const prefix = gpu === "nvidia" ? "LAMELLA_CUDAPROFILER__" : "LAMELLA_ROCMPROFILER__";
  const library = `${libraryFolder}/${gpu === "nvidia" ? "liblamellacudaprofiler.so" : "liblamellarocmprofiler.so"}`;
  return [
    ...(gpu === "nvidia"
      ? [["CUDA_INJECTION64_PATH", library]]
      : [["ROCP_TOOL_LIBRARIES", library], ["ROCPROFILER_REGISTER_LIBRARY", library]]) as [string, string][],
    ...(shapes ? [[`${prefix}MODEL_SHAPE__ENABLED`, "true"]] as [string, string][] : []),
    ...(pcSampling && gpu === "nvidia" ? [[`${prefix}ENABLE_PC_SAMPLING`, "true"]] as [string, string][] : []),
    ...(log ? [["RUST_LOG", gpu === "nvidia" ? "lamellacudaprofiler=info" : "lamellarocmprofiler=info"], [`${prefix}QUIET`, "false"]] as [string, string][] : []),
  ];
}
