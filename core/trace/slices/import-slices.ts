// A Chrome trace without kernels and operators (a browser's, a build tool's, any tracer's) → Execution: the wall-clock self time of its slices, i.e. their own
// time without that of the slices inside them. Slices are complete events (ph X) and pairs of begin and end (B, E); marks, counters and async spans are no time.
import { err, type Result } from "#core/result.ts";
import type { Execution } from "../execution.ts";
import { pythonFrame } from "../link/call-frame.ts";
import { callKinds, HostCalls } from "../link/calls.ts";
import { nest } from "../link/nest.ts";
import { BeginEnd } from "../read/begin-end.ts";
import { TraceReader } from "../read/read-json.ts";
import { repairText } from "../read/repairs.ts";
import { phaseBegin, phaseComplete, phaseEnd, type TraceEvent } from "../read/trace-event.ts";
import type { Refusal } from "../refusal.ts";
import { StackExecution } from "../stack-execution.ts";
import { selfTimes } from "./self-times.ts";

export class SliceImport {
  private readonly reader = new TraceReader((event) => this.add(event));
  private readonly calls = new HostCalls();
  private readonly pairs = new BeginEnd();
  private readonly threads: string[] = []; // "pid/tid"
  private readonly threadIndex = new Map<string, number>();
  private readonly counts = { events: 0, noTime: 0, noDuration: 0, other: 0 };
  private originMicros: number | undefined; // times are ns since the first event read, exact for 104 days around it

  get hasEvents(): boolean {
    return this.counts.events > 0;
  }

  push(chunk: Uint8Array): void {
    this.reader.push(chunk);
  }

  finish(): Result<Execution, Refusal> {
    const file = this.reader.finish();
    if ("reason" in file) return err(file);
    const format = file.metadata["lamella_format"];
    if (typeof format === "number" && format > 1) return err({ reason: `recorded with lamella_format ${format}; this version reads format 1: update lamella`, at: 0 });
    this.pairs.pair((thread, name, start, end) => this.addCall(thread, name, start, end));
    if (this.calls.length === 0) return err({ reason: "it has trace events, but no GPU kernel, no operator and no slice (ph X, or B and E) among them: there is no time in it", at: 0 });
    const { calls, threads, reader, counts, pairs } = this;
    const nesting = nest(calls, threads.length);
    const self = selfTimes(calls, nesting);
    const execution = new StackExecution();
    const roots = threads.map((name) => (threads.length > 1 ? execution.stack([execution.frame({ kind: "native", name: `thread ${name}` })]) : execution.stack([])));
    const frameOf = new Map<number, number>();
    const stackOf = new Uint32Array(calls.length);
    let [first, last] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    for (const row of nesting.order) {
      const name = calls.name.values[row]!;
      let frame = frameOf.get(name);
      if (frame === undefined) frameOf.set(name, (frame = execution.frame(sliceFrame(reader.texts.text(name)))));
      const parent = nesting.parent[row]!;
      stackOf[row] = execution.stack([frame], parent >= 0 ? stackOf[parent]! : roots[calls.thread.values[row]!]!);
      execution.add(stackOf[row]!, { value: self.values[row]!, count: 1 });
      first = Math.min(first, calls.start.values[row]!);
      last = Math.max(last, calls.end.values[row]!);
    }
    const notes = [...file.repairs.map(repairText), "No kernels and no operators in this trace: what is shown is the wall-clock self time of its slices"];
    const counted: [string, number][] = [
      ["Events that are no slices (marks, counters, async spans, metadata), left out", counts.other],
      ["Slices without a time, left out", counts.noTime],
      ["Slices without a duration, read as 0", counts.noDuration],
      ["Begin events that nothing ends, taken to last until the last event of their thread", pairs.unended],
      ["End events that nothing began, left out", pairs.unbegun],
      ["Slices that end after the slice they started in, kept inside it", nesting.crossings],
      ["Slices whose inner ones overlap, their own time read as 0", self.negative],
    ];
    for (const [what, count] of counted) if (count > 0) notes.push(`${what}: ${count.toLocaleString("en-US")}`);
    return execution.finish({ profileType: "wall", events: counts.events, notes, durationNs: Math.max(0, last - first) });
  }

  private add(event: TraceEvent): void {
    this.counts.events++;
    const { phase, start, duration } = event;
    if (phase !== phaseComplete && phase !== phaseBegin && phase !== phaseEnd) return void this.counts.other++;
    this.originMicros ??= event.hasStart ? start.micros : undefined;
    const at = event.hasStart ? (start.micros - this.originMicros!) * 1000 + start.nanos : Number.NaN;
    if (!Number.isSafeInteger(at)) return void this.counts.noTime++;
    const thread = this.threadOf(event);
    if (phase !== phaseComplete) return this.pairs.add(phase === phaseEnd, thread, event.name, at);
    const length = event.hasDuration ? duration.micros * 1000 + duration.nanos : 0;
    if (!event.hasDuration || !(length >= 0)) this.counts.noDuration++;
    const end = at + Math.max(0, length);
    this.pairs.until(thread, end);
    this.addCall(thread, event.name, at, end);
  }

  private addCall(thread: number, name: number, start: number, end: number): void {
    const { calls } = this;
    calls.start.push(start);
    calls.end.push(end);
    calls.name.push(name);
    calls.thread.push(thread);
    calls.kind.push(callKinds.python); // one kind for all: equal intervals nest in file order
    calls.pythonId.push(-1);
    calls.pythonParentId.push(-1);
  }

  private threadOf({ process, thread }: TraceEvent): number {
    const { texts } = this.reader;
    const name = `${texts.text(process)}/${texts.text(thread)}`;
    let index = this.threadIndex.get(name);
    if (index === undefined) this.threadIndex.set(name, (index = this.threads.push(name) - 1));
    return index;
  }
}

const pythonCall = /^.*\.py\(\d{1,9}\): /s;
const sliceFrame = (name: string) => (pythonCall.test(name) ? pythonFrame(name) : { kind: "native" as const, name });
