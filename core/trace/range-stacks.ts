// Ranges a program marked on its threads (NVTX, roctx) → the frames around a launch: all ranges open on the launching thread at the launch's time, outermost
// first. When the kernel ran says nothing about who launched it. A range whose text is a module's path becomes a Model Layer frame.
import type { ExecutionModule, ModuleCalls, ModuleFrameName } from "./execution.ts";
import { annotatedPath } from "./link/path-annotations.ts";
import type { StackExecution } from "./stack-execution.ts";

type Range = {
  start: number; // ns, any origin
  end: number; // Infinity = never closed
  frame: number;
  parent: number; // index among the thread's ranges; -1 = none
  gpuNs: number; // of what was launched in it
};

export class RangeStacks {
  private readonly threads = new Map<string, Range[]>();
  private readonly frames = new Map<string, number>(); // by text
  private readonly layers = new Set<number>();
  private readonly execution: StackExecution;
  private readonly frameName: ModuleFrameName;

  constructor(execution: StackExecution, frameName: ModuleFrameName) {
    this.execution = execution;
    this.frameName = frameName;
  }

  // The thread by whatever tells it apart.
  add(thread: string, text: string, start: number, end: number): void {
    const ranges = this.threads.get(thread);
    const range = { start, end, frame: this.frameOf(text), parent: -1, gpuNs: 0 };
    if (ranges === undefined) this.threads.set(thread, [range]);
    else ranges.push(range);
  }

  // After the last range, before the first question.
  close(): void {
    for (const ranges of this.threads.values()) {
      ranges.sort((a, b) => a.start - b.start || b.end - a.end);
      const open: number[] = [];
      for (const [i, range] of ranges.entries()) {
        while (open.length > 0 && ranges[open.at(-1)!]!.end <= range.start) open.pop();
        range.parent = open.at(-1) ?? -1;
        open.push(i);
      }
    }
  }

  // Frames around a launch at this time; the ranges are charged with what it cost the GPU.
  launch(thread: string, at: number, gpuNs: number): { frames: number[]; inModule: boolean } {
    const ranges = this.threads.get(thread) ?? [];
    let low = 0;
    let high = ranges.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (ranges[middle]!.start <= at) low = middle + 1;
      else high = middle;
    }
    const frames: number[] = [];
    for (let i = low - 1; i >= 0; i = ranges[i]!.parent) {
      const range = ranges[i]!;
      if (range.end <= at) continue;
      range.gpuNs += gpuNs;
      frames.push(range.frame);
    }
    frames.reverse();
    return { frames, inModule: frames.some((frame) => this.layers.has(frame)) };
  }

  // The modules among the ranges, in pre-order, each below the one it was first called in.
  modules(): ExecutionModule[] {
    const calls = new Map<number, ModuleCalls>();
    const children = new Map<number, Set<number>>();
    for (const ranges of this.threads.values()) {
      for (const range of ranges) {
        if (!this.layers.has(range.frame)) continue;
        let caller = range.parent;
        while (caller >= 0 && !this.layers.has(ranges[caller]!.frame)) caller = ranges[caller]!.parent;
        let known = calls.get(range.frame);
        if (known === undefined) {
          calls.set(range.frame, (known = { gpuNs: [], cpuNs: [], step: [] }));
          const parent = caller < 0 ? -1 : ranges[caller]!.frame;
          children.set(parent, (children.get(parent) ?? new Set()).add(range.frame));
        }
        known.gpuNs.push(range.gpuNs);
        known.cpuNs.push(range.end === Number.POSITIVE_INFINITY ? Number.NaN : range.end - range.start);
        known.step.push(0);
      }
    }
    const modules: ExecutionModule[] = [];
    const pending = [...(children.get(-1) ?? [])].reverse().map((frame) => ({ frame, parent: -1, depth: 0 }));
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      const row = modules.push({ ...next, calls: calls.get(next.frame)! }) - 1;
      for (const frame of [...(children.get(next.frame) ?? [])].reverse()) pending.push({ frame, parent: row, depth: next.depth + 1 });
    }
    return modules;
  }

  private frameOf(text: string): number {
    let known = this.frames.get(text);
    if (known === undefined) {
      const path = modulePathOf(text);
      const operator = emittedOperator.exec(text)?.[1];
      if (path !== undefined) this.layers.add((known = this.execution.frame({ kind: "layer", name: this.frameName({ path, className: "", modelName: "" }), modulePath: path })));
      else known = this.execution.frame(operator === undefined ? { kind: "nvtx", name: text } : { kind: "op", name: operator });
      this.frames.set(text, known);
    }
    return known;
  }
}

// As record_function writes it, or as vLLM's layerwise ranges do: "{'Module': 'model.layers.0.mlp', 'TrainableParams': …}".
const layerwise = /^\{\s*['"]Module['"]:\s*['"]([\w.]+)['"]/;

// As torch.autograd.profiler.emit_nvtx writes operators: "aten::mm, op_id = 12, seq = 3, sizes = …"; the numbers would make every call a frame of its own.
const emittedOperator = /^([\w:.<>]+), (?:op_id|seq) = \d/;

function modulePathOf(text: string): string | undefined {
  return layerwise.exec(text)?.[1] ?? annotatedPath(text.replace(/^record_function:\s*/, ""));
}
