// One trace event as the linker needs it, read straight from bytes. The reader reuses one object for all events: copy what must outlive the call.
import { readDecimalMicros, type Moment } from "./decimal-time.ts";
import type { JsonCursor } from "./json-cursor.ts";
import { hashBytes, TextTable } from "./text-table.ts";
import { isForwardBackward } from "../link/event-category.ts";

export type TraceEvent = {
  phase: number; // character code of "ph", e.g. 88 for X
  category: number; // text id
  name: number; // text id
  process: number; // text id of the raw pid; numbers and words alike
  thread: number; // text id of the raw tid
  start: Moment;
  hasStart: boolean;
  duration: Moment;
  hasDuration: boolean;
  correlation: number; // 0 = absent
  pythonId: number; // -1 = absent
  pythonParentId: number; // -1 = absent
  device: number; // -1 = absent
  stream: number; // -1 = absent
  bytes: number; // of a copy or fill; 0 = absent
  graphNode: number; // of a replayed kernel, fixed from capture to replay; 0 = absent
  sequence: number; // autograd sequence number of an operator; -1 = absent
  forwardThread: number; // autograd's number of the thread a backward operator's forward ran on; 0 = it is no backward operator
  kernelName: number; // text id of the kernel a HIP launch names itself; 0 = absent
  grid: number; // text id of the JSON list as written, "[64, 1, 1]"; 0 = absent
  block: number;
  dims: number; // text id of the operator's input dims as written, "[[1, 4096], []]"; 0 = absent
  dtypes: number; // text id of the operator's input types as written; 0 = absent
  flow: number; // text id of the id of an arrow from forward to backward; 0 = absent. Other arrows have as many ids as launches, which would be kept as texts
};

export const phaseComplete = 0x58; // X: start and duration in one event
export const phaseBegin = 0x42; // B
export const phaseEnd = 0x45; // E
export const phaseFlowStart = 0x73; // s
export const phaseFlowEnd = 0x66; // f

const fieldNames = ["ph", "cat", "name", "pid", "tid", "ts", "dur", "args", "id"] as const;
// Spelled differently over the years. Integers first, then what is kept as written.
const integerArgs = ["correlation", "Python id", "Python parent id", "device", "Device", "stream", "graph node id", "Sequence number", "Fwd thread id", "bytes"] as const;
const writtenArgs = ["kernel", "grid", "block", "Input Dims", "Input dims", "Input type", "Input Types"] as const;

function dictionary(names: readonly string[]): TextTable {
  const table = new TextTable();
  for (const name of names) {
    const bytes = Uint8Array.from(name, (letter) => letter.charCodeAt(0));
    table.intern(bytes, 0, bytes.length, hashBytes(bytes, 0, bytes.length));
  }
  return table;
}
const fields = dictionary(fieldNames); // id n is fieldNames[n - 1]
const args = dictionary([...integerArgs, ...writtenArgs]);

export function newTraceEvent(): TraceEvent {
  const moment = () => ({ micros: 0, nanos: 0, rounded: false });
  return {
    phase: 0, category: 0, name: 0, process: 0, thread: 0, start: moment(), hasStart: false, duration: moment(), hasDuration: false,
    correlation: 0, pythonId: -1, pythonParentId: -1, device: -1, stream: -1, bytes: 0, graphNode: 0, sequence: -1, forwardThread: 0,
    kernelName: 0, grid: 0, block: 0, dims: 0, dtypes: 0, flow: 0,
  };
}

