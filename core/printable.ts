// Names come from profiled programs and files: control characters (and invisible formatting, which can make a reader see another text) are shown as
// `\u{1b}`, never sent to the reader's terminal.
export function printable(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (character) => `\\u{${(character.codePointAt(0) as number).toString(16)}}`);
}

// The same of a text of several lines, such as a traceback: it keeps its lines.
export function printableLines(text: string): string {
  return text.split(/\r?\n/).map(printable).join("\n");
}

// Never half a character.
export function shortened(text: string, charactersMax: number): string {
  const characters = [...text];
  return characters.length > charactersMax ? `${characters.slice(0, charactersMax - 1).join("")}…` : text;
}
