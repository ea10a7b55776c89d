// A cursor over a window of JSON bytes: scans strings, numbers and whole values without building them. Tolerant where real trace files are broken
// (raw control characters, invalid escapes, bare inf/nan, trailing commas), strict elsewhere, so that a lost quote is noticed at once instead of
// swallowing the file. Two ways out: `outOfBytes` (the window ends inside a value: give more bytes and scan again) and `malformed`.
import { isNumberStart, isScalarByte, isValidEscape } from "./json-bytes.ts";
import { hashSeed } from "./text-table.ts";
import { limits } from "#schema/limits.ts";
import type { RepairKind } from "./repairs.ts";

export const outOfBytes = Symbol("out of bytes");
export const malformed = Symbol("malformed");

export class JsonCursor {
  bytes: Uint8Array = new Uint8Array(0);
  at = 0; // next byte to read
  end = 0; // bytes[at, end) are readable
  base = 0; // position in the document of bytes[0]
  // Span of the last string (inside its quotes) or scalar, and the hash of a string's bytes.
  tokenStart = 0;
  tokenEnd = 0;
  tokenHash = 0;
  readonly repairs: { kind: RepairKind; at: number }[] = []; // since the last commit; dropped when the value is scanned again

  private readonly closers = new Uint8Array(limits.traceNestingMax);

  // The next byte that is not white space, not yet consumed.
  peek(): number {
    while (this.at < this.end) {
      const byte = this.bytes[this.at]!;
      if (byte > 0x20) return byte;
      this.at++;
    }
    throw outOfBytes;
  }

  expect(byte: number): void {
    if (this.peek() !== byte) throw malformed;
    this.at++;
  }

  // A string; the cursor stands on its opening quote.
  string(): void {
    const { bytes, end } = this;
    let at = this.at + 1;
    this.tokenStart = at;
    let hash = hashSeed;
    let control = false;
    for (; at < end; at++) {
      const byte = bytes[at]!;
      if (byte === 0x22) {
        if (control) this.repair("control", this.tokenStart);
        this.tokenEnd = at;
        this.tokenHash = hash;
        this.at = at + 1;
        return;
      }
      hash = Math.imul(hash ^ byte, 0x01000193);
      if (byte === 0x5c) {
        if (++at >= end) break;
        hash = Math.imul(hash ^ bytes[at]!, 0x01000193);
        if (!isValidEscape(bytes, at, end)) this.repair("escape", at - 1);
      } else if (byte < 0x20) control = true;
    }
    throw outOfBytes;
  }

  // A number, true, false, null, or one of the inf/nan spellings: true when it is JSON.
  scalar(): boolean {
    const { bytes, end } = this;
    let at = this.at;
    while (at < end && isScalarByte(bytes[at]!)) at++;
    if (at === end) throw outOfBytes; // no document ends in a scalar
    if (at === this.at) throw malformed;
    this.tokenStart = this.at;
    this.tokenEnd = at;
    this.at = at;
    const last = bytes[at - 1]!;
    if (last >= 0x30 && last <= 0x39 && isNumberStart(bytes[this.tokenStart]!)) return true;
    const word = this.tokenText().toLowerCase();
    if (word === "true" || word === "false" || word === "null") return true;
    if (!/^[+-]?(inf|infinity|nan)(\(.*\))?$/.test(word)) throw malformed;
    this.repair("number", this.tokenStart);
    return false;
  }

  // Any value, skipped with its grammar checked.
  skip(): void {
    const { closers } = this;
    let depth = 0;
    for (;;) {
      let byte = this.peek();
      if (byte === 0x22) this.string();
      else if (byte === 0x7b || byte === 0x5b) {
        if (depth === closers.length) throw malformed;
        this.at++;
        const closer = byte + 2; // { → }, [ → ]
        closers[depth++] = closer;
        byte = this.peek();
        if (byte !== closer) {
          if (closer === 0x7d) this.key();
          continue;
        }
      } else this.scalar();
      for (;;) {
        if (depth === 0) return;
        const closer = closers[depth - 1]!;
        byte = this.peek();
        if (byte === 0x2c && this.comma(closer)) {
          if (closer === 0x7d) this.key();
          break;
        }
        this.expect(closer);
        depth--;
      }
    }
  }

  // A member's name and colon; the name is left in the token.
  key(): void {
    if (this.peek() !== 0x22) throw malformed;
    this.string();
    const { tokenStart, tokenEnd, tokenHash } = this;
    this.expect(0x3a);
    this.tokenStart = tokenStart;
    this.tokenEnd = tokenEnd;
    this.tokenHash = tokenHash;
  }

  // Consumes a comma; false when nothing but `closer` follows it.
  comma(closer: number): boolean {
    const at = this.at++;
    if (this.peek() !== closer) return true;
    this.repair("trailing_comma", at);
    return false;
  }

  // The token as text; for short ASCII tokens (numbers, words).
  tokenText(): string {
    let text = "";
    for (let at = this.tokenStart; at < this.tokenEnd && text.length < 400; at++) text += String.fromCharCode(this.bytes[at]!);
    return text;
  }

  // The token as a whole number; NaN when it is none. Exact below 2^53.
  tokenInteger(): number {
    let at = this.tokenStart;
    const negative = this.bytes[at] === 0x2d;
    if (negative) at++;
    if (at === this.tokenEnd) return Number.NaN;
    let value = 0;
    for (; at < this.tokenEnd; at++) {
      const digit = this.bytes[at]! - 0x30;
      if (digit < 0 || digit > 9) return Number.NaN;
      value = value * 10 + digit;
    }
    return negative ? 0 - value : value;
  }

  private repair(kind: RepairKind, at: number): void {
    this.repairs.push({ kind, at: this.base + at });
  }
}
