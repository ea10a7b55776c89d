// Streaming reader of Chrome trace JSON: {"traceEvents": […], metadata…} with the metadata on either side, or a bare array of events.
// Pushed bytes in, one reused TraceEvent at a time out; memory is bounded by the largest single value. Broken places are repaired or skipped, each
// kind counted with the byte position of its first: whatever stands before a cut or around a broken event is used.
import { appendChunk } from "./byte-window.ts";
import { JsonCursor, malformed, outOfBytes } from "./json-cursor.ts";
import { readJsonValue, tokenString, type JsonValue } from "./json-value.ts";
import { limits } from "#schema/limits.ts";
import { Repairs, type Repair } from "./repairs.ts";
import { findSeam } from "./event-seam.ts";
import { TextTable } from "./text-table.ts";
import { EventReader } from "./event-reader.ts";
import type { TraceEvent } from "./trace-event.ts";
import { ValueSkipper } from "./value-skipper.ts";

// Metadata entries that are kept; all others (environment dumps, package lists) are skipped unread.
const keptMetadata = new Set([
  "baseTimeNanoseconds", "deviceProperties", "distributedInfo", "with_stack", "with_modules", "record_shapes", "traceName",
  "lamella_format", "lamella_module_map", "lamella_shape", "lamella_model_name", "lamella_model_key", "lamella_device", "lamella_request", "lamella_forward", "schema", "nodes",
]);

// Times over that the bytes of a broken event may be read in vain, each time from an object further in. Real events nest less than ten deep.
const rereadsMax = 8;

export type TraceMetadata = { [key: string]: JsonValue };
export type TraceFile = { metadata: TraceMetadata; repairs: Repair[]; entries: number; bytes: number; hasEventList: boolean };
export type NotATrace = { reason: string; at: number }; // at: byte position

type State = "start" | "top" | "events" | "resync" | "large" | "done" | "trailing" | "refused";

export class TraceReader {
  readonly texts = new TextTable();
  private readonly cursor = new JsonCursor();
  private readonly repairs = new Repairs();
  private readonly events = new EventReader(this.texts);
  private readonly event = this.events.event;
  private readonly metadata: TraceMetadata = {};
  private readonly onEvent: (event: TraceEvent) => void;
  private state: State = "start";
  private afterValue: State = "top"; // where to go on after a large value
  private skipper = new ValueSkipper();
  private needed = 0; // bytes the window must hold before scanning is worth another try
  private array = false; // the document is a bare array
  private hasEventList = false;
  private resyncing = false; // fragments of a broken event are not counted again
  private brokenAt = 0; // where that event starts
  private reread = 0; // bytes read in vain since then
  private entries = 0;
  private refusal: NotATrace | undefined;

  constructor(onEvent: (event: TraceEvent) => void) {
    this.onEvent = onEvent;
  }

  push(chunk: Uint8Array): void {
    if (this.state === "refused") return;
    appendChunk(this.cursor, chunk);
    if (this.cursor.end - this.cursor.at >= this.needed) this.advance();
  }

  // After the last chunk.
  finish(): TraceFile | NotATrace {
    const { cursor } = this;
    this.advance();
    if (this.refusal !== undefined) return this.refusal;
    const bytes = cursor.base + cursor.end;
    if (this.state === "start") return { reason: "the file is empty", at: bytes };
    if (this.state !== "done" && this.state !== "trailing" && this.state !== "resync") this.repairs.add("truncated", bytes);
    return { metadata: this.metadata, repairs: this.repairs.list(), entries: this.entries, bytes, hasEventList: this.hasEventList };
  }

  private advance(): void {
    const { cursor } = this;
    while (this.state !== "refused") {
      const mark = cursor.at;
      try {
        this.step();
      } catch (reason) {
        if (reason === malformed) this.recover(mark);
        else if (reason === outOfBytes) {
          this.needed = 0;
          if (this.state === "resync" || this.state === "large" || this.state === "done" || this.state === "trailing") break;
          cursor.at = mark;
          this.needed = Math.min((cursor.end - mark) * 2, limits.traceValueBytesMax + 1); // rescans of one value stay linear in its size
          if (cursor.end - mark > limits.traceValueBytesMax) this.skipLarge();
          else break;
        } else throw reason;
      }
      if (cursor.repairs.length > 0) {
        for (const repair of cursor.repairs) this.repairs.add(repair.kind, repair.at);
        cursor.repairs.length = 0;
      }
    }
    cursor.repairs.length = 0;
  }

  private step(): void {
    switch (this.state) {
      case "start":
        return this.readStart();
      case "top":
        return this.readMember();
      case "events":
        return this.readEntry();
      case "resync":
        return void (this.state = findSeam(this.cursor, keptMetadata));
      case "large":
        return this.skipOn();
      case "done":
        this.cursor.peek();
        this.state = "trailing";
        return;
      default:
        return this.passTrailing();
    }
  }

