// The `lamella` command.
import { Command, CommanderError, Option } from "commander";
import { printableLines } from "#core/printable.ts";
import { CliError } from "./cli-error.ts";
import { executionCommands } from "./commands/executions.ts";
import { filterCommand } from "./commands/filter.ts";
import { metricCommands } from "./commands/metrics.ts";
import { modelCommands } from "./commands/models.ts";
import { profileCommands } from "./commands/profiles.ts";
import { tableCommands } from "./commands/tables.ts";
import { tenantCommands } from "./commands/tenant.ts";
import { workloadCommands } from "./commands/workloads.ts";
import type { Globals } from "./globals.ts";
import { jsonText } from "./output.ts";
import { version } from "./version.ts";

// Asked of the words themselves: a mistake among them must be told as JSON too.
const words = process.argv.slice(2);
const wantsJson = words.slice(0, words.includes("--") ? words.indexOf("--") : undefined).includes("--json");
let told = ""; // by commander: help, the version

const program = new Command("lamella");
program
  .exitOverride()
  .description("See GPU time by model layer")
  .version(version)
  .option("--data-dir <folder>", "data folder of the embedded stack; default: LAMELLA_DATA_DIR, else .lamella here or above")
  .option("--json", "print JSON")
  .configureHelp({ showGlobalOptions: true, sortSubcommands: false })
  .configureOutput({
    outputError: (text, write) => write(printableLines(text)),
    ...(wantsJson ? { writeOut: (text: string) => void (told += text), writeErr: (text: string) => void (told += text) } : {}),
  })
  .addHelpText("after", "\nA server elsewhere is found by LAMELLA_URL (https://host/t/TENANT) and LAMELLA_TOKEN.\nExample:\n  lamella import trace.json.gz && lamella flamegraph --search Attention");

const globals = () => current.optsWithGlobals<Globals>();
let current: Command = program;
program.hook("preAction", (_program, command) => void (current = command));
profileCommands(program, globals);
tableCommands(program, globals);
executionCommands(program, globals);
modelCommands(program, globals);
metricCommands(program, globals);
workloadCommands(program, globals);
filterCommand(program, globals);
tenantCommands(program, globals);
acceptGlobalsAnywhere(program);

// `lamella status --json` and `lamella --json status` are the same; the help names them once, as global options.
function acceptGlobalsAnywhere(command: Command): void {
  for (const sub of command.commands) {
    sub.addOption(new Option("--data-dir <folder>").hideHelp()).addOption(new Option("--json").hideHelp());
    acceptGlobalsAnywhere(sub);
  }
}

process.stdout.on("error", (error: NodeJS.ErrnoException) => process.exit(error.code === "EPIPE" ? 0 : 1));
process.on("uncaughtException", (error) => {
  tell(error);
  process.exit(1);
});
try {
  await program.parseAsync();
} catch (error) {
  process.exitCode = error instanceof CommanderError ? error.exitCode : 1;
  tell(error);
}

// With --json every outcome is one document on stdout; help and the version end a command as errors do.
function tell(error: unknown): void {
  if (error instanceof CommanderError) {
    if (wantsJson) process.stdout.write(`${jsonText(usageOutcome(error))}\n`);
    return; // else commander has said it
  }
  const known = error instanceof CliError;
  if (wantsJson) process.stdout.write(`${jsonText({ error: { code: known ? error.code : "internal", message: error instanceof Error ? error.message : String(error) } })}\n`);
  else process.stderr.write(`lamella: ${known ? error.shown : printableLines(error instanceof Error ? (error.stack ?? error.message) : String(error))}\n`);
}

function usageOutcome({ code, exitCode, message }: CommanderError): object {
  if (exitCode === 0) return code === "commander.version" ? { version } : { help: told };
  return code === "commander.help" ? { error: { code: "usage", message: "A command is missing here.", help: told } } : { error: { code: "usage", message: message.replace(/^error: /, "") } };
}
