// The `lamella` command.
import { Command, Option } from "commander";
import { printable } from "#core/printable.ts";
import { CliError } from "./cli-error.ts";
import { executionCommands } from "./commands/executions.ts";
import { metricCommands } from "./commands/metrics.ts";
import { modelCommands } from "./commands/models.ts";
import { profileCommands } from "./commands/profiles.ts";
import { tenantCommands } from "./commands/tenant.ts";
import { workloadCommands } from "./commands/workloads.ts";
import type { Globals } from "./globals.ts";
import { jsonText } from "./output.ts";
import { version } from "./version.ts";

const program = new Command("lamella");
program
  .description("See GPU time by model layer")
  .version(version)
  .option("--data-dir <folder>", "data folder of the embedded stack; default: LAMELLA_DATA_DIR, else .lamella here or above")
  .option("--json", "print JSON")
  .configureHelp({ showGlobalOptions: true, sortSubcommands: false })
  .configureOutput({ outputError: (text, write) => write(printableLines(text)) })
  .addHelpText("after", "\nA server elsewhere is found by LAMELLA_URL (https://host/t/TENANT) and LAMELLA_TOKEN.\nExample:\n  lamella import trace.json.gz && lamella flamegraph --search Attention");

const globals = () => current.optsWithGlobals<Globals>();
let current: Command = program;
program.hook("preAction", (_program, command) => void (current = command));
profileCommands(program, globals);
executionCommands(program, globals);
modelCommands(program, globals);
metricCommands(program, globals);
workloadCommands(program, globals);
tenantCommands(program, globals);
acceptGlobalsAnywhere(program);

// `lamella status --json` and `lamella --json status` are the same; the help names them once, as global options.
function acceptGlobalsAnywhere(command: Command): void {
  for (const sub of command.commands) {
    sub.addOption(new Option("--data-dir <folder>").hideHelp()).addOption(new Option("--json").hideHelp());
    acceptGlobalsAnywhere(sub);
  }
}

function printableLines(text: string): string {
  return text.split("\n").map(printable).join("\n");
}

process.stdout.on("error", (error: NodeJS.ErrnoException) => process.exit(error.code === "EPIPE" ? 0 : 1));
try {
  await program.parseAsync();
} catch (error) {
  const known = error instanceof CliError;
  if (globals().json) process.stdout.write(`${jsonText({ error: { code: known ? error.code : "internal", message: error instanceof Error ? error.message : String(error) } })}\n`);
  else process.stderr.write(`lamella: ${known ? error.shown : printableLines(error instanceof Error ? (error.stack ?? error.message) : String(error))}\n`);
  process.exitCode = 1;
}
