// Frames and operations in an order of their own, whichever way the importer came upon them, whole or stretch by stretch: frames as modules use them first, then
// stacks. What nothing uses (a function that launched nothing) is left out.
import type { Execution } from "./execution.ts";

// Renumbers in place.
export function inOwnOrder(execution: Execution): Execution {
  const { modules, stacks, operations, kernelUses } = execution;
  const numbers = new Int32Array(execution.frames.length).fill(-1);
  const frames: Execution["frames"] = [];
  const numberOf = (frame: number): number => {
    if (frame < 0) return frame;
    if (numbers[frame]! < 0) numbers[frame] = frames.push(execution.frames[frame]!) - 1;
    return numbers[frame]!;
  };
  for (const module of modules) module.frame = numberOf(module.frame);
  for (const stack of stacks) for (let i = 0; i < stack.length; i++) stack[i] = numberOf(stack[i]!);
  for (const operation of operations) operation.module = numberOf(operation.module);
  for (const use of kernelUses) use.module = numberOf(use.module);
  operations.sort((a, b) => b.cpuNs - a.cpuNs || a.module - b.module || (a.op < b.op ? -1 : a.op > b.op ? 1 : (a.outside ?? "") < (b.outside ?? "") ? -1 : 1));
  return { ...execution, frames };
}
