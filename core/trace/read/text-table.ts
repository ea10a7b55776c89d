// Every text of a trace once: names repeat tens of thousands of times, so an event carries a small integer and its text is decoded on first use only.
// Texts are told apart by their raw bytes (JSON escapes still in place); id 0 is the empty text.
import { decodeUtf8 } from "#core/utf8.ts";
import { equalBytes } from "./json-bytes.ts";

const escapes: Record<string, string> = { b: "\b", f: "\f", n: "\n", r: "\r", t: "\t", '"': '"', "\\": "\\", "/": "/" };

// JSON escapes → text. A backslash that starts no valid escape stays as it is (Windows paths written without escaping).
export function unescapeJson(raw: string): string {
  if (!raw.includes("\\")) return raw;
  return raw.replace(/\\(?:u([0-9a-fA-F]{4})|([bfnrt"\\/]))/g, (_, hex: string | undefined, letter: string) =>
    hex === undefined ? escapes[letter]! : String.fromCharCode(Number.parseInt(hex, 16)),
  );
}

export class TextTable {
  private slots = new Int32Array(1024); // hash → id + 1; 0 = free
  private mask = this.slots.length - 1;
  private bytes = new Uint8Array(1024); // of all texts, one behind the other
  private view = new DataView(this.bytes.buffer);
  private readonly starts = [0]; // id → where its bytes start; those of the id before end there
  private readonly hashes: number[] = [];
  private readonly texts: (string | undefined)[] = [];

  constructor() {
    this.intern(this.view, 0, 0);
  }

  get size(): number {
    return this.hashes.length;
  }

  // Id of the bytes of a view from `start` to `end`, added when new.
  intern(view: DataView, start: number, end: number): number {
    const hash = hashOf(view, start, end);
    const slot = this.slotOf(view, start, end, hash);
    const known = this.slots[slot]!;
    return known > 0 ? known - 1 : this.add(view, start, end, hash, slot);
  }

  // Id of the bytes of a view from `start` to `end`; 0 when they were never interned.
  find(view: DataView, start: number, end: number): number {
    return Math.max(0, this.slots[this.slotOf(view, start, end, hashOf(view, start, end))]! - 1);
  }

  text(id: number): string {
    const known = this.texts[id];
    if (known !== undefined) return known;
    return (this.texts[id] = unescapeJson(decodeUtf8(this.bytes.subarray(this.starts[id], this.starts[id + 1]))));
  }

  private slotOf(view: DataView, start: number, end: number, hash: number): number {
    const { slots, mask, hashes } = this;
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const id = slots[slot]! - 1;
      if (id < 0 || (hashes[id] === hash && this.holds(id, view, start, end))) return slot;
    }
  }

  private holds(id: number, view: DataView, start: number, end: number): boolean {
    const from = this.starts[id]!;
    return this.starts[id + 1]! - from === end - start && equalBytes(this.view, from, view, start, end - start);
  }

  private add(view: DataView, start: number, end: number, hash: number, slot: number): number {
    const id = this.size;
    const from = this.starts[id]!;
    const behind = from + end - start;
    if (behind > this.bytes.length) this.grow(behind);
    this.bytes.set(new Uint8Array(view.buffer, view.byteOffset + start, end - start), from);
    this.starts.push(behind);
    this.hashes.push(hash);
    this.texts.push(undefined);
    this.slots[slot] = id + 1;
    if (id * 2 > this.slots.length) this.rehash();
    return id;
  }

  private grow(bytesMin: number): void {
    const grown = new Uint8Array(Math.max(this.bytes.length * 2, bytesMin));
    grown.set(this.bytes);
    this.bytes = grown;
    this.view = new DataView(grown.buffer);
  }

  private rehash(): void {
    this.slots = new Int32Array(this.slots.length * 4);
    this.mask = this.slots.length - 1;
    this.hashes.forEach((hash, id) => {
      let slot = hash & this.mask;
      while (this.slots[slot] !== 0) slot = (slot + 1) & this.mask;
      this.slots[slot] = id + 1;
    });
  }
}

// A multiplication carries upwards only: the high bits are brought down each time.
function hashOf(view: DataView, start: number, end: number): number {
  let hash = end - start;
  let at = start;
  for (; at + 4 <= end; at += 4) {
    hash = Math.imul(hash ^ view.getInt32(at), 0x9e3779b1);
    hash ^= hash >>> 15;
  }
  for (; at < end; at++) {
    hash = Math.imul(hash ^ view.getUint8(at), 0x9e3779b1);
    hash ^= hash >>> 15;
  }
  return hash;
}
