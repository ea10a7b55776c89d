// Where reading goes on after a broken event: the next seam of two events, `} , { "`, or the end of their list, `] , "a kept metadata key"`.
// What looks like a seam inside the broken event's own arguments gives a fragment without "ph", which is no event and not counted again.
import { outOfBytes, type JsonCursor } from "./json-cursor.ts";
import { tokenString } from "./json-value.ts";
import { limits } from "#schema/limits.ts";

// Leaves the cursor behind the closing bracket; "events" or "top" says what follows. Throws outOfBytes, standing where the search goes on.
export function findSeam(cursor: JsonCursor, metadataKeys: ReadonlySet<string>): "events" | "top" {
  while (cursor.at < cursor.end) {
    const mark = cursor.at++;
    const byte = cursor.bytes[mark];
    if (byte !== 0x7d && byte !== 0x5d) continue;
    try {
      if (byte === 0x7d ? atEvent(cursor) : atMetadata(cursor, metadataKeys)) return byte === 0x7d ? "events" : "top";
      cursor.at = mark + 1;
    } catch (reason) {
      cursor.at = mark + 1;
      if (cursor.end - mark > limits.traceValueBytesMax) continue;
      cursor.at = mark;
      throw reason;
    }
  }
  throw outOfBytes;
}

function atEvent(cursor: JsonCursor): boolean {
  if (cursor.peek() === 0x2c) cursor.at++;
  if (cursor.peek() !== 0x7b) return false;
  const brace = cursor.at++;
  const found = cursor.peek() === 0x22;
  cursor.at = brace;
  return found;
}

function atMetadata(cursor: JsonCursor, keys: ReadonlySet<string>): boolean {
  if (cursor.peek() !== 0x2c) return false;
  cursor.at++;
  if (cursor.peek() !== 0x22) return false;
  const quote = cursor.at;
  cursor.string();
  cursor.repairs.length = 0; // it is only looked at
  cursor.at = quote;
  return keys.has(tokenString(cursor));
}
