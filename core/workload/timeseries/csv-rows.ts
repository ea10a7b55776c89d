// A CSV of measurements: a head, then a row a moment. Nothing in these files is quoted. Rows of another width are left out and noted.
import type { LineNotes } from "../prometheus/line-notes.ts";

export type CsvRow = { readonly line: number; readonly cells: readonly string[] };

export function csvRows(text: string, notes: LineNotes): { head: string[]; rows: CsvRow[] } {
  const rows: CsvRow[] = [];
  let head: string[] | null = null;
  for (const [row, raw] of text.split("\n").entries()) {
    if (raw.trim() === "") continue;
    const cells = raw.split(",").map((cell) => cell.trim());
    if (head === null) head = cells;
    else if (cells.length !== head.length) notes.add("Rows with another number of cells than the head, skipped", row + 1);
    else rows.push({ line: row + 1, cells });
  }
  return { head: head ?? [], rows };
}

// "0.15" is seconds from an unknown start; "2025/02/21 20:06:59.123" is a local time of an unknown zone, so it too tells distances alone. Null: no time.
export function timeOf(cell: string): number | null {
  if (/^\d+(\.\d+)?$/.test(cell)) return Number(cell);
  const [, year, month, day, hour, minute, second] = /^(\d{4})\/(\d\d)\/(\d\d) (\d\d):(\d\d):(\d\d(?:\.\d+)?)$/.exec(cell) ?? [];
  return year === undefined ? null : Date.UTC(Number(year), Number(month) - 1, Number(day), Number(hour), Number(minute)) / 1_000 + Number(second);
}

// Seconds since 1970 have ten digits; a run has not lasted thirty years.
export function timesOf(cell: string | undefined): "unix" | "relative" {
  return /^\d{10}(\.\d+)?$/.test(cell ?? "") ? "unix" : "relative";
}
