// One trace event as the linker needs it, read straight from bytes. The reader reuses one object for all events: copy what must outlive the call.
import { readDecimalMicros, type Moment } from "./decimal-time.ts";
import type { JsonCursor } from "./json-cursor.ts";
import { hashBytes, TextTable } from "./text-table.ts";

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
};

export const phaseComplete = 0x58; // X: start and duration in one event

const fieldNames = ["ph", "cat", "name", "pid", "tid", "ts", "dur", "args"] as const;
// Spelled differently over the years: "Correlation" never, but "device"/"Device" yes.
const argNames = ["correlation", "Python id", "Python parent id", "device", "Device"] as const;

function dictionary(names: readonly string[]): TextTable {
  const table = new TextTable();
  for (const name of names) {
    const bytes = Uint8Array.from(name, (letter) => letter.charCodeAt(0));
    table.intern(bytes, 0, bytes.length, hashBytes(bytes, 0, bytes.length));
  }
  return table;
}
const fields = dictionary(fieldNames); // id n is fieldNames[n - 1]
const args = dictionary(argNames);

export function newTraceEvent(): TraceEvent {
  const moment = () => ({ micros: 0, nanos: 0, rounded: false });
  return {
    phase: 0, category: 0, name: 0, process: 0, thread: 0, start: moment(), hasStart: false, duration: moment(), hasDuration: false,
    correlation: 0, pythonId: -1, pythonParentId: -1, device: -1,
  };
}

// Reads the object the cursor stands on; `texts` receives the words of complete events only. Returns false when the object is no trace event (no "ph").
export function readTraceEvent(cursor: JsonCursor, texts: TextTable, event: TraceEvent): boolean {
  event.phase = event.category = event.name = event.process = event.thread = event.correlation = 0;
  event.pythonId = event.pythonParentId = event.device = -1;
  event.hasStart = event.hasDuration = false;
  let nameStart = 0;
  let nameEnd = 0;
  let nameHash = 0;
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
          readArgs(cursor, event);
          break;
        default:
          cursor.skip();
      }
    } while (cursor.peek() === 0x2c && cursor.comma(0x7d));
  }
  cursor.expect(0x7d);
  if (event.phase === phaseComplete) event.name = texts.intern(cursor.bytes, nameStart, nameEnd, nameHash);
  return event.phase !== 0;
}

function readArgs(cursor: JsonCursor, event: TraceEvent): void {
  if (cursor.peek() !== 0x7b) return cursor.skip();
  cursor.at++;
  if (cursor.peek() !== 0x7d) {
    do {
      cursor.key();
      const arg = args.find(cursor.bytes, cursor.tokenStart, cursor.tokenEnd, cursor.tokenHash);
      if (arg < 1 || !token(cursor)) {
        if (arg < 1) cursor.skip();
        continue;
      }
      const value = cursor.tokenInteger();
      if (Number.isNaN(value)) continue;
      if (arg === 1) event.correlation = value;
      else if (arg === 2) event.pythonId = value;
      else if (arg === 3) event.pythonParentId = value;
      else event.device = value;
    } while (cursor.peek() === 0x2c && cursor.comma(0x7d));
  }
  cursor.expect(0x7d);
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