// Reads the object the cursor stands on; `texts` receives the words of calls (ph X, B, E) only. Returns false when the object is no trace event (no "ph").
export function readTraceEvent(cursor: JsonCursor, texts: TextTable, event: TraceEvent): boolean {
  event.phase = event.category = event.name = event.process = event.thread = event.correlation = 0;
  event.pythonId = event.pythonParentId = event.device = event.stream = event.sequence = -1;
  event.bytes = event.graphNode = event.forwardThread = event.kernelName = event.grid = event.block = event.dims = event.dtypes = event.flow = 0;
  event.hasStart = event.hasDuration = event.start.rounded = event.duration.rounded = false;
  let nameStart = 0;
  let nameEnd = 0;
  let nameHash = 0;
  let idStart = 0;
  let idEnd = 0;
  let idHash = 0;
  cursor.at++;
  if (cursor.peek() !== 0x7d) {
    do {
      cursor.key();
      switch (fields.find(cursor.bytes, cursor.tokenStart, cursor.tokenEnd, cursor.tokenHash)) {
        case 1:
          if (token(cursor)) event.phase = cursor.bytes[cursor.tokenStart]!;
          break;
        case 2:
          if (token(cursor)) event.category = internToken(cursor, texts);
          break;
        case 3:
          if (token(cursor)) [nameStart, nameEnd, nameHash] = [cursor.tokenStart, cursor.tokenEnd, cursor.tokenHash];
          break;
        case 4:
          if (token(cursor)) event.process = internToken(cursor, texts);
          break;
        case 5:
          if (token(cursor)) event.thread = internToken(cursor, texts);
          break;
        case 6:
          event.hasStart = token(cursor) && readDecimalMicros(cursor.bytes, cursor.tokenStart, cursor.tokenEnd, event.start);
          break;
        case 7:
          event.hasDuration = token(cursor) && readDecimalMicros(cursor.bytes, cursor.tokenStart, cursor.tokenEnd, event.duration);
          break;
        case 8:
          readArgs(cursor, texts, event);
          break;
        case 9:
          if (token(cursor)) [idStart, idEnd, idHash] = [cursor.tokenStart, cursor.tokenEnd, cursor.tokenHash];
          break;
        default:
          cursor.skip();
      }
    } while (cursor.peek() === 0x2c && cursor.comma(0x7d));
  }
  cursor.expect(0x7d);
  if (event.phase === phaseComplete || event.phase === phaseBegin || event.phase === phaseEnd) event.name = texts.intern(cursor.bytes, nameStart, nameEnd, nameHash);
  const isFlow = event.phase === phaseFlowStart || event.phase === phaseFlowEnd;
  if (isFlow && idEnd > 0 && isForwardBackward(texts.text(event.category))) event.flow = texts.intern(cursor.bytes, idStart, idEnd, idHash);
  return event.phase !== 0;
}

function readArgs(cursor: JsonCursor, texts: TextTable, event: TraceEvent): void {
  if (cursor.peek() !== 0x7b) return cursor.skip();
  cursor.at++;
  if (cursor.peek() !== 0x7d) {
    do {
      cursor.key();
      const arg = args.find(cursor.bytes, cursor.tokenStart, cursor.tokenEnd, cursor.tokenHash);
      if (arg < 1) cursor.skip();
      else if (arg > integerArgs.length) readWritten(cursor, texts, event, arg - integerArgs.length);
      else if (token(cursor)) {
        const value = cursor.tokenInteger();
        if (Number.isSafeInteger(value)) setInteger(event, arg, value); // of larger ones, e.g. -1 written as 2^64 - 1, neighbours would be one
      }
    } while (cursor.peek() === 0x2c && cursor.comma(0x7d));
  }
  cursor.expect(0x7d);
}

function setInteger(event: TraceEvent, arg: number, value: number): void {
  if (arg === 1) event.correlation = Math.max(0, value);
  else if (arg === 2) event.pythonId = value;
  else if (arg === 3) event.pythonParentId = value;
  else if (arg <= 5) event.device = value;
  else if (arg === 6) event.stream = value;
  else if (arg === 7) event.graphNode = value;
  else if (arg === 8) event.sequence = value;
  else if (arg === 9) event.forwardThread = value;
  else event.bytes = value;
}

// Kept byte for byte: a trace has some hundred different grids and dims, each written thousands of times.
function readWritten(cursor: JsonCursor, texts: TextTable, event: TraceEvent, arg: number): void {
  let id: number;
  if (cursor.peek() === 0x5b) {
    const start = cursor.at;
    cursor.skip();
    id = texts.intern(cursor.bytes, start, cursor.at, hashBytes(cursor.bytes, start, cursor.at));
  } else if (token(cursor)) id = internToken(cursor, texts);
  else return;
  if (arg === 1) event.kernelName = id;
  else if (arg === 2) event.grid = id;
  else if (arg === 3) event.block = id;
  else if (arg <= 5) event.dims = id;
  else event.dtypes = id;
}

// A string or scalar left in the token; a container is skipped, false.
function token(cursor: JsonCursor): boolean {
  const byte = cursor.peek();
  if (byte === 0x22) cursor.string();
  else if (byte === 0x7b || byte === 0x5b) {
    cursor.skip();
    return false;
  } else {
    const isJson = cursor.scalar();
    cursor.tokenHash = hashBytes(cursor.bytes, cursor.tokenStart, cursor.tokenEnd);
    return isJson;
  }
  return true;
}

function internToken(cursor: JsonCursor, texts: TextTable): number {
  return texts.intern(cursor.bytes, cursor.tokenStart, cursor.tokenEnd, cursor.tokenHash);
}
