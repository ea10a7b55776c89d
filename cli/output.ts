// What a subcommand prints: text for people, or with --json one JSON document and nothing else.
export type Output = { readonly json: boolean };

export function print(output: Output, value: unknown, text: () => string): void {
  const whole = output.json ? JSON.stringify(value, null, 2) : text().replace(/\n$/, "");
  process.stdout.write(`${whole}\n`);
}

// Columns as wide as their widest cell; numbers flush right.
export function table(head: readonly string[], rows: readonly (readonly string[])[], right: readonly number[] = []): string {
  const length = (cell: string) => [...cell].length; // padEnd counts UTF-16 units
  const widths = head.map((_, column) => [head, ...rows].reduce((most, row) => Math.max(most, length(row[column] ?? "")), 0));
  const line = (row: readonly string[]) =>
    row.map((cell, column) => { const room = " ".repeat(widths[column]! - length(cell)); return right.includes(column) ? room + cell : cell + room; }).join("  ").trimEnd();
  return [line(head), ...rows.map(line)].join("\n");
}
