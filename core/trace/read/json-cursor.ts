// A cursor over a window of JSON bytes: scans strings, numbers and whole values without building them. Tolerant where real trace files are broken
// (raw control characters, invalid escapes, bare inf/nan, trailing commas), strict elsewhere, so that a lost quote is noticed at once instead of
// swallowing the file. Two ways out: `outOfBytes` (the window ends inside a value: give more bytes and scan again) and `malformed`.
import { equalBytes, isNumberStart, isPlain, isScalarByte, isValidEscape } from "./json-bytes.ts";
import { limits } from "#schema/limits.ts";
import type { RepairKind } from "./repairs.ts";

export const outOfBytes = Symbol("out of bytes");
export const malformed = Symbol("malformed");

export class JsonCursor {
  bytes: Uint8Array = new Uint8Array(0);
  view = new DataView(this.bytes.buffer); // of the same bytes
  at = 0; // next byte to read
  end = 0; // bytes[at, end) are readable
  base = 0; // position in the document of bytes[0]
  // Span of the last string (inside its quotes) or scalar.
  tokenStart = 0;
  tokenEnd = 0;
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
    while (at < end && isPlain(bytes[at]!)) at++;
    if (at === end) throw outOfBytes;
    if (bytes[at] !== 0x22) at = this.closingQuote(at);
    this.tokenEnd = at;
    this.at = at + 1;
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

  // A string or scalar, left in the token; a container, or a number that is none, is skipped: false.
  token(): boolean {
    const byte = this.peek();
    if (byte === 0x22) this.string();
    else if (byte === 0x7b || byte === 0x5b) {
      this.skip();
      return false;
    } else return this.scalar();
    return true;
  }

  // A whole number, bare or in quotes, exact below 2^53; NaN for any other value, which is skipped.
  integer(): number {
    const { bytes, end } = this;
    let at = this.at;
    let value = 0;
    for (; at < end; at++) {
      const digit = bytes[at]! - 0x30;
      if (digit < 0 || digit > 9) break;
      value = value * 10 + digit;
    }
    if (at < end && at > this.at && !isScalarByte(bytes[at]!)) {
      this.at = at;
      return value;
    }
    return this.token() ? this.tokenInteger() : Number.NaN;
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

  // Moves behind `length` bytes where they are those of `written` from `from` on.
  take(written: DataView, from: number, length: number): boolean {
    if (this.at + length > this.end || !equalBytes(this.view, this.at, written, from, length)) return false;
    this.at += length;
    return true;
  }

  // A member's name and colon; the name is left in the token.
  key(): void {
    if (this.peek() !== 0x22) throw malformed;
    this.string();
    this.expect(0x3a);
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

  // Where a string ends that goes on at `from` with an escape or a control character.
  private closingQuote(from: number): number {
    const { bytes, end } = this;
    let control = false;
    for (let at = from; at < end; at++) {
      const byte = bytes[at]!;
      if (byte === 0x22) {
        if (control) this.repair("control", this.tokenStart);
        return at;
      }
      if (byte === 0x5c) {
        if (++at < end && !isValidEscape(bytes, at, end)) this.repair("escape", at - 1);
      } else if (byte < 0x20) control = true;
    }
    throw outOfBytes;
  }

  private repair(kind: RepairKind, at: number): void {
    this.repairs.push({ kind, at: this.base + at });
  }
}
