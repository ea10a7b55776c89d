// export: the stacks of a selection, whole, as a file for another tool.
import { createWriteStream } from "node:fs";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { type Command, Option } from "commander";
import { executionReasonText } from "#core/flamegraph/text-head.ts";
import { countText } from "#core/quantity.ts";
import { printable } from "#core/printable.ts";
import type { Flamegraph } from "#schema/api/flamegraph.ts";
import { exportHeaders } from "#schema/api/flamegraph-export.ts";
import { type ExportFormat, exportFormatNames, exportFormats } from "#schema/export-formats.ts";
import { type ProfileTypeName, profileTypes } from "#schema/frame-kinds.ts";
import { CliError } from "../cli-error.ts";
import { apiOf, type Globals, outputOf } from "../globals.ts";
import { print } from "../output.ts";
import { type Selection, selecting, selectionOf, type StackViewOptions, viewing } from "../selection.ts";

type Options = Selection & StackViewOptions & { readonly format: ExportFormat; readonly output?: string };

export function exportCommand(program: Command, globals: () => Globals): void {
  viewing(selecting(program.command("export")), "leaf first: readers turn stacks over themselves, so this is rarely of use")
    .description("The stacks of a selection, whole, as a file for another tool")
    .addOption(new Option("--format <format>", exportFormatNames.map((name) => `${name} (${exportFormats[name].opens})`).join(", ")).choices(exportFormatNames).makeOptionMandatory())
    .option("-o, --output <file>", "default: standard output, where that is no terminal")
    .addHelpText("after", "\nWhat each format holds: docs/exports.md.\nExamples:\n  lamella export --format pprof -o gpu.pb.gz && go tool pprof -top gpu.pb.gz\n  lamella export --format folded --execution latest | flamegraph.pl --countname ns > gpu.svg")
    .action(async ({ format, output, layers, hide, invert, ...selection }: Options) => {
      const file = output === "-" ? undefined : output;
      if (file === undefined && process.stdout.isTTY) throw new CliError("Standard output is a terminal; name a file with -o FILE, or pipe it into the tool.", "parameter_invalid");
      if (file === undefined && globals().json) throw new CliError("--json says what was written; name the file with -o FILE.", "parameter_invalid");
      const api = apiOf(globals());
      const response = await api.download("flamegraphExport", { ...(await selectionOf(api, selection)), format, layers, hide, invert: invert ? "1" : undefined });
      const written = writtenOf(response.headers, file);
      await save(response, file);
      if (file !== undefined) return print(outputOf(globals()), written, () => textOf(written));
      process.stderr.write(`${textOf(written)}\n`);
    });
}

type Written = { file: string | null; profileType: ProfileTypeName; stacks: number; execution: string | null; executionReason: Flamegraph["executionReason"] };

function writtenOf(headers: Headers, file: string | undefined): Written {
  return {
    file: file ?? null, profileType: headers.get(exportHeaders.profileType) as ProfileTypeName, stacks: Number(headers.get(exportHeaders.stacks)),
    execution: headers.get(exportHeaders.execution), executionReason: headers.get(exportHeaders.executionReason) as Flamegraph["executionReason"],
  };
}

function textOf({ file, profileType, stacks, execution, executionReason }: Written): string {
  const from = execution === null ? "live samples" : `execution ${execution.slice(0, 12)}${executionReasonText(executionReason)}`;
  const amount = stacks === 0 ? "no samples are stored for this selection" : `${countText(stacks)} ${stacks === 1 ? "stack" : "stacks"} of ${profileTypes[profileType].label}`;
  return `${file === null ? "" : `${printable(file)}: `}${amount}, ${from}`;
}

// A file that broke off is named as such and left: it may be a pipe or a device.
async function save(response: Response, file: string | undefined): Promise<void> {
  const body = Readable.fromWeb(response.body as never);
  try {
    if (file === undefined) await pipeline(body, process.stdout, { end: false });
    else await pipeline(body, createWriteStream(file));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EPIPE") return;
    throw new CliError(`${file ?? "The export"} is not complete: ${error instanceof Error ? error.message : String(error)}.`, "file_unwritable");
  }
}
