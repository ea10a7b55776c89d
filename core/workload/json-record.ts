// Fields of parsed JSON whose form nobody promises: each is asked for by type, and what is missing or of another type is absent.

export type JsonRecord = { readonly [key: string]: unknown };

export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

// A list or an object stands where a number belongs: the file is of another kind than it looks, and a figure made of it would be wrong in silence. Caught where one
// run is read (read-benchmark.ts).
export class NotANumber extends Error {
  constructor(place: string, value: object) {
    super(`${place} is ${Array.isArray(value) ? "a list" : "an object"} where a number belongs`);
  }
}

// The first of `keys` that holds a finite number; numbers written as text ("550", as LLMPerf does) are taken.
export function numberAt(record: JsonRecord | undefined, ...keys: string[]): number | undefined {
  for (const key of keys) {
    const number = numberOf(record?.[key], key);
    if (number !== undefined) return number;
  }
  return undefined;
}

// `name` and the rows below it are the place that is told of a value that can be no number: "itls[3][0]".
export function numberOf(value: unknown, name: string, ...rows: readonly number[]): number | undefined {
  if (typeof value === "number") return Number.isFinite(value) ? value : undefined;
  if (typeof value === "object" && value !== null) throw new NotANumber(`${name}${rows.map((row) => `[${row}]`).join("")}`, value);
  return typeof value === "string" && /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(value) ? finite(Number(value)) : undefined;
}

function finite(number: number): number | undefined {
  return Number.isFinite(number) ? number : undefined;
}

// The first of `keys` that holds a text that is not empty; "" = none.
export function textAt(record: JsonRecord | undefined, ...keys: string[]): string {
  for (const key of keys) {
    const value = record?.[key];
    if (typeof value === "string" && value !== "") return value;
  }
  return "";
}

// The record at the end of a path of keys.
export function recordAt(record: JsonRecord | undefined, ...path: string[]): JsonRecord | undefined {
  let at: unknown = record;
  for (const key of path) at = isRecord(at) ? at[key] : undefined;
  return isRecord(at) ? at : undefined;
}

export function listAt(record: JsonRecord | undefined, key: string): readonly unknown[] | undefined {
  const value = record?.[key];
  return Array.isArray(value) ? value : undefined;
}
