// Every text of a trace once: names repeat tens of thousands of times, so an event carries a small integer and its text is decoded on first use only.
// Texts are told apart by their raw bytes (JSON escapes still in place); id 0 is the empty text.
import { decodeUtf8 } from "#core/utf8.ts";

const escapes: Record<string, string> = { b: "\b", f: "\f", n: "\n", r: "\r", t: "\t", '"': '"', "\\": "\\", "/": "/" };

// JSON escapes → text. A backslash that starts no valid escape stays as it is (Windows paths written without escaping).
export function unescapeJson(raw: string): string {
  if (!raw.includes("\\")) return raw;
  return raw.replace(/\\(?:u([0-9a-fA-F]{4})|([bfnrt"\\/]))/g, (_, hex: string | undefined, letter: string) =>
    hex === undefined ? escapes[letter]! : String.fromCharCode(Number.parseInt(hex, 16)),
  );
}

// FNV-1a, the hash the cursor computes while it scans a string.
export const hashSeed = 0x811c9dc5 | 0;
export function hashBytes(bytes: Uint8Array, start: number, end: number): number {
  let hash = hashSeed;
  for (let i = start; i < end; i++) hash = Math.imul(hash ^ bytes[i]!, 0x01000193);
  return hash;
}

export class TextTable {
  private slots = new Int32Array(1024); // hash → id + 1; 0 = free
  private hashes: number[] = [];
  private raws: Uint8Array[] = [];
  private texts: (string | undefined)[] = [];

  constructor() {
    this.intern(new Uint8Array(0), 0, 0, hashSeed);
  }

  get size(): number {
    return this.raws.length;
  }

  // Id of bytes[start, end), added when new. `hash` is hashBytes of the same range.
  intern(bytes: Uint8Array, start: number, end: number, hash: number): number {
    const slot = this.slotOf(bytes, start, end, hash);
    const known = this.slots[slot]!;
    if (known > 0) return known - 1;
    const id = this.raws.length;
    this.hashes.push(hash);
    this.raws.push(bytes.slice(start, end));
    this.texts.push(undefined);
    this.slots[slot] = id + 1;
    if (id * 2 > this.slots.length) this.grow();
    return id;
  }

  // Id of bytes[start, end), or -1 when it was never interned.
  find(bytes: Uint8Array, start: number, end: number, hash: number): number {
    return this.slots[this.slotOf(bytes, start, end, hash)]! - 1;
  }

  text(id: number): string {
    const known = this.texts[id];
    if (known !== undefined) return known;
    return (this.texts[id] = unescapeJson(decodeUtf8(this.raws[id]!)));
  }

  private slotOf(bytes: Uint8Array, start: number, end: number, hash: number): number {
    const mask = this.slots.length - 1;
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const id = this.slots[slot]! - 1;
      if (id < 0 || (this.hashes[id] === hash && equal(this.raws[id]!, bytes, start, end))) return slot;
    }
  }

  private grow(): void {
    this.slots = new Int32Array(this.slots.length * 4);
    const mask = this.slots.length - 1;
    this.hashes.forEach((hash, id) => {
      let slot = hash & mask;
      while (this.slots[slot] !== 0) slot = (slot + 1) & mask;
      this.slots[slot] = id + 1;
    });
  }
}

function equal(raw: Uint8Array, bytes: Uint8Array, start: number, end: number): boolean {
  if (raw.length !== end - start) return false;
  for (let i = 0; i < raw.length; i++) if (raw[i] !== bytes[start + i]) return false;
  return true;
}
