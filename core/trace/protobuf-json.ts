// The JSON form of a protobuf message → the same plain object decodeMessage makes: fields left out are their zero, 64-bit numbers may be text, and
// names may be in snake_case. Values of another type than the rule's read as not set.
import type { Integer, MessageRule } from "./protobuf-message.ts";

// `formerNames`: what a field was called in older versions.
export function messageFromJson<T>(json: unknown, rule: MessageRule, formerNames: Readonly<Record<string, string>> = {}): T {
  const source = isObject(json) ? json : {};
  const message: Record<string, unknown> = {};
  for (const [fullName, type] of Object.values(rule)) {
    const repeated = fullName.endsWith("[]");
    const name = repeated ? fullName.slice(0, -2) : fullName;
    const found = source[name] ?? source[name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)] ?? (formerNames[name] === undefined ? undefined : source[formerNames[name]]);
    const read = (value: unknown): unknown => (typeof type === "object" ? messageFromJson(value, type, formerNames) : type === "text" ? (typeof value === "string" ? value : "") : integerOf(value));
    if (repeated) message[name] = Array.isArray(found) ? found.map(read) : [];
    else if (typeof type === "object") message[name] = isObject(found) ? read(found) : null;
    else message[name] = read(found);
  }
  return message as T;
}

function integerOf(value: unknown): Integer {
  if (typeof value === "number") return Number.isSafeInteger(value) ? value : 0;
  if (typeof value !== "string" || !/^-?\d{1,20}$/.test(value)) return 0;
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : BigInt(value);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}
