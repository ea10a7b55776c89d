// Fields of parsed JSON whose form nobody promises: each is asked for by type, and what is missing or of another type is absent.

export type JsonRecord = { readonly [key: string]: unknown };

export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

// The first of `keys` that holds a finite number; numbers written as text ("550", as LLMPerf does) are taken.
export function numberAt(record: JsonRecord | undefined, ...keys: string[]): number | undefined {
  for (const key of keys) {
    const number = numberOf(record?.[key]);
    if (number !== undefined) return number;
  }
  return undefined;
}

export function numberOf(value: unknown): number | undefined {
  const number = typeof value === "string" && /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(value) ? Number(value) : value;
  return typeof number === "number" && Number.isFinite(number) ? number : undefined;
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
