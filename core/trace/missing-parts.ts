// What a trace could have held and does not: what that disables, and which switch to set next time.
import type { Execution } from "./execution.ts";

export type MissingPart = { what: string; disables: string; remedy: string };

export function missingParts({ profileType, found, modules, pathSource, gpuNames, recordedAtNs }: Execution): MissingPart[] {
  const parts: MissingPart[] = [];
  const absoluteTime: MissingPart = { what: "absolute time", disables: "when it was recorded is not known", remedy: "Keep baseTimeNanoseconds in the file" };
  if (profileType !== "cuda" && profileType !== "cpu_op") {
    const remedy = "Import a GPU trace of the same run as well: torch.profiler, rocprofv3 or Nsight Systems";
    parts.push({ what: "GPU kernels and modules", disables: "no Model Layer frames, no GPU time", remedy });
    if (recordedAtNs === 0n) parts.push({ ...absoluteTime, remedy: "The format or its writer left it out" });
    return parts;
  }
  if (profileType === "cpu_op") {
    parts.push({
      what: "GPU kernels", disables: "what is shown is CPU operator time, not GPU time",
      remedy: "Record on a machine with a GPU, with ProfilerActivity.CUDA in activities",
    });
  }
  if (modules.length === 0) {
    const disables = "no Model Layer frames, no time by module";
    if (found.pythonFunctions > 0) {
      parts.push({
        what: "modules (Python calls were recorded, but no nn.Module was called among them)", disables,
        remedy: "Record a window that holds a whole forward call",
      });
    } else {
      const off = found.withStack === false ? "with_stack was off" : "the file holds no Python calls";
      parts.push({
        what: `modules (${found.withStack === true ? "with_stack was on, yet the file holds no Python calls" : off})`, disables,
        remedy: "Record with torch.profiler.profile(with_stack=True): nn.Module events come from it; with_modules alone gives none in eager mode. Other tools: mark modules with NVTX or roctx ranges named by their path",
      });
    }
  } else if (pathSource === "inferred") {
    parts.push({
      what: "module paths (modules are named Class[n] in order of first call)",
      disables: "no jump to the model's structure; layers compare inside this trace only",
      remedy: "Record with python -m lamella.record, which writes the paths into the trace",
    });
  }
  if (found.operators === 0) {
    parts.push({ what: "operators", disables: "kernels stand below their launch alone", remedy: "With torch.profiler: ProfilerActivity.CPU in activities" });
  }
  if (profileType === "cuda" && found.launches === 0) {
    parts.push({
      what: "launch calls", disables: "no kernel can be attributed to code",
      remedy: "Record with ProfilerActivity.CPU as well; do not filter runtime events out of the file",
    });
  }
  if (profileType === "cuda" && gpuNames.length === 0) {
    parts.push({ what: "the GPU's name", disables: "the filter gpu_name does not find it", remedy: "Keep deviceProperties in the file" });
  }
  if (recordedAtNs === 0n) parts.push(absoluteTime);
  return parts;
}
