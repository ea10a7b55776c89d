// The CUDA and HIP graphs whose capture a trace shows: the launches between the begin and the end of a stream's capture, in order, each with the modules and
// operators it was issued in. A replayed graph runs these kernels again and again without a call of its own; this is where their layers come from.
import type { ExecutionFrame } from "../execution.ts";
import { callKinds } from "./calls.ts";
import type { CallStacks } from "./call-stacks.ts";
import type { Steps } from "./steps.ts";
import type { TextTable } from "../read/text-table.ts";
import type { Stretch } from "./stretch.ts";

export type CapturedKernel = {
  name: string; // as the launch names it (HIP); "" = the launch does not say (CUDA)
  around: ExecutionFrame[]; // modules, ranges and operators around the launch, root first; Python frames are left out
};
export type CapturedGraph = {
  batch: number; // what it was captured for, as the engine's capture mark says; 0 = it does not
  kernels: CapturedKernel[];
};

const begin = /beginCapture/i;
export const captureEnd = /endCapture/i;
export const kernelLaunch = /launch.*kernel|kernel.*launch/i;

export function capturedGraphs({ tables, calls, nesting }: Stretch, stacks: CallStacks, steps: Steps, frames: readonly ExecutionFrame[], texts: TextTable): CapturedGraph[] {
  const { launches } = tables;
  const kernelNameOf = new Map<number, number>();
  for (let i = 0; i < launches.call.length; i++) kernelNameOf.set(launches.call.values[i]!, launches.kernelName.values[i]!);
  const graphs: CapturedGraph[] = [];
  let open: CapturedGraph | undefined;
  let thread = -1;
  for (const row of nesting.order) {
    if (calls.thread.values[row] !== thread) {
      thread = calls.thread.values[row]!;
      open = undefined;
    }
    if (calls.kind.values[row] !== callKinds.launch) continue;
    const name = texts.text(calls.name.values[row]!);
    if (begin.test(name)) open = { batch: steps.batchOf(steps.of(row)), kernels: [] };
    else if (open !== undefined && captureEnd.test(name)) {
      if (open.kernels.length > 0) graphs.push(open);
      open = undefined;
    } else if (open !== undefined && kernelLaunch.test(name)) {
      const around = [...stacks.tree.frames(stacks.of(stacks.callerOf(row))).frames].map((frame) => frames[frame]!).filter((frame) => frame.kind !== "python");
      open.kernels.push({ name: texts.text(kernelNameOf.get(row) ?? 0), around });
    }
  }
  return graphs;
}
