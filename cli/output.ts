// What a subcommand prints: text for people, or with --json one JSON document and nothing else.
export { table } from "#core/table.ts";

export type Output = { readonly json: boolean };

export function print(output: Output, value: unknown, text: () => string): void {
  const whole = output.json ? jsonText(value, 2) : text().replace(/\n$/, "");
  process.stdout.write(`${whole}\n`);
}

// The same values: what JSON leaves raw of control characters and invisible formatting is escaped as well, because a terminal may be reading.
export function jsonText(value: unknown, indent = 0): string {
  const escaped = (text: string) => Array.from({ length: text.length }, (_, i) => `\\u${text.charCodeAt(i).toString(16).padStart(4, "0")}`).join("");
  return JSON.stringify(value, null, indent).replaceAll(/[\u007f-\u009f\p{Cf}\u2028\u2029]/gu, escaped);
}
