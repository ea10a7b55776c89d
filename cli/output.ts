// What a subcommand prints: text for people, or with --json one JSON document and nothing else.
export type Output = { readonly json: boolean };

export function print(output: Output, value: unknown, text: () => string): void {
  const whole = output.json ? JSON.stringify(value, null, 2) : text().replace(/\n$/, "");
  process.stdout.write(`${whole}\n`);
}

// Columns as wide as their widest cell; numbers flush right.
export function table(head: readonly string[], rows: readonly (readonly string[])[], right: readonly number[] = []): string {
  const widths = head.map((title, column) => Math.max(title.length, ...rows.map((row) => [...(row[column] ?? "")].length)));
  const line = (row: readonly string[]) =>
    row.map((cell, column) => (right.includes(column) ? cell.padStart(widths[column]!) : column === row.length - 1 ? cell : cell.padEnd(widths[column]!))).join("  ").trimEnd();
  return [line(head), ...rows.map(line)].join("\n");
}
