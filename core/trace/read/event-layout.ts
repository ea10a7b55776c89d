// How the writer of a file lays out its events. Those of one kind have the same keys in the same order, with the same white space between, so most bytes of a file
// say nothing new. A segment is what stands between two values: where one that is known comes next, its bytes are compared and no key is looked for; any other is
// read by the grammar of JSON, and known from then on. A real file has some tens of segments.
import type { JsonCursor } from "./json-cursor.ts";
import { TextTable } from "./text-table.ts";
import { place } from "./trace-event.ts";

// What stands behind a segment.
export const valueKinds = { skipped: 0, name: 1, id: 2, start: 3, duration: 4, text: 5, integer: 6, written: 7, none: 8, members: 9 } as const;
type Value = { kind: number; place: number };

export type Segment = {
  readonly says: readonly number[]; // values it has in it: place, value, place, value …
  readonly value: Value; // behind it; none = it ends the event
  readonly inArgs: boolean; // so is that value
  readonly next: Segment[]; // what came behind the value so far
  from: number; // its bytes in the layout's
  length: number;
};

// What is not known any more costs time only.
const nextMax = 16;
const threadsMax = 4; // behind one value; in a file of more, process and thread are values like others
const segmentsMax = 1000;
const bytesMax = 1 << 16;

const value = (kind: number, at = 0): Value => ({ kind, place: at });
const text = (at: number): Value => value(valueKinds.text, at);
const integer = (at: number): Value => value(valueKinds.integer, at);
const written = (at: number): Value => value(valueKinds.written, at);
const skipped = value(valueKinds.skipped);
const none = value(valueKinds.none);
const members = value(valueKinds.members);
const noMembers = value(valueKinds.skipped); // "args" that are no object

const fields = dictionary({
  ph: text(place.phase), cat: text(place.category), pid: text(place.process), tid: text(place.thread),
  name: value(valueKinds.name), id: value(valueKinds.id), ts: value(valueKinds.start), dur: value(valueKinds.duration), args: members,
});
// Spelled differently over the years.
const args = dictionary({
  correlation: integer(place.correlation), "Python id": integer(place.pythonId), "Python parent id": integer(place.pythonParentId), device: integer(place.device), Device: integer(place.device),
  stream: integer(place.stream), bytes: integer(place.bytes), "graph node id": integer(place.graphNode), "Sequence number": integer(place.sequence), "Fwd thread id": integer(place.forwardThread),
  kernel: written(place.kernelName), grid: written(place.grid), block: written(place.block),
  "Input Dims": written(place.dims), "Input dims": written(place.dims), "Input type": written(place.dtypes), "Input Types": written(place.dtypes),
});

type Dictionary = { keys: TextTable; values: Value[] };

function dictionary(values: Readonly<Record<string, Value>>): Dictionary {
  const keys = new TextTable();
  for (const key of Object.keys(values)) {
    const letters = Uint8Array.from(key, (letter) => letter.charCodeAt(0));
    keys.intern(new DataView(letters.buffer), 0, letters.length);
  }
  return { keys, values: [skipped, ...Object.values(values)] };
}

export class EventLayout {
  readonly start: Segment = { says: [], value: members, inArgs: false, next: [], from: 0, length: 0 };
  private readonly texts: TextTable;
  private readonly bytes = new Uint8Array(bytesMax);
  private readonly view = new DataView(this.bytes.buffer);
  private bytesUsed = 0;
  private segments = 0;

  // `texts` receives the words that segments have in them.
  constructor(texts: TextTable) {
    this.texts = texts;
  }

  // Moves the cursor from behind a value (of `start`: from behind the event's opening brace) to the next value, or behind the event.
  follow({ next, value, inArgs }: Segment, cursor: JsonCursor): Segment {
    for (let i = 0; i < next.length; i++) {
      const known = next[i]!;
      if (!cursor.take(this.view, known.from, known.length)) continue;
      if (i > 0) {
        next[i] = next[0]!;
        next[0] = known; // events of one kind come in a row
      }
      return known;
    }
    const start = cursor.at;
    const repairs = cursor.repairs.length;
    const segment = this.read(cursor, value === members, inArgs, next.length < threadsMax);
    // Repairs are counted wherever they are made. Segments up to "args" with and without members would differ in what follows only.
    if (cursor.repairs.length === repairs && segment.value !== noMembers) this.learn(segment, cursor.bytes.subarray(start, cursor.at), next);
    return segment;
  }

  // `first`: no member comes before. `withThreads`: process and thread may be part of the segment.
  private read(cursor: JsonCursor, first: boolean, inArgs: boolean, withThreads: boolean): Segment {
    const says: number[] = [];
    const upTo = (value: Value): Segment => ({ says, value, inArgs, next: [], from: 0, length: 0 });
    for (;;) {
      const byte = cursor.peek();
      if (first ? byte === 0x7d : byte !== 0x2c || !cursor.comma(0x7d)) {
        cursor.expect(0x7d);
        if (!inArgs) return upTo(none);
        inArgs = first = false;
        continue;
      }
      first = false;
      cursor.key();
      const { keys, values } = inArgs ? args : fields;
      const value = values[keys.find(cursor.view, cursor.tokenStart, cursor.tokenEnd)]!;
      const opening = cursor.peek();
      if (value === members) {
        if (opening !== 0x7b) return upTo(noMembers);
        cursor.at++;
        inArgs = first = true;
        continue;
      }
      const isThread = value.place === place.process || value.place === place.thread;
      if (value.kind !== valueKinds.text || (isThread && !withThreads)) return upTo(value);
      if (cursor.token()) says.push(value.place, value.place === place.phase ? cursor.bytes[cursor.tokenStart]! : this.texts.intern(cursor.view, cursor.tokenStart, cursor.tokenEnd));
    }
  }

  private learn(segment: Segment, written: Uint8Array, next: Segment[]): void {
    if (next.length === nextMax || this.segments === segmentsMax || this.bytesUsed + written.length > bytesMax) return;
    this.segments++;
    this.bytes.set(written, this.bytesUsed);
    segment.from = this.bytesUsed;
    segment.length = written.length;
    this.bytesUsed += written.length;
    next.push(segment);
  }
}
