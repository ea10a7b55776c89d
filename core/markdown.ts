// Text of others inside Markdown. In a code span nothing is read as markup, as a link or as the mention of a person; its fence is longer than any backticks in it.
import { printable } from "./printable.ts";

export function codeSpan(text: string): string {
  const shown = printable(text).replaceAll("|", "\\|"); // the one character a table reads first, also in code
  if (shown === "") return "";
  const fence = "`".repeat(1 + Math.max(0, ...[...shown.matchAll(/`+/g)].map(([run]) => run.length)));
  return /^[` ]|[` ]$/.test(shown) ? `${fence} ${shown} ${fence}` : `${fence}${shown}${fence}`;
}

// Our own words with figures in them: what could be read as markup is escaped.
export function escapeMarkdown(text: string): string {
  return printable(text).replace(/[\\`*_{}[\]<>#|~@&!]/g, "\\$&");
}

// Cells are Markdown already.
export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[], right: readonly number[] = []): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [line(head), line(head.map((_, column) => (right.includes(column) ? "---:" : "---"))), ...rows.map(line)].join("\n");
}
