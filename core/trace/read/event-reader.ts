// Reads events straight from bytes, following how their writer lays them out.
import { scanDecimalMicros, readDecimalMicros, type Moment } from "./decimal-time.ts";
import { EventLayout, valueKinds } from "./event-layout.ts";
import { isScalarByte } from "./json-bytes.ts";
import type { JsonCursor } from "./json-cursor.ts";
import type { TextTable } from "./text-table.ts";
import { phaseBegin, phaseComplete, phaseEnd, phaseFlowEnd, phaseFlowStart, TraceEvent } from "./trace-event.ts";
import { isForwardBackward } from "../link/event-category.ts";

export class EventReader {
  readonly event = new TraceEvent();
  private readonly layout: EventLayout;
  private readonly texts: TextTable;

  constructor(texts: TextTable) {
    this.texts = texts;
    this.layout = new EventLayout(texts);
  }

  // Reads the object the cursor stands on into `event`; `texts` receives the words of calls (ph X, B, E) only. Returns false when the object is no trace event (no "ph").
  read(cursor: JsonCursor): boolean {
    const { event, layout, texts } = this;
    const { values } = event;
    event.clear();
    let nameStart = 0;
    let nameEnd = 0;
    let idStart = 0;
    let idEnd = 0;
    cursor.at++;
    let segment = layout.start;
    do {
      segment = layout.follow(segment, cursor);
      const { says, value } = segment;
      for (let i = 0; i < says.length; i += 2) values[says[i]!] = says[i + 1]!;
      switch (value.kind) {
        case valueKinds.skipped:
          cursor.skip();
          break;
        case valueKinds.name:
          if (!cursor.token()) break;
          nameStart = cursor.tokenStart;
          nameEnd = cursor.tokenEnd;
          break;
        case valueKinds.id:
          if (!cursor.token()) break;
          idStart = cursor.tokenStart;
          idEnd = cursor.tokenEnd;
          break;
        case valueKinds.start:
          event.hasStart = readMoment(cursor, event.start);
          break;
        case valueKinds.duration:
          event.hasDuration = readMoment(cursor, event.duration);
          break;
        case valueKinds.text:
          if (cursor.token()) values[value.place] = texts.intern(cursor.view, cursor.tokenStart, cursor.tokenEnd);
          break;
        case valueKinds.integer: {
          const number = cursor.integer();
          if (Number.isSafeInteger(number)) values[value.place] = number; // of larger ones, e.g. -1 written as 2^64 - 1, neighbours would be one
          break;
        }
        case valueKinds.written:
          this.readWritten(cursor, value.place);
      }
    } while (segment.value.kind !== valueKinds.none);
    const { phase } = event;
    if (phase === phaseComplete || phase === phaseBegin || phase === phaseEnd) event.name = texts.intern(cursor.view, nameStart, nameEnd);
    const isFlow = phase === phaseFlowStart || phase === phaseFlowEnd;
    if (isFlow && idEnd > 0 && isForwardBackward(texts.text(event.category))) event.flow = texts.intern(cursor.view, idStart, idEnd);
    return phase !== 0;
  }

  // A list or a token kept byte for byte: a trace has some hundred different grids and dims, each written thousands of times.
  private readWritten(cursor: JsonCursor, place: number): void {
    let start = cursor.at;
    let end = start;
    if (cursor.peek() === 0x5b) {
      start = cursor.at;
      cursor.skip();
      end = cursor.at;
    } else if (cursor.token()) {
      start = cursor.tokenStart;
      end = cursor.tokenEnd;
    } else return;
    this.event.values[place] = this.texts.intern(cursor.view, start, end);
  }
}

// A time, bare or in quotes; false for any other value, which is skipped.
function readMoment(cursor: JsonCursor, into: Moment): boolean {
  const { bytes, at, end } = cursor;
  const behind = scanDecimalMicros(bytes, at, end, into);
  if (behind > at && behind < end && bytes[behind - 1] !== 0x2e && !isScalarByte(bytes[behind]!)) {
    cursor.at = behind;
    return true;
  }
  return cursor.token() && readDecimalMicros(bytes, cursor.tokenStart, cursor.tokenEnd, into);
}
