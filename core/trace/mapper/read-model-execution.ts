// model_execution.json → Execution: modules with their host times, operators and the GPU time of their kernels, below `Class[n]` paths. A folded node has the GPU
// times of its first copy only; its other copies become modules with a host time and no GPU time (NaN): nothing is multiplied, and a note says what is missing.
// A file without kernels is a CPU's: the self time of its operators. Work is linear in the file; nesting is bounded by limits.traceNestingMax.
import { limits } from "#schema/limits.ts";
import { err, ok, type Result } from "#core/result.ts";
import { decodeText } from "../decode-text.ts";
import type { Execution, KernelUse, ModuleOperation, OutsidePlace } from "../execution.ts";
import { StackTree } from "../frame-table.ts";
import { objectsOf, textOf } from "../json-fields.ts";
import { DeviceSums } from "../link/device-sums.ts";
import type { Refusal } from "../refusal.ts";
import { StackExecution } from "../stack-execution.ts";
import { KernelNames } from "./kernel-names.ts";
import type { FileModule, FileOp, ModelExecutionFile } from "./model-execution-file.ts";
import { ModelExecutionNotes } from "./model-execution-notes.ts";
import { type Place, PlacedModules } from "./placed-modules.ts";

const refuse = (reason: string): Result<Execution, Refusal> => err({ reason, at: 0 });

export function readModelExecution(bytes: Uint8Array): Result<Execution, Refusal> {
  let file: ModelExecutionFile | null;
  try {
    file = JSON.parse(decodeText(bytes)) as ModelExecutionFile | null;
  } catch (error) {
    return refuse(`a model_execution.json that cannot be parsed as JSON (${(error as Error).message})`);
  }
  const tree = file?.module_tree;
  if (file === null || tree === null || typeof tree !== "object" || Array.isArray(tree)) return refuse('a model_execution.json whose "module_tree" is no module');
  const asGpu = new ModelExecutionRead(file, tree, true);
  return asGpu.kernels > 0 || asGpu.tooDeep ? asGpu.finish() : new ModelExecutionRead(file, tree, false).finish();
}

type Call = { place: Place; row: number; parent: number; gpuNs: number }; // row: in the place's calls; parent: index among the calls, -1 = none
// copies: of the module it lies in, the others of the outermost run around; undefined = it lies in no run, empty = the file does not give their times.
type PendingModule = { module: FileModule; within: Place | undefined; parent: number; copies: readonly Place[] | undefined; depth: number };
type PendingOp = { op: FileOp; ns: number; stack: number; depth: number };

class ModelExecutionRead {
  kernels = 0;
  private gpuNs = 0;
  tooDeep = false;
  private readonly execution = new StackExecution();
  private readonly placed = new PlacedModules(this.execution);
  private readonly notes: ModelExecutionNotes;
  private readonly names: KernelNames;
  private readonly sums = new DeviceSums();
  private readonly calls: Call[] = [];
  private readonly operations = new Map<string, ModuleOperation>();
  private readonly uses = new Map<string, KernelUse>();
  private readonly found = { moduleCalls: 0, operators: 0, copies: 0, copyNs: 0 };
  private readonly file: ModelExecutionFile;
  private readonly onGpu: boolean;

  constructor(file: ModelExecutionFile, tree: FileModule, onGpu: boolean) {
    this.file = file;
    this.onGpu = onGpu;
    this.notes = new ModelExecutionNotes(file);
    this.names = new KernelNames(file.kernel_summary);
    const pending: PendingModule[] = [{ module: tree, within: undefined, parent: -1, copies: undefined, depth: 1 }];
    for (let next = pending.pop(); next !== undefined && !this.tooDeep; next = pending.pop()) for (const child of this.addModule(next).reverse()) pending.push(child);
    for (const op of objectsOf(file.pre_model_ops)) this.addOperator(op, undefined, -1, [], "before");
    for (const op of objectsOf(file.post_model_ops)) this.addOperator(op, undefined, -1, [], "after"); // of the one call that the file shows
    for (let i = this.calls.length - 1; i >= 0; i--) {
      const { place, row, parent, gpuNs } = this.calls[i]!; // what it called has later rows, and is in already
      place.calls.gpuNs[row] = gpuNs;
      if (parent >= 0) this.calls[parent]!.gpuNs += gpuNs;
    }
  }

  // Gives the modules called in it.
  private addModule({ module, within, parent, copies: around, depth }: PendingModule): PendingModule[] {
    this.tooDeep ||= depth > limits.traceNestingMax;
    const className = textOf(module.class) || "(no class)";
    const instance = typeof module.instance === "number" ? module.instance : undefined;
    const place = this.placed.place(className, instance, within);
    const call = this.calls.push({ place, row: this.timed(place, module.dur_us, 0), parent, gpuNs: 0 }) - 1;
    const run = this.notes.otherCopies(module, className, around !== undefined).map((us) => this.copy(this.placed.place(className, undefined, within), us));
    const copies = around === undefined ? run : this.notes.timesIn(module, around).map(({ copy, us }) => this.copy(this.placed.place(className, instance, copy), us));
    for (const op of objectsOf(module.ops)) this.addOperator(op, place, call, copies);
    const inRun = around !== undefined || isRun(module);
    return objectsOf(module.children).map((child) => ({ module: child, within: place, parent: call, copies: inRun ? copies : undefined, depth: depth + 1 }));
  }

