// What a subcommand prints: text for people, or with --json one JSON document and nothing else.
import { writeFileSync } from "node:fs";
import { printable } from "#core/printable.ts";
import { CliError } from "./cli-error.ts";

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

// A document for another tool: into `file`, which is then named, or with "-" to stdout alone.
export function writeDocument(output: Output, file: string, document: string | Uint8Array): void {
  if (file === "-") return void process.stdout.write(document);
  try {
    writeFileSync(file, document);
  } catch (error) {
    throw new CliError(`${file} cannot be written: ${(error as Error).message}.`, "file_unwritable");
  }
  print(output, { written: file }, () => `${printable(file)}: written`);
}
