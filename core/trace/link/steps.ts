// Which step a call belongs to: the engine's own mark around it in time, else the ProfilerStep, else the how-manieth call of its root module. Marks of one
// step lie in one another (vLLM's around SGLang's name): the outermost counts, and takes what only the inner says. Where marks cross (the next step is prepared
// while one still runs), a call belongs to the one begun last.
import type { ExecutionStep } from "../execution.ts";
import { BusyTime } from "./busy-time.ts";
import type { Kernels } from "./calls.ts";
import type { ModulePlaces } from "./module-places.ts";
import type { StepMark } from "./step-mark.ts";
import type { Stretch } from "./stretch.ts";
import type { FileFacts, StepSpan } from "./trace-tables.ts";

type NumberedSpan = StepSpan & { number: number };

export class Steps {
  readonly shifted: boolean; // there is a ProfilerStep#0; 0 means "none", so every step's number is one higher
  private readonly byEngine: boolean; // the engine's marks count, else ProfilerSteps
  private readonly marked: ReadonlySet<number>; // processes with marks; in a file without any, calls of root modules are the steps
  private engineMarks = 0;
  private readonly busy = new BusyTime();
  private readonly callsOfRoot = new Map<number, number>(); // instance → calls of it as a root module
  private readonly byNumber = new Map<number, ExecutionStep>(); // startNs is on the clock of the tables until `finish`
  private readonly batches = new Map<number, number>();
  // Of the stretch of the file begun last:
  private spans: NumberedSpan[] = []; // by start
  private readonly spansOf = new Map<number, NumberedSpan[]>(); // process → its own
  private readonly rootCall = new Map<number, number>(); // row of a root module call → 1-based number of that call
  private readonly stepOfKernel = new Map<number, number>();
  private stretch!: Stretch;

  constructor({ engineProcesses, profilerProcesses, countsFromZero }: FileFacts) {
    this.byEngine = engineProcesses.size > 0;
    this.marked = this.byEngine ? engineProcesses : profilerProcesses;
    this.shifted = countsFromZero && !this.byEngine;
  }

  begin(stretch: Stretch, places: ModulePlaces): void {
    const { tables, calls, attribution } = stretch;
    this.stretch = stretch;
    this.spansOf.clear();
    this.rootCall.clear();
    this.stepOfKernel.clear();
    const spans = outermost(tables.steps.filter(({ mark }) => mark.profilerStep < 0 === this.byEngine));
    this.spans = spans.map((span) => ({ ...span, number: this.byEngine ? ++this.engineMarks : span.mark.profilerStep + (this.shifted ? 1 : 0) }));
    for (const span of this.spans) {
      const { mark, number, start, end } = span;
      this.add(stepOf(mark, number, start, end - start));
      this.batches.set(number, mark.batch);
      const own = this.spansOf.get(span.process);
      if (own === undefined) this.spansOf.set(span.process, [span]);
      else own.push(span);
    }
    const roots = [...places.instanceOf].filter(([row]) => places.enclosing[row]! < 0 && !attribution.isRecomputed(row));
    for (const [row, instance] of roots.sort(([a], [b]) => calls.start.values[a]! - calls.start.values[b]!)) {
      const n = (this.callsOfRoot.get(instance) ?? 0) + 1;
      this.callsOfRoot.set(instance, n);
      this.rootCall.set(row, n);
      if (this.marked.size === 0) this.add(stepOf(undefined, n, calls.start.values[row]!, calls.end.values[row]! - calls.start.values[row]!));
    }
  }

  private add(step: ExecutionStep): void {
    if (!this.byNumber.has(step.number)) this.byNumber.set(step.number, step);
  }

  // Padded tokens of a step, as its mark says; 0 = it does not.
  batchOf(step: number): number {
    return this.batches.get(step) ?? 0;
  }

  addKernel(step: number, kernel: number, value: number): void {
    if (step === 0) return;
    this.stepOfKernel.set(kernel, step);
    const sums = this.byNumber.get(step)!;
    sums.kernels++;
    sums.value += value;
  }

  // Once all kernels of the stretch are added. `settledNs`: no kernel of a later one starts before it.
  end(kernels: Kernels, settledNs: number): void {
    this.busy.add(kernels, (kernel) => this.stepOfKernel.get(kernel) ?? 0, settledNs);
  }

  // Once all stretches are done.
  finish(firstNs: number): ExecutionStep[] {
    const finite = (ns: number): number => (Number.isFinite(ns) ? Math.max(0, ns) : 0);
    const busyNs = this.busy.sums();
    return [...this.byNumber.values()]
      .sort((a, b) => a.number - b.number)
      .map((step) => ({ ...step, startNs: finite(step.startNs - firstNs), durationNs: finite(step.durationNs), busyNs: busyNs.get(step.number) ?? 0 }));
  }

  of(row: number): number {
    const { tables, calls, attribution } = this.stretch;
    if (this.marked.size === 0) return this.rootCall.get(attribution.rootModule(row)) ?? this.rootCall.get(row) ?? 0;
    const at = calls.start.values[row]!;
    const { process } = tables.threads[calls.thread.values[row]!]!;
    const span = lastBefore(this.marked.has(process) ? (this.spansOf.get(process) ?? []) : this.spans, at);
    return span !== undefined && at <= span.end ? span.number : 0;
  }
}

function lastBefore(spans: readonly NumberedSpan[], at: number): NumberedSpan | undefined {
  let low = 0;
  let high = spans.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (spans[middle]!.start <= at) low = middle + 1;
    else high = middle;
  }
  return spans[low - 1];
}

function outermost(spans: readonly StepSpan[]): StepSpan[] {
  const kept: StepSpan[] = [];
  const last = new Map<number, StepSpan>(); // process → its last one kept
  for (const span of [...spans].sort((a, b) => a.start - b.start || b.end - a.end)) {
    const outer = last.get(span.process);
    if (outer !== undefined && span.end <= outer.end) {
      outer.mark = completed(outer.mark, span.mark);
      continue;
    }
    const own = { ...span };
    kept.push(own);
    last.set(span.process, own);
  }
  return kept;
}

function completed(outer: StepMark, inner: StepMark): StepMark {
  return outer.phase !== "" || inner.phase === "" ? outer : { ...inner, label: outer.label, batch: outer.batch || inner.batch };
}

function stepOf(mark: StepMark | undefined, number: number, startNs: number, durationNs: number): ExecutionStep {
  const { label = "", phase = "", prefillRequests = 0, prefillTokens = 0, decodeRequests = 0, decodeTokens = 0 } = mark ?? {};
  return { number, label, phase, prefillRequests, prefillTokens, decodeRequests, decodeTokens, startNs, durationNs, kernels: 0, value: 0, busyNs: 0 };
}
