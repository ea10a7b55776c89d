// What a subcommand prints: text for people, or with --json one JSON document and nothing else.
export { table } from "#core/table.ts";

export type Output = { readonly json: boolean };

export function print(output: Output, value: unknown, text: () => string): void {
  const whole = output.json ? JSON.stringify(value, null, 2) : text().replace(/\n$/, "");
  process.stdout.write(`${whole}\n`);
}
