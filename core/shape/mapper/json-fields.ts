// Fields of a model_tree.json, which is what somebody wrote and not what its format says: each is asked for by type, and what is of another type is absent.

export type JsonRecord = { readonly [key: string]: unknown };

export function recordOf(value: unknown): JsonRecord | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonRecord) : undefined;
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

// Half a surrogate pair, which JSON can write and UTF-8 cannot, is U+FFFD as everywhere.
export function textOf(value: unknown): string {
  return typeof value === "string" ? value.replaceAll(/\p{Surrogate}/gu, "\uFFFD") : "";
}

// Of an object or a list.
export function hasEntries(value: unknown): boolean {
  return Object.keys(recordOf(value) ?? listOf(value)).length > 0;
}
