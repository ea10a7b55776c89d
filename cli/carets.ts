// Mistakes in a text that somebody typed, each below its place. The text is shown printable, so a character may be several columns wide, or none.
import { printable } from "#core/printable.ts";
import type { TextProblem } from "#schema/api/problem.ts";

const columnsMax = 140; // of one line; of a longer text each mistake gets the part around it
const beside = 40;

// Lines without indentation.
export function caretLines(text: string, problems: readonly TextProblem[]): string[] {
  const columns = columnsOf(text);
  if (columns[text.length]! <= columnsMax) return [printable(text), ...problems.map((problem) => caretLine(columns, 0, problem))];
  return problems.flatMap((problem) => {
    const [from, to] = [whole(text, Math.max(0, problem.from - beside)), whole(text, Math.min(text.length, Math.min(problem.to, problem.from + beside) + beside))];
    const head = from > 0 ? "… " : "";
    return [`${head}${printable(text.slice(from, to))}${to < text.length ? " …" : ""}`, caretLine(columns, columns[from]! - head.length, { ...problem, to: Math.min(problem.to, to) })];
  });
}

function caretLine(columns: readonly number[], shift: number, { from, to, message, didYouMean }: TextProblem): string {
  const [start, end] = [columns[from]!, columns[to]!];
  return `${" ".repeat(start - shift)}${"^".repeat(Math.max(1, end - start))} ${printable(message)}${didYouMean === undefined ? "" : `, did you mean ${printable(didYouMean)}?`}`;
}

// The column that each UTF-16 code unit of the printable text begins at, and one past the last.
function columnsOf(text: string): number[] {
  const columns: number[] = [];
  let column = 0;
  for (const character of text) {
    for (let unit = 0; unit < character.length; unit++) columns.push(column);
    const shown = printable(character);
    column += shown === character ? width(character) : shown.length;
  }
  return [...columns, column];
}

function width(character: string): number {
  if (/\p{M}/u.test(character)) return 0;
  return wide.test(character) ? 2 : 1;
}

const wide = /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}|[\u{20000}-\u{3fffd}]/u;

// Not between the halves of a character.
function whole(text: string, at: number): number {
  return /^[\ud800-\udbff][\udc00-\udfff]$/.test(text.slice(at - 1, at + 1)) ? at + 1 : at;
}
