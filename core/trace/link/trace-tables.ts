// Collects what the linker needs from the stream of events, in columns. All times are whole nanoseconds since `originMicros`, exact in a double for
// 104 days around it; an event further away, or without a time, counts as having none. Calls with small times (often 0, "unknown") in a file whose others are
// large are kept far before those, where they nest with nothing else.
import { Float64Column, Int32Column } from "./columns.ts";
import { callKinds, clearColumns, HostCalls, Kernels } from "./calls.ts";
import { categories, categoryOf, modulePrefix, type Category } from "./event-category.ts";
import { DeviceSums } from "./device-sums.ts";
import { stepMarkOf, type StepMark } from "./step-mark.ts";
import type { TextTable } from "../read/text-table.ts";
import { TextMemo } from "./text-memo.ts";
import { phaseComplete, phaseFlowEnd, phaseFlowStart, type TraceEvent } from "../read/trace-event.ts";

// Times up to 52 days are kept as they are; larger ones count from the first of them.
const smallMicrosMax = 4_500_000_000_000;

export type Thread = { process: number; thread: number }; // text ids
// What holds for the whole file and must be known to link the first part of it.
export type FileFacts = {
  originMicros: number;
  moduleCalls: number;
  lowestLaunched: ReadonlyMap<number, number>; // process, a text id → the lowest correlation it launched; all processes that launch
  engineProcesses: ReadonlySet<number>; // text ids, of processes with an engine's step marks; the reader numbers texts alike each time it reads the file
  profilerProcesses: ReadonlySet<number>; // with ProfilerSteps
  countsFromZero: boolean; // there is a ProfilerStep#0
};
export type StepSpan = { mark: StepMark; process: number; start: number; end: number };

export class TraceTables {
  readonly calls = new HostCalls();
  readonly kernels = new Kernels();
  readonly launches = { correlation: new Float64Column(), call: new Int32Column(), kernelName: new Int32Column() }; // call: row of HostCalls
  readonly sequences = { call: new Int32Column(), number: new Float64Column(), forwardThread: new Int32Column() }; // of operators that have one
  readonly inputs = { call: new Int32Column(), dims: new Int32Column(), dtypes: new Int32Column() }; // of operators whose inputs were recorded; text ids
  readonly flows = { id: new Int32Column(), thread: new Int32Column(), start: new Float64Column(), isEnd: new Int32Column() }; // forward → backward
  readonly threads: Thread[] = [];
  steps: StepSpan[] = [];
  readonly sums = new DeviceSums();
  originMicros: number; // 0 while times are small, else the first large one
  firstNs = Number.POSITIVE_INFINITY;
  lastNs = Number.NEGATIVE_INFINITY;
  readonly found = { moduleCalls: 0, pythonFunctions: 0, operators: 0, launches: 0, copies: 0, copyNs: 0 };
  readonly counts = { events: 0, kernels: 0, beginEnd: 0, noTime: 0, noDuration: 0, impossible: 0 };

  private readonly texts: TextTable;
  private readonly categoryOf: TextMemo<Category>;
  private readonly namesModule: TextMemo<0 | 1>;
  private readonly namesStep: TextMemo<0 | 1>;
  private readonly markOfText = new Map<number, StepMark>();
  private readonly threadIndex = new Map<number, number>();
  private lastThread = 0; // index of the one asked for last: a thread's calls come in a row
  private readonly processes = { engine: new Set<number>(), profiler: new Set<number>() };
  private countsFromZero = false;
  private readonly lowestLaunched = new Map<number, number>();
  private isFar = false; // the time read last is a small one in a file of large ones

  // `originMicros`: where a first reading of the file found it.
  constructor(texts: TextTable, originMicros = 0) {
    this.texts = texts;
    this.originMicros = originMicros;
    this.categoryOf = new TextMemo(texts, categoryOf);
    this.namesModule = new TextMemo(texts, (name) => (name.startsWith(modulePrefix) ? 1 : 0));
    this.namesStep = new TextMemo(texts, (name) => (stepMarkOf(name) === undefined ? 0 : 1));
  }

  // Once all events are added.
  facts(): FileFacts {
    const { originMicros, lowestLaunched, countsFromZero, found, processes } = this;
    return { originMicros, lowestLaunched, countsFromZero, moduleCalls: found.moduleCalls, engineProcesses: processes.engine, profilerProcesses: processes.profiler };
  }

  get rows(): number {
    return this.calls.length + this.kernels.length + this.flows.start.length + this.steps.length;
  }

  // On the clock of the tables, rounded down: a double of microseconds is exact to a quarter of one near the epoch.
  nsOf(micros: number): number {
    return (Math.floor(micros) - 1 - this.originMicros) * 1000;
  }

  add(event: TraceEvent): void {
    this.counts.events++;
    const category = this.categoryOf.of(event.category);
    if (event.phase !== phaseComplete) {
      if (event.phase === 0x42 || event.phase === 0x45) this.counts.beginEnd++;
      else if (category === categories.forwardBackward && (event.phase === phaseFlowStart || event.phase === phaseFlowEnd)) this.addFlow(event);
      return;
    }
    if (category === categories.other || category === categories.forwardBackward) return;
    const start = this.startOf(event);
    const duration = this.durationOf(event);
    if (category === categories.kernel) {
      if (this.isFar) this.counts.noTime++;
      return this.addKernel(event, this.isFar ? Number.NaN : start, duration);
    }
    if (Number.isNaN(start)) return;
    const mark = category === categories.annotation || category === categories.op ? this.markOf(event.name) : undefined;
    if (mark !== undefined) {
      this.steps.push({ mark, process: event.process, start, end: start + duration });
      this.processes[mark.profilerStep < 0 ? "engine" : "profiler"].add(event.process);
      this.countsFromZero ||= mark.profilerStep === 0;
      return;
    }
    if (!this.isFar) this.extend(start, duration);
    if (category === categories.copy) {
      this.found.copies++;
      this.found.copyNs += duration;
      this.sums.addCopy(this.texts.text(event.name), duration, Math.max(0, event.bytes));
    } else this.addCall(event, category, start, duration);
  }

