// One small JSON value (a metadata entry) built from a cursor. An entry that is a whole number beyond 2^53 becomes a bigint, so baseTimeNanoseconds stays exact;
// inside lists and objects numbers are doubles, as JSON has them.
import { decodeUtf8 } from "#core/utf8.ts";
import { unescapeJson } from "./text-table.ts";
import { malformed, type JsonCursor } from "./json-cursor.ts";
import { limits } from "#schema/limits.ts";

export type JsonValue = null | boolean | number | bigint | string | JsonValue[] | { [key: string]: JsonValue };

export function readJsonValue(cursor: JsonCursor, depth = 0): JsonValue {
  if (depth > limits.traceNestingMax) throw malformed;
  const byte = cursor.peek();
  if (byte === 0x22) {
    cursor.string();
    return tokenString(cursor);
  }
  if (byte === 0x7b) {
    const entries: [string, JsonValue][] = [];
    members(cursor, 0x7d, () => {
      cursor.key();
      const key = tokenString(cursor);
      entries.push([key, readJsonValue(cursor, depth + 1)]);
    });
    return Object.fromEntries(entries);
  }
  if (byte === 0x5b) {
    const items: JsonValue[] = [];
    members(cursor, 0x5d, () => items.push(readJsonValue(cursor, depth + 1)));
    return items;
  }
  const value = scalarValue(cursor);
  return typeof value === "bigint" && depth > 0 ? Number(value) : value;
}

export function tokenString(cursor: JsonCursor): string {
  return unescapeJson(decodeUtf8(cursor.bytes.subarray(cursor.tokenStart, cursor.tokenEnd)));
}

function members(cursor: JsonCursor, closer: number, readMember: () => void): void {
  cursor.at++;
  if (cursor.peek() !== closer) {
    do readMember();
    while (cursor.peek() === 0x2c && cursor.comma(closer));
  }
  cursor.expect(closer);
}

function scalarValue(cursor: JsonCursor): JsonValue {
  if (!cursor.scalar()) return null;
  const text = cursor.tokenText();
  if (text === "true") return true;
  if (text === "false") return false;
  const value = Number(text);
  if (Number.isNaN(value)) return null;
  return /^-?\d+$/.test(text) && !Number.isSafeInteger(value) ? BigInt(text) : value;
}
