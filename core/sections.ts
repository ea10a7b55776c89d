// Tables under titles, for people: as text for a terminal or as Markdown for a pull request. Names that come from files and processes are cells of their own
// kind: their control characters are shown, and in Markdown they are code.
import { codeSpan, escapeMarkdown, markdownTable } from "./markdown.ts";
import { printable } from "./printable.ts";
import { table } from "./table.ts";

export type Cell = string | { readonly name: string }; // name: comes from a file
export type Section = { readonly title: string; readonly head: readonly string[]; readonly rows: readonly (readonly Cell[])[]; readonly left?: readonly number[]; readonly after?: string }; // left: columns of words, 0 where not said

export function sectionText(section: Section, markdown: boolean): string {
  return markdown ? markdownSection(section) : textSection(section);
}

function textSection({ title, head, rows, left, after }: Section): string {
  return [`\n${title}`, ...table(head, rows.map((row) => row.map(textCell)), figures(head, left)).split("\n").map((line) => `  ${line}`), ...(after === undefined ? [] : [`  ${after}`])].join("\n");
}

function markdownSection({ title, head, rows, left, after }: Section): string {
  return [`\n**${escapeMarkdown(title)}**\n`, markdownTable(head.map(escapeMarkdown), rows.map((row) => row.map(markdownCell)), figures(head, left)), ...(after === undefined ? [] : [`\n${escapeMarkdown(after)}`])].join("\n");
}

const figures = (head: readonly string[], left: readonly number[] = [0]): number[] => head.map((_, column) => column).filter((column) => !left.includes(column));
export const textCell = (cell: Cell): string => printable(typeof cell === "string" ? cell : cell.name);
export const markdownCell = (cell: Cell): string => (typeof cell === "string" ? escapeMarkdown(cell) : codeSpan(cell.name));
