// Parsed JSON of others is what they wrote, not what its type says: lists that are none read as empty, numbers that are none as 0, texts that are none as "".

export function objectsOf<T extends object>(value: readonly T[] | undefined): T[] {
  return Array.isArray(value) ? (value as unknown[]).filter((one): one is T => one !== null && typeof one === "object") : [];
}

export function numberOf(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) ? value : 0;
}

export function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
