// The decimal text of a time in microseconds → whole microseconds and the nanoseconds beyond them, exactly. A double holds whole microseconds since
// 1970 (1.7e15 < 2^53) but not their nanoseconds, so the two parts never meet in one number until an origin has been subtracted.

export type Moment = {
  micros: number; // integer, carries the sign
  nanos: number; // integer, -999 … 999, same sign as micros
  rounded: boolean; // the text had digits below a nanosecond; rounded half away from zero
};

// Reads bytes[start, end) as [+-]digits[.digits][(e|E)[+-]digits] into `into`; false when it is anything else or beyond 2^53 µs.
export function readDecimalMicros(bytes: Uint8Array, start: number, end: number, into: Moment): boolean {
  const behind = scanDecimalMicros(bytes, start, end, into);
  if (behind === start) return false;
  return behind === end || ((bytes[behind]! | 0x20) === 0x65 && readExponent(bytes, start, end, into));
}

// Reads [+-]digits[.digits] from bytes[start] on; returns where it ends, `start` when there is none or it is beyond 2^53 µs.
export function scanDecimalMicros(bytes: Uint8Array, start: number, end: number, into: Moment): number {
  let at = start;
  const negative = bytes[at] === 0x2d;
  if (negative || bytes[at] === 0x2b) at++;
  let micros = 0;
  let nanos = 0;
  let digits = 0;
  for (; at < end && isDigit(bytes[at]!); at++, digits++) micros = micros * 10 + bytes[at]! - 0x30;
  into.rounded = false;
  if (at < end && bytes[at] === 0x2e) {
    let places = 0;
    for (at++; at < end && isDigit(bytes[at]!); at++, digits++, places++) {
      const digit = bytes[at]! - 0x30;
      if (places < 3) nanos = nanos * 10 + digit;
      else {
        if (places === 3 && digit >= 5) nanos++;
        if (digit > 0) into.rounded = true;
      }
    }
    for (; places < 3; places++) nanos *= 10;
    if (nanos === 1000) {
      nanos = 0;
      micros++;
    }
  }
  if (digits === 0 || micros > Number.MAX_SAFE_INTEGER) return start;
  into.micros = negative ? 0 - micros : micros;
  into.nanos = negative ? 0 - nanos : nanos;
  return at;
}

// The rare exponent form ("1.7e15"): shift the digits as text, then read them plainly.
function readExponent(bytes: Uint8Array, start: number, end: number, into: Moment): boolean {
  const text = String.fromCharCode(...bytes.subarray(start, Math.min(end, start + 64)));
  const parts = /^([+-]?)(\d*)\.?(\d*)[eE]([+-]?\d{1,3})$/.exec(text);
  if (parts === null || end - start > 64) return false;
  const [, sign = "", whole = "", fraction = "", power = "0"] = parts;
  const exponent = Number(power);
  const point = whole.length + exponent;
  const digits = (whole + fraction).padEnd(Math.max(0, point), "0").padStart(Math.max(0, -point) + whole.length + fraction.length, "0");
  const cut = Math.max(0, point);
  const plain = `${sign}${digits.slice(0, cut) || "0"}.${digits.slice(cut)}`;
  const plainBytes = Uint8Array.from(plain, (letter) => letter.charCodeAt(0));
  return readDecimalMicros(plainBytes, 0, plainBytes.length, into);
}

function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39;
}
