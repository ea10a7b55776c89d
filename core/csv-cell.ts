// One cell of a CSV file (RFC 4180). A text that a spreadsheet would run as a formula gets an apostrophe before it.
export function csvCell(value: number | bigint | boolean | string): string {
  if (typeof value !== "string") return String(value);
  const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
