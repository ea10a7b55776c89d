// A file that Lamella exported, read again: its frames say what they are (core/frame-mark.ts), so layers are layers. It holds sums by stack; calls, steps and the
// times of single kernels are not in it. Launch counts and PC samples become samples: executions have no other type for them.
import type { FrameMark } from "#core/frame-mark.ts";
import type { ProfileTypeName } from "#schema/frame-kinds.ts";
import type { Execution, ExecutionModule, FoundCalls } from "./execution.ts";
import type { StackExecution } from "./stack-execution.ts";

export class OwnExport {
  readonly profileType: Execution["profileType"];
  private readonly execution: StackExecution;
  private readonly kinds = new Map<number, FrameMark["kind"]>(); // of marked frames
  private readonly parents = new Map<number, number>(); // layer → the one it was first seen below; -1 = none
  private readonly found = { operators: 0, launches: 0 };
  private layers = 0;

  constructor(execution: StackExecution, type: ProfileTypeName) {
    this.execution = execution;
    this.profileType = type === "cuda_launch" || type === "pc" ? "samples" : type;
  }

  // All frames come before the first stack.
  frame(name: string, { kind, file, line, mapping, modulePath, moduleClass }: FrameMark): number {
    const number = this.execution.frame({ name, kind, file, line, mapping, modulePath, moduleClass });
    this.kinds.set(number, kind);
    if (kind === "layer") this.layers++;
    return number;
  }

  add(frames: readonly number[], value: number, count: number): void {
    let below = -1;
    for (const frame of frames) {
      if (this.kinds.get(frame) !== "layer") continue;
      if (!this.parents.has(frame)) this.parents.set(frame, below);
      below = frame;
    }
    const has = (kind: FrameMark["kind"]) => frames.some((frame) => this.kinds.get(frame) === kind);
    if (has("op")) this.found.operators += count;
    if (has("gpu_api")) this.found.launches += count;
    const isGap = below < 0 && this.layers > 0 && (this.profileType === "cuda" || this.profileType === "cpu_op");
    this.execution.add(this.execution.stack(frames), { value, count, gap: isGap ? "outside any module" : undefined });
  }

  head(): { profileType: Execution["profileType"]; modules: ExecutionModule[]; found: Partial<FoundCalls> } {
    return { profileType: this.profileType, modules: this.modules(), found: this.found };
  }

  private modules(): ExecutionModule[] {
    const children = new Map<number, number[]>();
    for (const [frame, parent] of this.parents) children.set(parent, [...(children.get(parent) ?? []), frame]);
    const modules: ExecutionModule[] = [];
    const open = (children.get(-1) ?? []).reverse().map((frame) => ({ frame, parent: -1, depth: 0 }));
    for (let next = open.pop(); next; next = open.pop()) {
      const row = modules.push({ ...next, calls: { gpuNs: [], cpuNs: [], step: [] } }) - 1;
      for (const frame of (children.get(next.frame) ?? []).reverse()) open.push({ frame, parent: row, depth: next.depth + 1 });
    }
    return modules;
  }
}
