// One line of a CSV file (RFC 4180). An empty cell: the value is not known. Numbers are written as they are, never rounded.
import { csvCell } from "./csv-cell.ts";

export function csvLine(values: readonly (number | bigint | boolean | string | null)[]): string {
  return `${values.map((value) => (value === null ? "" : csvCell(value))).join(",")}\r\n`;
}
