// Kernels by module and operator from finished stacks, for formats whose stacks are all there is; launch sizes are not recorded. Sums equal the samples' total.
import type { ExecutionFrame, ExecutionSample, KernelUse } from "./execution.ts";

export function stackKernelUses(frames: readonly ExecutionFrame[], stacks: readonly Uint32Array[], samples: readonly ExecutionSample[]): KernelUse[] {
  const uses = new Map<string, KernelUse>();
  for (const { stack, value, count } of samples) {
    const path = stacks[stack]!;
    const at = path.findLastIndex((frame) => frames[frame]!.kind === "layer");
    const module = at < 0 ? -1 : path[at]!;
    const op = path.slice(at + 1).find((frame) => frames[frame]!.kind === "op");
    const kernel = path.at(-1)!;
    const key = `${module} ${op ?? -1} ${kernel}`;
    const use = uses.get(key);
    if (use === undefined) uses.set(key, { module, op: op === undefined ? "" : frames[op]!.name, kernel: frames[kernel]!.name, grid: "", block: "", dims: "", dtypes: "", count, value });
    else {
      use.count += count;
      use.value += value;
    }
  }
  return [...uses.values()].sort((a, b) => b.value - a.value);
}
