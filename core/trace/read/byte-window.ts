// Appends chunks behind what a cursor has not consumed yet. Memory is one chunk plus one unfinished value.
import type { JsonCursor } from "./json-cursor.ts";

export function appendChunk(cursor: JsonCursor, chunk: Uint8Array): void {
  const kept = cursor.end - cursor.at;
  if (cursor.end + chunk.length > cursor.bytes.length || cursor.at > cursor.bytes.length / 2) {
    const needed = kept + chunk.length;
    const target = needed > cursor.bytes.length ? new Uint8Array(Math.max(needed, kept * 2)) : cursor.bytes;
    target.set(cursor.bytes.subarray(cursor.at, cursor.end), 0);
    cursor.bytes = target;
    cursor.base += cursor.at;
    cursor.tokenStart -= cursor.at;
    cursor.at = 0;
    cursor.end = kept;
  }
  cursor.bytes.set(chunk, cursor.end);
  cursor.end += chunk.length;
}