  private readStart(): void {
    const { cursor } = this;
    let byte = cursor.bytes[cursor.at] === 0x1f ? 0x1f : cursor.peek();
    if (byte === 0xef) {
      if (cursor.end - cursor.at < 3) throw outOfBytes;
      cursor.at += 3; // UTF-8 byte order mark
      byte = cursor.peek();
    }
    this.array = byte === 0x5b;
    if (byte !== 0x7b && byte !== 0x5b) {
      const found = byte === 0x1f ? "gzip data; undo the gzip first" : `byte 0x${byte.toString(16).padStart(2, "0")}`;
      this.refusal = { reason: `not a JSON trace: expected "{" or "[", found ${found}`, at: cursor.base + cursor.at };
      this.state = "refused";
      return;
    }
    cursor.at++;
    this.hasEventList = this.array;
    this.state = this.array ? "events" : "top";
  }

  private readMember(): void {
    const { cursor } = this;
    const byte = cursor.peek();
    if (byte === 0x7d || byte === 0x2c) {
      cursor.at++;
      if (byte === 0x7d) this.state = "done";
      return;
    }
    cursor.key();
    const key = tokenString(cursor);
    if (key === "traceEvents" && cursor.peek() === 0x5b) {
      cursor.at++;
      this.hasEventList = true;
      this.state = "events";
    } else if (keptMetadata.has(key)) this.metadata[key] = readJsonValue(cursor);
    else cursor.skip();
    this.resyncing = false;
  }

  private readEntry(): void {
    const { cursor, repairs } = this;
    let byte = cursor.peek();
    if (byte === 0x5d) {
      if (this.resyncing) return void (this.state = "resync"); // may close a list inside the broken event
      cursor.at++;
      this.state = this.array ? "done" : "top";
      return;
    }
    const position = cursor.base + cursor.at;
    const separated = byte === 0x2c || this.entries === 0 || this.resyncing;
    if (byte === 0x2c) {
      if (!cursor.comma(0x5d)) return;
      byte = cursor.peek();
    }
    if (byte !== 0x7b) {
      if (byte === 0x2c || byte === 0x7d) throw malformed;
      cursor.skip();
      if (!this.resyncing) repairs.add("not_event", position);
      return;
    }
    const known = this.texts.size;
    const isEvent = this.events.read(cursor);
    if (!isEvent) {
      if (!this.resyncing) repairs.add("not_event", position);
      return;
    }
    if (!separated) repairs.add("missing_comma", position);
    if (this.texts.size > known && this.texts.text(this.event.name).includes("\uFFFD")) repairs.add("utf8", position);
    this.resyncing = false;
    this.entries++;
    if (this.event.start.rounded || this.event.duration.rounded) repairs.add("rounded", position);
    this.onEvent(this.event);
  }

  private recover(mark: number): void {
    const { cursor } = this;
    const failedAt = Math.max(mark + 1, cursor.at);
    cursor.repairs.length = 0;
    const inEvents = this.state === "events";
    if (!this.resyncing) {
      this.repairs.add(inEvents ? "malformed" : "metadata", cursor.base + mark);
      this.brokenAt = cursor.base + mark;
      this.reread = 0;
    }
    this.resyncing = true;
    if (!inEvents) {
      // The last text may be the next key, with a quote lost before it; from `mark` on, values nested deep would be read once per level.
      cursor.at = Math.max(mark + 1, cursor.tokenStart - 1);
      return;
    }
    // Any object inside a broken event may be the next event, and mostly breaks where that one did: nested deep, all would be read once per level.
    this.reread += failedAt - mark;
    cursor.at = this.reread > rereadsMax * (cursor.base + failedAt - this.brokenAt) ? failedAt : mark + 1;
    this.state = "resync";
  }

  private skipLarge(): void {
    const { cursor } = this;
    const mark = cursor.at;
    if (this.state === "top") {
      try {
        cursor.key();
      } catch {
        cursor.at = mark; // the name itself is too long: it is skipped alone
      }
    }
    this.repairs.add("too_large", cursor.base + cursor.at);
    this.afterValue = this.state;
    this.skipper = new ValueSkipper();
    this.state = "large";
    this.needed = 0;
  }

  private skipOn(): void {
    const { cursor } = this;
    const after = this.skipper.skip(cursor.bytes, cursor.at, cursor.end);
    cursor.at = after < 0 ? cursor.end : after;
    if (after < 0) throw outOfBytes;
    this.state = this.afterValue;
  }

  private passTrailing(): void {
    const { cursor } = this;
    if (cursor.at === cursor.end) throw outOfBytes;
    this.repairs.add("trailing", cursor.base + cursor.at, cursor.end - cursor.at);
    cursor.at = cursor.end;
  }
}
