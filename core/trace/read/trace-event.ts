// One trace event as the linker needs it. The reader reuses one object for all events: copy what must outlive the call.
import type { Moment } from "./decimal-time.ts";

export const phaseComplete = 0x58; // X: start and duration in one event
export const phaseBegin = 0x42; // B
export const phaseEnd = 0x45; // E
export const phaseFlowStart = 0x73; // s
export const phaseFlowEnd = 0x66; // f

// Where an event keeps its numbers. One array takes them all: a field for each would be as many places to compile.
export const place = {
  phase: 0, category: 1, process: 2, thread: 3,
  correlation: 4, pythonId: 5, pythonParentId: 6, device: 7, stream: 8, bytes: 9, graphNode: 10, sequence: 11, forwardThread: 12,
  kernelName: 13, grid: 14, block: 15, dims: 16, dtypes: 17,
} as const;
const absent = Float64Array.of(0, 0, 0, 0, 0, -1, -1, -1, -1, 0, 0, -1, 0, 0, 0, 0, 0, 0);
const places = absent.length;

export class TraceEvent {
  readonly values = absent.slice(); // by place
  name = 0; // text id
  readonly start: Moment = { micros: 0, nanos: 0, rounded: false };
  hasStart = false;
  readonly duration: Moment = { micros: 0, nanos: 0, rounded: false };
  hasDuration = false;
  flow = 0; // text id of the id of an arrow from forward to backward; 0 = absent. Other arrows have as many ids as launches, which would be kept as texts

  // Character code of "ph", e.g. 88 for X.
  get phase(): number {
    return this.values[place.phase]!;
  }

  // Text id.
  get category(): number {
    return this.values[place.category]!;
  }

  // Text id of the raw pid; numbers and words alike.
  get process(): number {
    return this.values[place.process]!;
  }

  // Text id of the raw tid.
  get thread(): number {
    return this.values[place.thread]!;
  }

  // 0 = absent.
  get correlation(): number {
    return Math.max(0, this.values[place.correlation]!);
  }

  // -1 = absent.
  get pythonId(): number {
    return this.values[place.pythonId]!;
  }

  // -1 = absent.
  get pythonParentId(): number {
    return this.values[place.pythonParentId]!;
  }

  // -1 = absent.
  get device(): number {
    return this.values[place.device]!;
  }

  // -1 = absent.
  get stream(): number {
    return this.values[place.stream]!;
  }

  // Of a copy or fill; 0 = absent.
  get bytes(): number {
    return this.values[place.bytes]!;
  }

  // Of a replayed kernel, fixed from capture to replay; 0 = absent.
  get graphNode(): number {
    return this.values[place.graphNode]!;
  }

  // Autograd sequence number of an operator; -1 = absent.
  get sequence(): number {
    return this.values[place.sequence]!;
  }

  // Autograd's number of the thread a backward operator's forward ran on; 0 = it is no backward operator.
  get forwardThread(): number {
    return this.values[place.forwardThread]!;
  }

  // Text id of the kernel a HIP launch names itself; 0 = absent.
  get kernelName(): number {
    return this.values[place.kernelName]!;
  }

  // Text id of the JSON list as written, "[64, 1, 1]"; 0 = absent.
  get grid(): number {
    return this.values[place.grid]!;
  }

  get block(): number {
    return this.values[place.block]!;
  }

  // Text id of the operator's input dims as written, "[[1, 4096], []]"; 0 = absent.
  get dims(): number {
    return this.values[place.dims]!;
  }

  // Text id of the operator's input types as written; 0 = absent.
  get dtypes(): number {
    return this.values[place.dtypes]!;
  }

  clear(): void {
    this.name = this.flow = 0;
    this.hasStart = this.hasDuration = this.start.rounded = this.duration.rounded = false;
    for (let i = 0; i < places; i++) this.values[i] = absent[i]!;
  }
}
