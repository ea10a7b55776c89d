// An Execution from plain weighted stacks: the one place that fills in what profiles without modules do not have (no paths, no gaps, no steps).
// Values of equal stacks are summed; a sum over limits.sampleValueMax is written as several samples, so nothing is lost.
import { limits } from "#schema/limits.ts";
import { err, ok, type Result } from "#core/result.ts";
import { type Execution, type ExecutionCopy, type ExecutionDevice, type ExecutionFrame, type ExecutionModule, type ExecutionSample, type FoundCalls, type GapReason, gapReasons } from "./execution.ts";
import { FrameTable, StackTree } from "./frame-table.ts";
import type { Refusal } from "./refusal.ts";
import { stackKernelUses } from "./stack-kernel-uses.ts";

export type StackFrame = {
  kind: ExecutionFrame["kind"];
  name: string;
  file?: string; // source file
  line?: number; // first line of the function
  mapping?: string; // binary or library; shown in the file's place where no source file is known
  modulePath?: string; // layer frames only
  moduleClass?: string; // layer frames only
};

export type Weight = { value: number; count: number; step?: number; gap?: GapReason | undefined }; // gap: why GPU work lies below no module

export type StackHead = {
  profileType: Execution["profileType"];
  events: number; // records read from the file
  notes: readonly string[];
  device?: string;
  gpuNames?: string[];
  recordedAtNs?: bigint; // Unix ns; 0n = unknown
  durationNs?: number;
  found?: Partial<FoundCalls>;
  modules?: ExecutionModule[];
  devices?: ExecutionDevice[];
  copies?: ExecutionCopy[];
};

// A frame reference is 24 bits of a stack's key.
const framesMax = 2 ** 24;

export class StackExecution {
  private readonly table = new FrameTable();
  private readonly tree = new StackTree();
  private readonly sums = new Map<number, Map<number, ExecutionSample>>(); // stack → step → sum
  private readonly gaps = new Map<GapReason, { kernels: number; value: number }>();

  frame({ kind, name, file = "", line = 0, mapping = "", modulePath = "", moduleClass = "" }: StackFrame): number {
    return this.table.add({ kind, name: name === "" ? "(no name)" : name, file: file === "" ? mapping : file, line, modulePath, moduleClass });
  }

  // The stack of these frames below another one, root first.
  stack(frames: Iterable<number>, below: number = StackTree.root): number {
    let stack = below;
    for (const frame of frames) stack = this.tree.child(stack, frame);
    return stack;
  }

  add(stack: number, { value, count, step = 0, gap }: Weight): void {
    if (value === 0 && count === 0) return;
    let steps = this.sums.get(stack);
    if (steps === undefined) this.sums.set(stack, (steps = new Map()));
    const sum = steps.get(step);
    if (sum === undefined) steps.set(step, { stack, step, value, count });
    else {
      sum.value += value;
      sum.count += count;
    }
    if (gap === undefined) return;
    const missed = this.gaps.get(gap) ?? { kernels: 0, value: 0 };
    this.gaps.set(gap, { kernels: missed.kernels + count, value: missed.value + value });
  }

  finish(head: StackHead): Result<Execution, Refusal> {
    const { frames } = this.table;
    if (frames.length > framesMax) return err({ reason: `it names ${frames.length.toLocaleString("en-US")} different frames; at most ${framesMax.toLocaleString("en-US")} can be told apart`, at: 0 });
    const { stacks, samples, totals, cut } = this.numbered();
    if (totals.value === 0) return err({ reason: "it holds no sample with a value", at: 0 });
    if (totals.value > Number.MAX_SAFE_INTEGER) return err({ reason: "its values add up to more than 2^53, which cannot be summed exactly; import a shorter recording", at: 0 });
    const { profileType, events, device, gpuNames = [], recordedAtNs = 0n, durationNs = 0, found = {}, modules = [], devices = [], copies = [] } = head;
    const notes = [...head.notes];
    if (cut > 0) notes.push(`Stacks deeper than ${limits.stackDepthMax.toLocaleString("en-US")} frames, their middle left out: ${cut.toLocaleString("en-US")}`);
    if (this.table.shortened > 0) notes.push(`Names longer than ${limits.nameBytesMax.toLocaleString("en-US")} bytes, their middle left out: ${this.table.shortened.toLocaleString("en-US")}`);
    return ok({
      profileType, events, gpuNames, recordedAtNs, durationNs, frames, stacks, samples, totals, notes,
      device: device || `${profileType === "cuda" ? "GPU" : "CPU"} (the file does not name it)`,
      pathSource: modules.length > 0 ? "recorded" : "none",
      modelName: "", modelKey: "", recordedShape: null, forward: null, steps: [], devices, copies, rank: -1, worldSize: 0, request: null,
      modules, operations: [], busyNs: devices.reduce((sum, device) => sum + device.busyNs, 0),
      kernelUses: profileType === "cuda" ? stackKernelUses(frames, stacks, samples) : [],
      gaps: gapReasons.flatMap((reason) => (this.gaps.has(reason) ? [{ reason, ...this.gaps.get(reason)! }] : [])),
      found: { moduleCalls: 0, pythonFunctions: 0, operators: 0, launches: 0, copies: 0, copyNs: 0, withStack: undefined, ...found },
    });
  }

  private numbered(): { stacks: Uint32Array[]; samples: ExecutionSample[]; totals: Execution["totals"]; cut: number } {
    const stacks: Uint32Array[] = [];
    const samples: ExecutionSample[] = [];
    const totals = { kernels: 0, value: 0, moduleValue: 0 };
    let cut = 0;
    for (const [node, steps] of this.sums) {
      const stack = stacks.length;
      const built = this.tree.frames(node);
      stacks.push(built.frames);
      if (built.cut) cut++;
      const inModule = built.frames.some((frame) => this.table.frames[frame]!.kind === "layer");
      for (const { step, value, count } of steps.values()) {
        totals.kernels += count;
        totals.value += value;
        if (inModule) totals.moduleValue += value;
        samples.push(...pieces({ stack, step, value, count }));
      }
    }
    return { stacks, samples, totals, cut };
  }
}

// The wire has 48 bits for a value and 32 for a count.
const countMax = 2 ** 32 - 1;

function pieces({ stack, step, value, count }: ExecutionSample): ExecutionSample[] {
  const parts = Math.max(1, Math.ceil(value / limits.sampleValueMax), Math.ceil(count / countMax));
  const piece = (whole: number, max: number, part: number) => Math.min(max, Math.max(0, whole - part * max));
  return Array.from({ length: parts }, (_, part) => ({ stack, step, value: piece(value, limits.sampleValueMax, part), count: piece(count, countMax, part) }));
}
