// Bytes of a text file → text: UTF-8, or UTF-16 in either byte order where the byte order mark says so (Windows tools and redirections of PowerShell write it).
import { decodeUtf8 } from "#core/utf8.ts";

const charactersAtOnce = 8192; // arguments of one call

export function decodeText(bytes: Uint8Array): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return decodeUtf16(bytes.subarray(2), true);
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return decodeUtf16(bytes.subarray(2), false);
  return decodeUtf8(bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes);
}

// A byte left over at the end is half a character, shown as U+FFFD.
function decodeUtf16(bytes: Uint8Array, littleEndian: boolean): string {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  let text = "";
  for (let at = 0; at + 1 < bytes.length; at += 2 * charactersAtOnce) {
    const units = Math.min(charactersAtOnce, Math.floor((bytes.length - at) / 2));
    text += String.fromCharCode(...Array.from({ length: units }, (_, i) => view.getUint16(at + 2 * i, littleEndian)));
  }
  return bytes.length % 2 === 0 ? text : `${text}\uFFFD`;
}