  private copy(place: Place, us: unknown): Place {
    this.timed(place, us, Number.NaN);
    return place;
  }

  private timed({ calls }: Place, us: unknown, gpuNs: number): number {
    this.found.moduleCalls++;
    calls.cpuNs.push(this.notes.ns(us));
    calls.step.push(0);
    return calls.gpuNs.push(gpuNs) - 1;
  }

  private addOperator(outer: FileOp, place: Place | undefined, call: number, copies: readonly Place[], outside?: OutsidePlace): void {
    const frame = place?.frame ?? -1;
    const ns = this.notes.ns(outer.dur_us);
    this.addCall(frame, textOf(outer.op), ns, outside);
    for (const { copy, us } of this.notes.timesIn(outer, copies)) this.addCall(copy.frame, textOf(outer.op), this.notes.ns(us));
    const pending: PendingOp[] = [{ op: outer, ns, stack: place?.stack ?? StackTree.root, depth: 1 }];
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      this.found.operators++;
      this.tooDeep ||= next.depth > limits.traceNestingMax;
      if (this.tooDeep) return;
      const { op, depth } = next;
      const stack = textOf(op.op) === "" ? next.stack : this.execution.stack([this.execution.frame({ kind: "op", name: textOf(op.op) })], next.stack);
      const called = objectsOf(op.sub_ops).map((sub) => ({ op: sub, ns: this.notes.ns(sub.dur_us), stack, depth: depth + 1 }));
      if (this.onGpu) this.addKernel(op, outer, stack, frame, call, outside);
      else this.execution.add(stack, { value: Math.max(0, called.reduce((left, sub) => left - sub.ns, next.ns)), count: 1, gap: frame < 0 ? "outside any module" : undefined });
      for (const sub of called.reverse()) pending.push(sub);
    }
  }

  private addCall(module: number, op: string, cpuNs: number, outside?: OutsidePlace): void {
    const key = `${module}\0${op}\0${outside ?? ""}`;
    const sum = this.operations.get(key);
    if (sum === undefined) this.operations.set(key, { module, op, calls: 1, cpuNs, ...(outside === undefined ? {} : { outside }) });
    else {
      sum.calls++;
      sum.cpuNs += cpuNs;
    }
  }

  private addKernel(op: FileOp, outer: FileOp, stack: number, module: number, call: number, outside?: OutsidePlace): void {
    const written = textOf(op.gpu) || textOf(op.gpu_display);
    if (written === "") return;
    const value = this.notes.ns(op.gpu_dur_us);
    if (/^(Memcpy|Memset) /.test(written)) {
      this.found.copies++;
      this.found.copyNs += value;
      return this.sums.addCopy(written, value, 0);
    }
    const count = Number.isInteger(op.gpu_count) && op.gpu_count! > 0 && op.gpu_count! < 2 ** 32 ? op.gpu_count! : 1;
    this.kernels += count;
    this.gpuNs += value;
    const kernel = this.names.of(written);
    this.execution.add(this.execution.stack([this.execution.frame({ kind: "gpu_kernel", name: kernel })], stack), { value, count, gap: module < 0 ? "outside any module" : undefined });
    if (call >= 0) this.calls[call]!.gpuNs += value;
    const use = { module, op: textOf(outer.op), kernel, grid: "", block: "", dims: dimsOf(outer), dtypes: dtypesOf(outer), count, value, ...(outside === undefined ? {} : { outside }) };
    const key = [use.module, use.op, kernel, use.dims, use.dtypes, outside].join("\0");
    const sum = this.uses.get(key);
    if (sum === undefined) this.uses.set(key, use);
    else {
      sum.count += count;
      sum.value += value;
    }
  }

  finish(): Result<Execution, Refusal> {
    const { file, found, kernels, gpuNs, notes } = this;
    if (this.tooDeep) return refuse(`a model_execution.json whose modules or operators are nested over ${limits.traceNestingMax} deep (traceNestingMax), which no model is`);
    const device = textOf(file.device);
    const named = this.onGpu && !["", "cuda", "cpu"].includes(device) ? device : "";
    const finished = this.execution.finish({
      profileType: this.onGpu ? "cuda" : "cpu_op", events: found.moduleCalls + found.operators, device: named, gpuNames: named === "" ? [] : [named], notes: notes.all({ moduleCalls: found.moduleCalls, kernels, gpuNs, namesCut: this.names.cut }),
      found: { ...found, launches: kernels }, // the file keeps no launches; every kernel in it was found by one
      modules: this.placed.inPreOrder(), copies: this.sums.copies(),
    });
    if (!finished.ok) return finished;
    const model = textOf(file.model);
    return ok({
      ...finished.value, pathSource: "inferred", modelName: model === "?" ? "" : model, operations: [...this.operations.values()].sort((a, b) => b.cpuNs - a.cpuNs),
      kernelUses: [...this.uses.values()].sort((a, b) => b.value - a.value),
    });
  }
}

const isRun = ({ repeat }: FileModule): boolean => typeof repeat === "number" && repeat >= 2;

// "[1,64] → [64,64]" → "[[1,64],[64,64]]", as traces write it.
function dimsOf({ dims }: FileOp): string {
  return textOf(dims) === "" ? "" : `[${textOf(dims).split(" → ").join(",")}]`;
}

function dtypesOf({ args }: FileOp): string {
  const dtypes = objectsOf(args).map(({ dtype }) => textOf(dtype));
  return dtypes.length === 0 ? "" : JSON.stringify(dtypes);
}
