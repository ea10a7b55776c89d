// report, compare: what executions did, module by module.
import type { Command } from "commander";
import { compareRecords } from "#core/trace/compare-records.ts";
import { compareText } from "#core/trace/compare-text.ts";
import { modelExecution } from "#core/trace/mapper/model-execution.ts";
import { moduleText } from "#core/trace/module-text.ts";
import { mergeRequests } from "#core/trace/merge-requests.ts";
import { requestsText } from "#core/trace/requests-text.ts";
import { recordText } from "#core/trace/record-text.ts";
import type { ExecutionRecord } from "#schema/api/execution-record.ts";
import { CliError } from "../cli-error.ts";
import { type NamedRecord, recordOf } from "../execution-record.ts";
import { collect, type Globals, outputOf } from "../globals.ts";
import { jsonText, print, writeDocument } from "../output.ts";

const which = "an execution (latest, or 8 digits of its id), or a profile file, which is read here and needs no server";

export function executionCommands(program: Command, globals: () => Globals): void {
  program
    .command("report")
    .description("What an execution did: its steps, what the kernels do, the module tree with GPU and CPU time, the longest kernels")
    .argument("<executions...>", `${which}; several: one request each, side by side`)
    .option("--module <path>", "one module: every copy of it, its operators and kernels; the end of its path is enough")
    .option("--top <n>", "kernels and operators shown", "10")
    .option("--step <number>", "of a file: only what belongs to this step", (text) => count("--step", text))
    .option("--capture <file>", "of a file: trace of the engine's start-up, whose captured graphs it replays; repeatable", collect)
    .option("--model-execution <file>", "write model_execution.json, the module tree as vllm_arch_map's viewer draws it; - for stdout")
    .addHelpText("after", "\nWith --json: the whole record, as GET /api/executions/{id}/record answers it.\nExamples:\n  lamella report latest\n  lamella report trace.json.gz\n  lamella report 3f9a07d2c1b4 --module layers.17.self_attn\n  lamella report request_001.json.gz request_002.json.gz request_003.json.gz")
    .action(async ([wanted = "", ...others]: string[], options: { module?: string; top: string; step?: number; capture?: string[]; modelExecution?: string }) => {
      const top = count("--top", options.top);
      if (options.module !== undefined && globals().json) throw new CliError("--json prints the whole record; --module is for the text.", "parameter_invalid");
      if (options.module !== undefined && options.modelExecution !== undefined) throw new CliError("--model-execution writes the whole tree; leave out --module.", "parameter_invalid");
      if (others.length > 0) {
        if (options.module !== undefined || options.step !== undefined || options.modelExecution !== undefined) throw new CliError("--module, --step and --model-execution are for one execution.", "parameter_invalid");
        return await requestsReport(globals(), [wanted, ...others], options.capture);
      }
      const { name, record } = await recordOf(globals(), wanted, { step: options.step, captures: options.capture });
      if (options.modelExecution !== undefined) return writeModelExecution(globals(), record, name, options.modelExecution);
      if (options.module === undefined) return print(outputOf(globals()), record, () => recordText(record, { name, top }));
      const text = moduleText(record, { module: options.module, top });
      if (!text.ok) throw new CliError(`${text.error[0]!.toUpperCase()}${text.error.slice(1)}.`, "module_not_found");
      print(outputOf(globals()), record, () => text.value);
    });

  program
    .command("compare")
    .description("What differs from one execution to another: by phase, by what the kernels do, by module")
    .argument("<a>", which)
    .argument("<b>", "the other")
    .option("--markdown", "as Markdown, for a pull request")
    .option("--top <n>", "lines of modules shown", "20")
    .addHelpText("after", "\nExamples:\n  lamella compare before.json.gz after.json.gz\n  lamella compare 3f9a07d2 latest --markdown")
    .action(async (wantedA: string, wantedB: string, { markdown = false, top }: { markdown?: boolean; top: string }) => {
      const shown = count("--top", top);
      const [a, b] = [await recordOf(globals(), wantedA), await recordOf(globals(), wantedB)];
      const comparison = compareRecords(a.record, b.record);
      const named = ({ name, executionId }: typeof a) => ({ name, executionId });
      print(outputOf(globals()), { executions: { a: named(a), b: named(b) }, ...comparison }, () => compareText(comparison, { names: { a: a.name, b: b.name }, top: shown, markdown }));
    });
}

function writeModelExecution(globals: Globals, record: ExecutionRecord, name: string, file: string): void {
  const document = modelExecution(record);
  if (document === undefined) throw new CliError(`${name} has no modules, and model_execution.json is a tree of them: record with stacks (docs/recording.md).`, "no_modules");
  writeDocument(outputOf(globals), file, file === "-" ? `${jsonText(document, 2)}\n` : `${JSON.stringify(document, null, 1)}\n`);
}

// Traces of profile_serve name their request; others go by their file or execution.
async function requestsReport(globals: Globals, wanted: readonly string[], captures: readonly string[] | undefined): Promise<void> {
  const records: NamedRecord[] = [];
  for (const one of wanted) records.push(await recordOf(globals, one, { captures }));
  const types = [...new Set(records.map(({ record }) => record.profileType))];
  if (types.length > 1) throw new CliError(`They cannot stand side by side: ${types.join(" and ")} measure different things.`, "parameter_invalid");
  const merged = mergeRequests(records.map(({ record }) => record), records.map(({ name }) => name));
  print(outputOf(globals), merged, () => requestsText(merged, types[0]!));
}

function count(option: string, text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new CliError(`${option} is "${text}"; write a number, 1 or more.`, "parameter_invalid");
  return Number(text);
}
