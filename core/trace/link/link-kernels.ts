// Kernels → samples: correlation → launch → the launch's place on its thread. The time a kernel runs says nothing about who launched it (the GPU is behind the
// host by milliseconds), so it is never compared with host intervals. Every kernel becomes part of a sample; what cannot be placed is named:
//   launched before capture   no launch event, and the id is lower than every id its process launched in the file (ids only grow)
//   launch not recorded       no launch event, and the file does not show why
//   graph replay              a CUDA/HIP graph launch outside any module, and no capture of that graph is known
//   backward, module unknown  launched by the backward pass of an operator whose forward the file does not show inside a module
//   collective over gradients the reduction of a bucket of gradients, which belongs to many modules
//   outside any module        any other launch outside a module: before, between or after forwards, or no modules in the file
import { plainFrame } from "./call-frame.ts";
import { kernelLaunch, type CapturedKernel } from "./captured-graphs.ts";
import type { ExecutionFrame } from "../execution.ts";
import { StackTree, type FrameTable } from "../frame-table.ts";
import { LaunchIndex } from "./launch-index.ts";
import type { Linker } from "./linker.ts";
import type { Stretch } from "./stretch.ts";

const graphLaunch = /graphlaunch/i;

export function linkKernels(linker: Linker, stretch: Stretch): void {
  const { texts, sum, stacks, frames, steps, times, operations, places, counts, known } = linker;
  const { tables, calls, attribution, backward } = stretch;
  const { kernels } = tables;
  const launches = new LaunchIndex(tables, known.gpus, linker.options.facts);
  if (known.gpus.several && !known.complete) known.gpus.learn(tables, launches, texts);
  const served = new Uint8Array(calls.length);
  const launchOf = new Int32Array(kernels.length); // -1 = not in the file
  const replays = new Map<number, number[]>(); // graph launch → its kernels, rows
  for (let k = 0; k < kernels.length; k++) {
    const start = kernels.start.values[k]!;
    const launch = (launchOf[k] = launches.find(k));
    if (launch < 0) continue;
    served[launch] = 1;
    if (start < calls.start.values[launch]!) counts.startedBeforeLaunch++;
    if (!graphLaunch.test(texts.text(calls.name.values[launch]!))) continue;
    const rows = replays.get(launch);
    if (rows === undefined) replays.set(launch, [k]);
    else rows.push(k);
  }
  const firstOf = new Map([...replays].map(([launch, rows]) => [launch, rows[0]!]));
  const matches = matchReplays(linker, stretch, replays);
  for (let k = 0; k < kernels.length; k++) {
    const value = kernels.duration.values[k]!;
    const launch = launchOf[k]!;
    if (launch < 0) {
      if (!linker.takes(0)) continue;
      const gap = launches.launchedBefore(k) ? "launched before capture" : "launch not recorded";
      const caller = stacks.tree.child(StackTree.root, frames.add(plainFrame("gpu_api", `(${gap})`)));
      sum.add(stacks.tree.child(caller, stacks.kernelFrame(kernels.name.values[k]!)), 0, value, gap);
      operations.addKernel(-1, -1, k);
      continue;
    }
    const first = firstOf.get(launch);
    if (first !== undefined) {
      if (first === k && matches.has(launch)) linkReplay(linker, stretch, launch, matches.get(launch)!);
      continue;
    }
    const module = attribution.innermostModule(launch);
    const gap = module >= 0 ? undefined : backward.inBucket[launch] === 1 ? "collective over gradients" : backward.backward[launch] === 1 && known.hasModules() ? "backward, module unknown" : "outside any module";
    const step = steps.of(launch);
    if (!linker.takes(step)) continue;
    sum.add(stacks.tree.child(stacks.of(launch), stacks.kernelFrame(kernels.name.values[k]!)), step, value, gap);
    steps.addKernel(step, k, value);
    times.add(module, value, step);
    operations.addKernel(module < 0 ? -1 : places.frameOf.get(module)!, launch, k);
  }
  for (let i = 0; i < tables.launches.call.length; i++) {
    const row = tables.launches.call.values[i]!;
    if (served[row] === 0 && kernelLaunch.test(texts.text(calls.name.values[row]!))) counts.launchesWithoutKernel++;
  }
  counts.ambiguous += launches.ambiguous;
}

type Replay = { rows: number[]; captured: (CapturedKernel | undefined)[]; step: number };

// In order of launch: graphs that are alike are taken in turn. Left out is what lies in a step that is not wanted.
function matchReplays(linker: Linker, { tables: { kernels }, calls }: Stretch, rowsOf: ReadonlyMap<number, number[]>): Map<number, Replay> {
  const { texts, steps, replays } = linker;
  const node = kernels.graphNode.values;
  const start = kernels.start.values;
  const matches = new Map<number, Replay>();
  for (const [launch, rows] of [...rowsOf].sort(([a], [b]) => calls.start.values[a]! - calls.start.values[b]!)) {
    const byNode = rows.every((k) => node[k]! > 0);
    rows.sort((a, b) => (byNode ? node[a]! - node[b]! : start[a]! - start[b]!) || a - b);
    const step = steps.of(launch);
    if (linker.takes(step)) matches.set(launch, { rows, captured: replays.match(rows.map((k) => texts.text(kernels.name.values[k]!)), step, steps.batchOf(step)), step });
  }
  return matches;
}

// Mapped kernels stand below the modules and operators they were captured in, the launch of the graph right above them.
function linkReplay(linker: Linker, { tables, calls, attribution }: Stretch, launch: number, { rows, captured, step }: Replay): void {
  const { texts, sum, stacks, frames, steps, times, operations, places, counts } = linker;
  const { kernels } = tables;
  const module = attribution.innermostModule(launch);
  const caller = stacks.of(stacks.callerOf(launch));
  const launchFrame = frames.add(plainFrame("gpu_api", texts.text(calls.name.values[launch]!)));
  const called = new Set([...stacks.tree.frames(caller).frames].map((frame) => layerKey(frames.frames[frame]!)));
  counts.replayed += rows.length;
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
    if (own !== undefined) counts.replayedMapped++;
  }
}

function layersOf(captured: CapturedKernel | undefined, called: ReadonlySet<string>, frames: FrameTable): number[] {
  return (captured?.around ?? []).filter((frame) => frame.kind === "layer" && !called.has(layerKey(frame))).map((frame) => frames.add(frame));
}

function layerKey({ kind, modulePath, moduleClass }: ExecutionFrame): string {
  return kind === "layer" ? `${modulePath}\0${moduleClass}` : "";
}
