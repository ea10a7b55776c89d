// filter: checks a filter without a server, and completes one with the values of the server's data.
import { type Command, Option } from "commander";
import { readFilter } from "#core/filter/check.ts";
import { print as printFilter } from "#core/filter/printer.ts";
import { printable } from "#core/printable.ts";
import type { FilterCompletion } from "#schema/api/filter.ts";
import { type Page, pages } from "#schema/fields.ts";
import { caretLines } from "../carets.ts";
import { CliError } from "../cli-error.ts";
import { apiOf, type Globals, outputOf } from "../globals.ts";
import { print, table } from "../output.ts";

type Options = { readonly page: Page; readonly complete?: string; readonly from?: string; readonly to?: string };

export function filterCommand(program: Command, globals: () => Globals): void {
  program
    .command("filter")
    .description("Check a filter: its canonical form, or each mistake where it stands; --complete: what may stand at a place")
    .argument("<text>", "the filter")
    .addOption(new Option("--page <page>", "whose fields it may use").choices(pages).default("flamegraph"))
    .option("--complete <n>", "what may stand after the first n characters (UTF-16), with the values in the data; end: after the last")
    .option("--from <time>", "with --complete: values since", "-7d")
    .option("--to <time>", "with --complete: until", "now")
    .addHelpText("after", "\nExamples:\n  lamella filter 'k8s.namespace.name = \"inference\" and not user.tag in [\"env:dev\"]'\n  lamella filter 'host.name == \"no' --complete end")
    .action(async (text: string, { page, complete, from, to }: Options) => {
      const output = outputOf(globals());
      if (complete !== undefined) {
        const cursor = complete === "end" ? text.length : Number(complete);
        if (!Number.isInteger(cursor) || cursor < 0 || cursor > text.length || complete.trim() === "") {
          throw new CliError(`--complete is "${complete}"; write a whole number from 0 to ${text.length}, the length of the filter, or end.`, "parameter_invalid");
        }
        const answer = await apiOf(globals()).call("filterComplete", { query: { text, cursor: String(cursor), page, from, to } });
        print(output, answer, () => completionText(answer));
        return;
      }
      const read = readFilter(text, page);
      const checked = read.ok ? { page, canonical: printFilter(read.value), problems: [] } : { page, canonical: null, problems: read.error };
      if (output.json || read.ok) print(output, checked, () => checked.canonical ?? "");
      else process.stderr.write(`${caretLines(text, read.error).join("\n")}\n`);
      if (!read.ok) process.exitCode = 1;
    });
}

function completionText({ expected, options, counts, counted, more, typed }: FilterCompletion): string {
  const head = `Expected ${expected.map(printable).join("  ")}${typed === "" ? "" : `; typed so far: ${printable(typed)}`}`;
  if (options.length === 0) return `${head}\n${counts === null ? "Nothing fits." : `No such value from ${counted!.from} to ${counted!.to}.`}`;
  // Counts first: a kernel's name has hundreds of characters, and what stands behind it is out of sight.
  const lines = counts === null ? options.map(({ text }) => printable(text)).join("\n")
    : table([counts, "value"], options.map(({ text, count }) => [(count ?? 0).toLocaleString("en-US"), printable(text)]), [0]);
  return `${head}\n${lines}${more ? "\n… and more; type on" : ""}${counted === null ? "" : `\ncounted from ${counted.from} to ${counted.to}`}`;
}
