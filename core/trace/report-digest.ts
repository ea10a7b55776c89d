// The import report as JSON, kept beside the execution: totals, gaps, what is missing, and the modules and kernels by time. At most
// limits.executionDigestBytesMax: the lists are shortened to fit, with the number of entries left out.
import { limits } from "#schema/limits.ts";
import { encodeUtf8 } from "#core/utf8.ts";
import type { Execution } from "./execution.ts";
import { missingParts } from "./missing-parts.ts";
import { headline } from "./report.ts";

export type DigestModule = { name: string; path: string; class: string; calls: number; kernels: number; value: number };
export type DigestKernel = { name: string; count: number; value: number };

export function reportDigest(execution: Execution): Uint8Array {
  const modules = moduleTimes(execution);
  const leaves = leafTimes(execution);
  for (let kept = Math.max(modules.length, leaves.length); ; kept = Math.floor(kept / 2)) {
    const bytes = encodeUtf8(JSON.stringify(digestOf(execution, modules.slice(0, kept), leaves.slice(0, kept), modules.length, leaves.length)));
    if (bytes.length <= limits.executionDigestBytesMax || kept === 0) return bytes;
  }
}

function digestOf(execution: Execution, modules: DigestModule[], kernels: DigestKernel[], allModules: number, allKernels: number): object {
  const { profileType, device, durationNs, events, pathSource, modelName, modelKey, totals, gaps, found, notes } = execution;
  return {
    format: 1, headline: headline(execution), profileType, unit: "ns", device, recordedAtNs: execution.recordedAtNs.toString(), durationNs, events,
    pathSource, modelName, modelKey, totals, gaps, found, missing: missingParts(execution), notes,
    modules, modulesLeftOut: allModules - modules.length, kernels, kernelsLeftOut: allKernels - kernels.length,
  };
}

// Every module with the time below it, the longest first. A stack that passes a module twice counts once.
export function moduleTimes({ frames, stacks, samples, modules }: Execution): DigestModule[] {
  const value = new Float64Array(frames.length);
  const kernels = new Float64Array(frames.length);
  for (const sample of samples) {
    for (const frame of new Set(stacks[sample.stack])) {
      value[frame]! += sample.value;
      kernels[frame]! += sample.count;
    }
  }
  return modules
    .map(({ frame, calls }) => ({
      name: frames[frame]!.name, path: frames[frame]!.modulePath, class: frames[frame]!.moduleClass, calls, kernels: kernels[frame]!, value: value[frame]!,
    }))
    .sort((a, b) => b.value - a.value);
}

// Kernels (or operators) by name, the longest first.
function leafTimes({ frames, stacks, samples }: Execution): DigestKernel[] {
  const sums = new Map<number, DigestKernel>();
  for (const sample of samples) {
    const leaf = stacks[sample.stack]!.at(-1)!;
    const sum = sums.get(leaf) ?? { name: frames[leaf]!.name, count: 0, value: 0 };
    sum.count += sample.count;
    sum.value += sample.value;
    sums.set(leaf, sum);
  }
  return [...sums.values()].sort((a, b) => b.value - a.value);
}
