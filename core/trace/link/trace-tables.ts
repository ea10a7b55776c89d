// Collects what the linker needs from the stream of events, in columns. All times are whole nanoseconds since `originMicros`, exact in a double for
// 104 days around it; an event further away, or without a time, counts as having none.
import { Float64Column, Int32Column } from "./columns.ts";
import { callKinds, HostCalls, Kernels } from "./calls.ts";
import { categories, categoryOf, modulePrefix, profilerStepOf, type Category } from "./event-category.ts";
import type { TextTable } from "../read/text-table.ts";
import { phaseComplete, type TraceEvent } from "../read/trace-event.ts";

// Times up to 52 days are kept as they are; larger ones count from the first of them.
const smallMicrosMax = 4_500_000_000_000;

export type Thread = { process: number; thread: number }; // text ids
export type Launch = { correlation: number; call: number }; // call: row of HostCalls
export type StepSpan = { number: number; start: number; end: number };

export class TraceTables {
  readonly calls = new HostCalls();
  readonly kernels = new Kernels();
  readonly launches: { correlation: Float64Column; call: Int32Column } = { correlation: new Float64Column(), call: new Int32Column() };
  readonly threads: Thread[] = [];
  readonly steps: StepSpan[] = [];
  readonly devices = new Set<number>(); // devices kernels ran on
  originMicros = 0; // 0 while times are small, else the first large one
  firstNs = Number.POSITIVE_INFINITY;
  lastNs = Number.NEGATIVE_INFINITY;
  readonly found = { moduleCalls: 0, pythonFunctions: 0, operators: 0, launches: 0, copies: 0, copyNs: 0 };
  readonly counts = { events: 0, beginEnd: 0, noTime: 0, noDuration: 0, impossible: 0 };

  private readonly texts: TextTable;
  private readonly categoryOfText: Category[] = [];
  private readonly isModule = new Map<number, boolean>();
  private readonly stepOfText = new Map<number, number>();
  private readonly threadIndex = new Map<number, number>();

  constructor(texts: TextTable) {
    this.texts = texts;
  }

  add(event: TraceEvent): void {
    this.counts.events++;
    if (event.phase !== phaseComplete) {
      if (event.phase === 0x42 || event.phase === 0x45) this.counts.beginEnd++;
      return;
    }
    const category = (this.categoryOfText[event.category] ??= categoryOf(this.texts.text(event.category)));
    if (category === categories.other) return;
    const start = this.startOf(event);
    const duration = this.durationOf(event);
    if (category === categories.kernel) return this.addKernel(event, start, duration);
    if (Number.isNaN(start)) return;
    const step = category === categories.annotation || category === categories.op ? this.stepOf(event.name) : -1;
    if (step >= 0) this.steps.push({ number: step, start, end: start + duration });
    if (category === categories.annotation || step >= 0) return;
    this.extend(start, duration);
    if (category === categories.copy) {
      this.found.copies++;
      this.found.copyNs += duration;
    } else this.addCall(event, category, start, duration);
  }

  private addKernel(event: TraceEvent, start: number, duration: number): void {
    const { kernels } = this;
    kernels.start.push(start);
    kernels.duration.push(duration);
    kernels.name.push(event.name);
    kernels.correlation.push(event.correlation);
    kernels.process.push(event.process);
    if (event.device >= 0) this.devices.add(event.device);
    if (!Number.isNaN(start)) this.extend(start, duration);
  }

  private addCall(event: TraceEvent, category: Category, start: number, duration: number): void {
    const { calls, found } = this;
    let kind: number = callKinds.op;
    if (category === categories.launch) {
      kind = callKinds.launch;
      found.launches++;
      if (event.correlation !== 0) {
        this.launches.correlation.push(event.correlation);
        this.launches.call.push(calls.length);
      }
    } else if (category === categories.op) found.operators++;
    else if (this.namesModule(event.name)) {
      kind = callKinds.module;
      found.moduleCalls++;
    } else {
      kind = callKinds.python;
      found.pythonFunctions++;
    }
    calls.start.push(start);
    calls.end.push(start + duration);
    calls.name.push(event.name);
    calls.thread.push(this.threadOf(event));
    calls.kind.push(kind);
    calls.pythonId.push(event.pythonId);
    calls.pythonParentId.push(event.pythonParentId);
  }

  private startOf(event: TraceEvent): number {
    const { start } = event;
    if (event.hasStart) {
      if (this.originMicros === 0 && start.micros > smallMicrosMax) this.rebase(start.micros);
      const offset = (start.micros - this.originMicros) * 1000 + start.nanos;
      if (Number.isSafeInteger(offset)) return offset;
    }
    this.counts.noTime++;
    return Number.NaN;
  }

  // Small times came first (often 0, "unknown"), now one that needs an origin: the earlier calls move far before it, where they nest with nothing later.
  private rebase(micros: number): void {
    this.originMicros = micros;
    const { start, end } = this.calls;
    for (const column of [start, end]) for (let i = 0; i < column.length; i++) column.values[i]! -= micros * 1000;
    for (const step of this.steps) step.start = step.end = Number.NEGATIVE_INFINITY;
    this.firstNs = Number.POSITIVE_INFINITY;
    this.lastNs = Number.NEGATIVE_INFINITY;
  }

  private durationOf(event: TraceEvent): number {
    const nanos = event.hasDuration ? event.duration.micros * 1000 + event.duration.nanos : 0;
    if (!event.hasDuration) this.counts.noDuration++;
    if (nanos >= 0 && Number.isSafeInteger(nanos)) return nanos;
    this.counts.impossible++;
    return 0;
  }

  private extend(start: number, duration: number): void {
    if (start < this.firstNs) this.firstNs = start;
    if (start + duration > this.lastNs) this.lastNs = start + duration;
  }

  private namesModule(name: number): boolean {
    let known = this.isModule.get(name);
    if (known === undefined) this.isModule.set(name, (known = this.texts.text(name).startsWith(modulePrefix)));
    return known;
  }

  private stepOf(name: number): number {
    let known = this.stepOfText.get(name);
    if (known === undefined) this.stepOfText.set(name, (known = profilerStepOf(this.texts.text(name))));
    return known;
  }

  private threadOf(event: TraceEvent): number {
    const key = event.process * 2 ** 26 + event.thread;
    let index = this.threadIndex.get(key);
    if (index === undefined) {
      this.threadIndex.set(key, (index = this.threads.length));
      this.threads.push({ process: event.process, thread: event.thread });
    }
    return index;
  }
}
