// Kernels → samples: correlation → launch → the launch's place on its thread. The time a kernel runs says nothing about who launched it (the GPU is behind the
// host by milliseconds), so it is never compared with host intervals. Every kernel becomes part of a sample; what cannot be placed is named:
//   launched before capture   no launch event, and the id is lower than every id launched in the file (ids only grow)
//   launch not recorded       no launch event, and the file does not show why
//   graph replay              a CUDA/HIP graph launch outside any module, and no capture of that graph is known
//   backward, module unknown  launched by the backward pass of an operator whose forward the file does not show inside a module
//   collective over gradients the reduction of a bucket of gradients, which belongs to many modules
//   outside any module        any other launch outside a module: before, between or after forwards, or no modules in the file
import { plainFrame } from "./call-frame.ts";
import type { Attribution } from "./attribution.ts";
import type { BackwardLinks } from "./backward-links.ts";
import type { CallStacks } from "./call-stacks.ts";
import { kernelLaunch, type CapturedKernel } from "./captured-graphs.ts";
import type { ExecutionFrame } from "../execution.ts";
import { StackTree, type FrameTable } from "../frame-table.ts";
import type { GraphReplays } from "./graph-replay.ts";
import { LaunchIndex } from "./launch-index.ts";
import type { ModulePlaces } from "./module-places.ts";
import type { ModuleTimes } from "./module-times.ts";
import type { Operations } from "./operations.ts";
import { SampleSum } from "../sample-sum.ts";
import type { Steps } from "./steps.ts";
import type { TextTable } from "../read/text-table.ts";
import type { TraceTables } from "./trace-tables.ts";

export type KernelLinks = {
  sum: SampleSum;
  startedBeforeLaunch: number; // clock skew between host and GPU
  ambiguous: number; // correlation ids owned by several processes
  launchesWithoutKernel: number;
  replayed: number; // kernels of graph replays
  replayedMapped: number; // of these, mapped to the launches they were captured from
};

export type Linking = {
  tables: TraceTables; texts: TextTable; stacks: CallStacks; frames: FrameTable; attribution: Attribution; backward: BackwardLinks; steps: Steps; replays: GraphReplays; times: ModuleTimes; operations: Operations; places: ModulePlaces;
};

const graphLaunch = /graphlaunch/i;

export function linkKernels(linking: Linking): KernelLinks {
  const { tables, texts, stacks, frames, attribution, backward, steps, times, operations, places } = linking;
  const { kernels, calls } = tables;
  const launches = new LaunchIndex(tables);
  const sum = new SampleSum();
  const served = new Uint8Array(calls.length);
  const replays = new Map<number, number[]>(); // graph launch → its kernels, rows
  let startedBeforeLaunch = 0;
  for (let k = 0; k < kernels.length; k++) {
    const correlation = kernels.correlation.values[k]!;
    const start = kernels.start.values[k]!;
    const value = kernels.duration.values[k]!;
    const launch = launches.find(correlation, kernels.process.values[k]!, start);
    if (launch < 0) {
      const gap = launches.size > 0 && correlation !== 0 && correlation < launches.lowest ? "launched before capture" : "launch not recorded";
      const caller = stacks.tree.child(StackTree.root, frames.add(plainFrame("gpu_api", `(${gap})`)));
      sum.add(stacks.tree.child(caller, stacks.kernelFrame(kernels.name.values[k]!)), 0, value, gap);
      operations.addKernel(-1, -1, k);
      continue;
    }
    served[launch] = 1;
    if (start < calls.start.values[launch]!) startedBeforeLaunch++;
    if (graphLaunch.test(texts.text(calls.name.values[launch]!))) {
      const rows = replays.get(launch);
      if (rows === undefined) replays.set(launch, [k]);
      else rows.push(k);
      continue;
    }
    const module = attribution.innermostModule(launch);
    const gap = module >= 0 ? undefined : backward.inBucket[launch] === 1 ? "collective over gradients" : backward.backward[launch] === 1 ? "backward, module unknown" : "outside any module";
    const step = steps.of(launch);
    sum.add(stacks.tree.child(stacks.of(launch), stacks.kernelFrame(kernels.name.values[k]!)), step, value, gap);
    steps.addKernel(step, k, value);
    times.add(module, value, step);
    operations.addKernel(module < 0 ? -1 : places.frameOf.get(module)!, launch, k);
  }
  const mapped = [...replays].sort(([a], [b]) => calls.start.values[a]! - calls.start.values[b]!).reduce((total, [launch, rows]) => total + linkReplay(linking, sum, launch, rows), 0);
  let launchesWithoutKernel = 0;
  for (let i = 0; i < tables.launches.call.length; i++) {
    const row = tables.launches.call.values[i]!;
    if (served[row] === 0 && kernelLaunch.test(texts.text(calls.name.values[row]!))) launchesWithoutKernel++;
  }
  const replayed = [...replays.values()].reduce((total, rows) => total + rows.length, 0);
  return { sum, startedBeforeLaunch, ambiguous: launches.ambiguous, launchesWithoutKernel, replayed, replayedMapped: mapped };
}

// Mapped kernels stand below the modules and operators they were captured in, the launch of the graph right above them. Returns how many.
function linkReplay({ tables, texts, stacks, frames, attribution, steps, replays, times, operations, places }: Linking, sum: SampleSum, launch: number, rows: number[]): number {
  const { kernels, calls } = tables;
  const node = kernels.graphNode.values;
  const start = kernels.start.values;
  const byNode = rows.every((k) => node[k]! > 0);
  rows.sort((a, b) => (byNode ? node[a]! - node[b]! : start[a]! - start[b]!) || a - b);
  const step = steps.of(launch);
  const captured = replays.match(rows.map((k) => texts.text(kernels.name.values[k]!)), step, steps.batchOf(step));
  const module = attribution.innermostModule(launch);
  const caller = stacks.of(stacks.callerOf(launch));
  const launchFrame = frames.add(plainFrame("gpu_api", texts.text(calls.name.values[launch]!)));
  const called = new Set([...stacks.tree.frames(caller).frames].map((frame) => layerKey(frames.frames[frame]!)));
  let mapped = 0;
  for (const [i, k] of rows.entries()) {
    const value = kernels.duration.values[k]!;
    const own = captured[i];
    const around = (own?.around ?? []).filter((frame) => frame.kind !== "layer" || !called.has(layerKey(frame))).map((frame) => frames.add(frame));
    const stack = [...around, launchFrame, stacks.kernelFrame(kernels.name.values[k]!)].reduce((at, frame) => stacks.tree.child(at, frame), caller);
    const placed = module >= 0 || (own !== undefined && own.around.some((frame) => frame.kind === "layer"));
    sum.add(stack, step, value, placed ? undefined : "graph replay");
    steps.addKernel(step, k, value);
    const layers = layersOf(own, called, frames);
    times.addReplayed(module, launch, layers, value, step);
    operations.addReplayed(layers.at(-1) ?? (module < 0 ? -1 : places.frameOf.get(module)!), own, k);
    if (own !== undefined) mapped++;
  }
  return mapped;
}

function layersOf(captured: CapturedKernel | undefined, called: ReadonlySet<string>, frames: FrameTable): number[] {
  return (captured?.around ?? []).filter((frame) => frame.kind === "layer" && !called.has(layerKey(frame))).map((frame) => frames.add(frame));
}

function layerKey({ kind, modulePath, moduleClass }: ExecutionFrame): string {
  return kind === "layer" ? `${modulePath}\0${moduleClass}` : "";
}
