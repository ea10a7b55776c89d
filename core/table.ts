// Columns as wide as their widest cell; numbers flush right. Cells hold no control character (core/printable.ts).
export function table(head: readonly string[], rows: readonly (readonly string[])[], right: readonly number[] = []): string {
  const length = (cell: string) => [...cell].length; // padEnd counts UTF-16 units
  const widths = head.map((_, column) => [head, ...rows].reduce((most, row) => Math.max(most, length(row[column] ?? "")), 0));
  const line = (row: readonly string[]) =>
    row.map((cell, column) => { const room = " ".repeat(widths[column]! - length(cell)); return right.includes(column) ? room + cell : cell + room; }).join("  ").trimEnd();
  return [line(head), ...rows.map(line)].join("\n");
}
