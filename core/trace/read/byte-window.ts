// Appends chunks behind what a cursor has not consumed yet. Memory is two chunks plus one unfinished value.
import type { JsonCursor } from "./json-cursor.ts";

export function appendChunk(cursor: JsonCursor, chunk: Uint8Array): void {
  const kept = cursor.end - cursor.at;
  if (cursor.end + chunk.length > cursor.bytes.length || cursor.at > cursor.bytes.length / 2) {
    const needed = kept + chunk.length;
    const unread = cursor.bytes.subarray(cursor.at, cursor.end);
    if (needed > cursor.bytes.length) {
      cursor.bytes = new Uint8Array(Math.max(needed + chunk.length, kept * 2)); // room for the next chunk too: what is kept differs from one to the next
      cursor.view = new DataView(cursor.bytes.buffer);
    }
    cursor.bytes.set(unread, 0);
    cursor.base += cursor.at;
    cursor.tokenStart -= cursor.at;
    cursor.at = 0;
    cursor.end = kept;
  }
  cursor.bytes.set(chunk, cursor.end);
  cursor.end += chunk.length;
}
