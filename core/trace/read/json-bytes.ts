// Bytes as the cursor meets them: the classes it decides by, and whether two spans are equal.

// Most bytes of a string: no quote, no backslash, no control character.
export function isPlain(byte: number): boolean {
  return byte !== 0x22 && byte !== 0x5c && byte >= 0x20;
}

// bytes[at] follows a backslash. Judged as far as the window goes: the string is scanned again when it goes on.
export function isValidEscape(bytes: Uint8Array, at: number, end: number): boolean {
  switch (bytes[at]) {
    case 0x22: case 0x5c: case 0x2f: case 0x62: case 0x66: case 0x6e: case 0x72: case 0x74:
      return true;
    case 0x75:
      for (let i = at + 1; i <= at + 4 && i < end; i++) if (!isHex(bytes[i]!)) return false;
      return true;
    default:
      return false;
  }
}

function isHex(byte: number): boolean {
  return (byte >= 0x30 && byte <= 0x39) || ((byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x66);
}

export function isNumberStart(byte: number): boolean {
  return (byte >= 0x30 && byte <= 0x39) || byte === 0x2d || byte === 0x2b || byte === 0x2e;
}

// Letters, digits and + - . ( ), the bytes numbers and the inf/nan spellings are made of.
export function isScalarByte(byte: number): boolean {
  const isWordByte = (byte >= 0x30 && byte <= 0x39) || ((byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x7a);
  return isWordByte || byte === 0x2d || byte === 0x2e || byte === 0x2b || byte === 0x28 || byte === 0x29;
}

// Four at a time: a view reads them wherever they lie.
export function equalBytes(a: DataView, fromA: number, b: DataView, fromB: number, length: number): boolean {
  let i = 0;
  for (; i + 4 <= length; i += 4) if (a.getInt32(fromA + i) !== b.getInt32(fromB + i)) return false;
  for (; i < length; i++) if (a.getUint8(fromA + i) !== b.getUint8(fromB + i)) return false;
  return true;
}
