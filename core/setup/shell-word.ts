// A text as one word of a shell or one value of YAML, whatever is in it: what a link brought along must never become a command.
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

// JSON's strings are YAML's, and a shell never sees them.
export function yamlText(text: string): string {
  return JSON.stringify(text);
}

// One command over several lines: the first line, then each further one indented.
export function commandLines(parts: readonly string[]): string {
  return parts.join(" \\\n  ");
}