  // Everything that has rows; threads, devices and what was counted stay.
  forget(): void {
    this.calls.clear();
    this.kernels.clear();
    for (const table of [this.launches, this.sequences, this.inputs, this.flows]) clearColumns(table);
    this.steps = [];
  }

  private addKernel(event: TraceEvent, start: number, duration: number): void {
    const { kernels } = this;
    this.counts.kernels++;
    kernels.start.push(start);
    kernels.duration.push(duration);
    kernels.name.push(event.name);
    kernels.correlation.push(event.correlation);
    kernels.process.push(event.process);
    kernels.device.push(event.device);
    kernels.stream.push(event.stream);
    kernels.graphNode.push(event.graphNode);
    kernels.grid.push(event.grid);
    kernels.block.push(event.block);
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
        this.launches.kernelName.push(event.kernelName);
        if (event.correlation < (this.lowestLaunched.get(event.process) ?? Number.POSITIVE_INFINITY)) this.lowestLaunched.set(event.process, event.correlation);
      }
    } else if (category === categories.annotation) kind = callKinds.range;
    else if (category === categories.op) {
      found.operators++;
      if (event.sequence >= 0) {
        this.sequences.call.push(calls.length);
        this.sequences.number.push(event.sequence);
        this.sequences.forwardThread.push(event.forwardThread);
      }
      if (event.dims !== 0 || event.dtypes !== 0) {
        this.inputs.call.push(calls.length);
        this.inputs.dims.push(event.dims);
        this.inputs.dtypes.push(event.dtypes);
      }
    } else if (this.namesModule.of(event.name) === 1) {
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

  private addFlow(event: TraceEvent): void {
    const start = this.startOf(event);
    if (Number.isNaN(start) || event.flow === 0) return;
    this.flows.id.push(event.flow);
    this.flows.thread.push(this.threadOf(event));
    this.flows.start.push(start);
    this.flows.isEnd.push(event.phase === phaseFlowEnd ? 1 : 0);
  }

  private startOf(event: TraceEvent): number {
    const { start } = event;
    this.isFar = false;
    if (event.hasStart) {
      if (this.originMicros === 0 && start.micros > smallMicrosMax) this.rebase(start.micros);
      const offset = (start.micros - this.originMicros) * 1000 + start.nanos;
      if (Number.isSafeInteger(offset)) return offset;
      this.isFar = start.micros <= smallMicrosMax && Number.isSafeInteger(start.micros * 1000 + start.nanos);
      if (this.isFar) return start.micros * 1000 + start.nanos - Number.MAX_SAFE_INTEGER;
    }
    this.counts.noTime++;
    return Number.NaN;
  }

  // Small times came first, now one that needs an origin.
  private rebase(micros: number): void {
    this.originMicros = micros;
    const isNear = (ns: number): boolean => Number.isSafeInteger(ns - micros * 1000);
    const moved = (ns: number): number => (isNear(ns) ? ns - micros * 1000 : ns - Number.MAX_SAFE_INTEGER);
    const { calls, kernels, flows } = this;
    for (let i = 0; i < calls.length; i++) {
      const lasted = calls.end.values[i]! - calls.start.values[i]!;
      calls.start.values[i] = moved(calls.start.values[i]!);
      calls.end.values[i] = calls.start.values[i]! + lasted;
    }
    for (let i = 0; i < flows.start.length; i++) flows.start.values[i] = moved(flows.start.values[i]!);
    for (let k = 0; k < kernels.length; k++) {
      if (Number.isNaN(kernels.start.values[k]!)) continue;
      if (!isNear(kernels.start.values[k]!)) this.counts.noTime++;
      kernels.start.values[k] = isNear(kernels.start.values[k]!) ? kernels.start.values[k]! - micros * 1000 : Number.NaN;
    }
    for (const step of this.steps) [step.start, step.end] = [moved(step.start), moved(step.start) + step.end - step.start];
    this.firstNs = isNear(this.firstNs) ? this.firstNs - micros * 1000 : Number.POSITIVE_INFINITY;
    this.lastNs = isNear(this.lastNs) ? this.lastNs - micros * 1000 : Number.NEGATIVE_INFINITY;
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

  private markOf(name: number): StepMark | undefined {
    if (this.namesStep.of(name) === 0) return undefined;
    let mark = this.markOfText.get(name);
    if (mark === undefined) this.markOfText.set(name, (mark = stepMarkOf(this.texts.text(name))!));
    return mark;
  }

  private threadOf({ process, thread }: TraceEvent): number {
    const last = this.threads[this.lastThread];
    if (last?.process === process && last.thread === thread) return this.lastThread;
    const key = process * 2 ** 26 + thread;
    let index = this.threadIndex.get(key);
    if (index === undefined) {
      this.threadIndex.set(key, (index = this.threads.length));
      this.threads.push({ process, thread });
    }
    return (this.lastThread = index);
  }
}
