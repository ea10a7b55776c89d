// Kernels → samples: correlation → launch → the launch's place on its thread. The time a kernel runs says nothing about who launched it (the GPU is behind the
// host by milliseconds), so it is never compared with host intervals. Every kernel becomes part of a sample; what cannot be placed is named:
//   launched before capture   no launch event, and the id is lower than every id launched in the file (ids only grow)
//   launch not recorded       no launch event, and the file does not show why
//   graph replay              a CUDA/HIP graph launch outside any module
//   outside any module        any other launch outside a module: before, between or after forwards, or no modules in the file
import { plainFrame } from "./call-frame.ts";
import type { CallStacks } from "./call-stacks.ts";
import type { GapReason } from "../execution.ts";
import { StackTree, type FrameTable } from "../frame-table.ts";
import { LaunchIndex } from "./launch-index.ts";
import { SampleSum } from "../sample-sum.ts";
import type { Steps } from "./steps.ts";
import type { TextTable } from "../read/text-table.ts";
import type { TraceTables } from "./trace-tables.ts";

export type KernelLinks = {
  sum: SampleSum;
  startedBeforeLaunch: number; // clock skew between host and GPU
  ambiguous: number; // correlation ids owned by several processes
  launchesWithoutKernel: number;
};

const graphLaunch = /graphlaunch/i;
const kernelLaunch = /launch.*kernel/i;

export function linkKernels(tables: TraceTables, stacks: CallStacks, frames: FrameTable, steps: Steps, texts: TextTable): KernelLinks {
  const { kernels, calls } = tables;
  const launches = new LaunchIndex(tables);
  const sum = new SampleSum();
  const served = new Uint8Array(calls.length);
  let startedBeforeLaunch = 0;
  for (let k = 0; k < kernels.length; k++) {
    const correlation = kernels.correlation.values[k]!;
    const start = kernels.start.values[k]!;
    const kernelFrame = stacks.kernelFrame(kernels.name.values[k]!);
    const launch = launches.find(correlation, kernels.process.values[k]!, start);
    let gap: GapReason | undefined;
    let caller: number;
    let step = 0;
    if (launch < 0) {
      gap = launches.size > 0 && correlation !== 0 && correlation < launches.lowest ? "launched before capture" : "launch not recorded";
      caller = stacks.tree.child(StackTree.root, frames.add(plainFrame("gpu_api", `(${gap})`)));
    } else {
      served[launch] = 1;
      if (start < calls.start.values[launch]!) startedBeforeLaunch++;
      const root = steps.rootModuleOf(launch);
      if (root < 0) gap = graphLaunch.test(texts.text(calls.name.values[launch]!)) ? "graph replay" : "outside any module";
      caller = stacks.of(launch);
      step = steps.of(launch, root);
    }
    sum.add(stacks.tree.child(caller, kernelFrame), step, kernels.duration.values[k]!, gap);
  }
  let launchesWithoutKernel = 0;
  for (let i = 0; i < tables.launches.call.length; i++) {
    const row = tables.launches.call.values[i]!;
    if (served[row] === 0 && kernelLaunch.test(texts.text(calls.name.values[row]!))) launchesWithoutKernel++;
  }
  return { sum, startedBeforeLaunch, ambiguous: launches.ambiguous, launchesWithoutKernel };
}
