// What the reader had to repair or skip: per kind a count and the byte position (after gzip) of the first one.

export const repairKinds = {
  escape: "Invalid escapes in strings, kept as written",
  control: "Strings with raw control characters, kept",
  utf8: "Names with bytes that are not UTF-8, shown as U+FFFD",
  number: "Numbers that are not JSON (inf, nan), read as absent",
  trailing_comma: "Trailing commas, ignored",
  missing_comma: "Missing commas between events, supplied",
  malformed: "Malformed events, skipped",
  not_event: "Entries that are no trace events, skipped",
  rounded: "Times with digits below a nanosecond, rounded",
  too_large: "Values over 16 MiB, skipped",
  metadata: "Unreadable places outside the events, skipped",
  trailing: "Bytes after the end of the document, ignored",
  truncated: "The file ends in the middle (truncated); everything before the cut is used. Cut",
} as const;

export type RepairKind = keyof typeof repairKinds;
export type Repair = { kind: RepairKind; count: number; firstAt: number };

export class Repairs {
  private readonly byKind = new Map<RepairKind, Repair>();

  add(kind: RepairKind, at: number, count = 1): void {
    const repair = this.byKind.get(kind);
    if (repair === undefined) this.byKind.set(kind, { kind, count, firstAt: at });
    else repair.count += count;
  }

  list(): Repair[] {
    return [...this.byKind.values()];
  }
}

export function repairText(repair: Repair): string {
  const at = `at byte ${repair.firstAt.toLocaleString("en-US")}`;
  if (repair.kind === "truncated") return `${repairKinds.truncated} ${at}`;
  return `${repairKinds[repair.kind]}: ${repair.count.toLocaleString("en-US")}, the first ${at}`;
}
