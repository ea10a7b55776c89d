// import, flamegraph, executions: profiles in and out.
import type { Command } from "commander";
import { foldedText } from "#core/flamegraph/folded.ts";
import { compareProfilesText } from "#core/flamegraph/compare/compare-profiles-text.ts";
import { parseSearch } from "#core/flamegraph/search.ts";
import { flamegraphText } from "#core/flamegraph/text.ts";
import { quantityText } from "#core/quantity.ts";
import { milliseconds } from "#core/trace/report.ts";
import type { ExecutionSummary } from "#schema/api/executions.ts";
import { profileTypes } from "#schema/frame-kinds.ts";
import { limits } from "#schema/limits.ts";
import type { Api } from "../api.ts";
import { CliError } from "../cli-error.ts";
import { wholeExecutionId } from "../find-execution.ts";
import { printable } from "#core/printable.ts";
import { print, table } from "../output.ts";
import { apiOf, outputOf, type Globals } from "../globals.ts";
import { exportCommand } from "./export.ts";
import { importCommand } from "./import.ts";
import { executionHelp, profileTypeHelp, type Selection, selecting, selectionOf, type StackViewOptions, viewing } from "../selection.ts";

type FlamegraphOptions = { readonly text?: boolean; readonly folded?: boolean; readonly search?: string; readonly callers?: string; readonly callees?: string; readonly maxNodes?: string; readonly under: string };

export function profileCommands(program: Command, globals: () => Globals): void {
  importCommand(program, globals);

  viewing(selecting(program.command("flamegraph")), "leaf first: what the time is spent in, then who calls it")
    .description("The flamegraph of a selection: as a text tree, folded stacks, or JSON")
    .option("--text", "indented text tree (the default)")
    .option("--folded", "folded stacks, one line each, for other flamegraph tools")
    .option("--search <text>", "show only the paths to frames that match: substring, /regex/, comma = or")
    .option("--callers <frame>", "who calls this frame, by its name")
    .option("--callees <frame>", "what this frame calls, by its name")
    .option("--max-nodes <n>", "nodes before small ones go into (other)")
    .option("--under <percent>", "without a search: children under this share are shown as one line", "0.5")
    .addHelpText("after", "\nExamples:\n  lamella flamegraph --search Attention\n  lamella flamegraph --layers hide --from -24h --filter 'k8s.namespace.name == \"inference\"'")
    .action(async ({ invert, layers, hide, ...options }: Selection & StackViewOptions & FlamegraphOptions) => {
      const api = apiOf(globals());
      if (options.callers !== undefined && options.callees !== undefined) throw new CliError("--callers and --callees are two questions; ask one at a time.", "parameter_invalid");
      const query = { ...(await selectionOf(api, options)), layers, hide };
      const around = options.callers ?? options.callees;
      const frame = around === undefined ? {} : { frame: await frameNamed(api, query, around), side: options.callers === undefined ? "callees" : "callers" };
      const graph = await api.call("flamegraph", { query: { ...query, ...frame, invert: invert ? "1" : "0", max_nodes: options.maxNodes } });
      const search = options.search === undefined ? undefined : parseSearch(options.search);
      if (search && search.problems.length > 0) throw new CliError(search.problems.map((problem) => problem.message).join("; "), "search_invalid");
      const underShare = Number(options.under) / 100;
      if (!(underShare >= 0 && underShare <= 1)) throw new CliError(`--under is "${options.under}"; write a percentage from 0 to 100.`, "parameter_invalid");
      print(outputOf(globals()), graph, () => (options.folded ? foldedText(graph) : flamegraphText(graph, { ...(search ? { search } : {}), underShare })));
    });

  program
    .command("diff")
    .description("What differs between two selections of samples: by kernel category, module and kernel, with 95 % intervals")
    .option("--from <time>", "B, what is now: start", "-1h")
    .option("--to <time>", "B: end", "now")
    .option("--filter <filter>", "of both, unless --a-filter says otherwise")
    .option("--execution <id>", `B: ${executionHelp}`)
    .option("--a-from <time>", "A, what was: start; default: as long before --from")
    .option("--a-to <time>", "A: end; default: --from")
    .option("--a-filter <filter>", "of A")
    .option("--a-execution <id>", "A: an execution")
    .option("--type <type>", profileTypeHelp)
    .option("--basis <share|launch|time|token>", "what values are divided by: the whole selection, the row's launches, time, or tokens of prompts and generated")
    .option("--layers <show|fold>", "every layer by itself, or the same layer of every block as one (the default)")
    .option("--top <n>", "rows of each table", "20")
    .option("--markdown", "for a pull request")
    .addHelpText("after", "\nExamples:\n  lamella diff --from -1h --a-from -25h --a-to -24h\n  lamella diff --filter 'job.tag == \"new\"' --a-filter 'job.tag == \"old\"' --a-from -1h --a-to now --layers show")
    .action(async (options: Record<string, string | undefined>) => {
      const api = apiOf(globals());
      const top = Number(options.top);
      if (!Number.isInteger(top) || top < 1) throw new CliError(`--top is "${options.top}"; write a whole number from 1 on.`, "parameter_invalid");
      const { from, to, filter, type, basis, layers, aFrom, aTo, aFilter } = options;
      const comparison = await api.call("flamegraphCompare", {
        query: { from, to, filter, type, basis, layers, execution: await wholeExecutionId(api, options.execution), a_from: aFrom, a_to: aTo, a_filter: aFilter, a_execution: await wholeExecutionId(api, options.aExecution) },
      });
      print(outputOf(globals()), comparison, () => compareProfilesText(comparison, { top, markdown: options.markdown !== undefined }));
    });

  exportCommand(program, globals);

  program
    .command("executions")
    .description("Imported traces and recordings, latest first")
    .option("--from <time>", "imported since", "-30d")
    .addHelpText("after", "\nExample:\n  lamella executions --from -7d")
    .action(async ({ from }: { from: string }) => {
      const api = apiOf(globals());
      const answer = await api.call("executions", { query: { from } });
      for (let next = answer.next; next !== null; ) {
        const page = await api.call("executions", { query: { from, cursor: next } });
        answer.executions.push(...page.executions);
        next = page.next;
      }
      answer.next = null;
      print(outputOf(globals()), answer, () => (answer.executions.length === 0 ? "No executions. Import a trace with `lamella import FILE`." : executionsTable(answer.executions)));
    });
}

// The id of the frame of this name: exactly, else the only one whose name holds it.
async function frameNamed(api: Api, query: Record<string, string | undefined>, name: string): Promise<string> {
  const { frames } = await api.call("flamegraph", { query: { ...query, max_nodes: String(limits.flamegraphNodesMax) } });
  const all = frames.id.flatMap((id, at) => (id === "" ? [] : [{ id, name: frames.name[at]!, kind: frames.kind[at]!, place: frames.modulePath[at] || frames.file[at] || frames.mapping[at] || "" }]));
  const exact = all.filter((frame) => frame.name === name || frame.id === name);
  const found = exact.length > 0 ? exact : all.filter((frame) => frame.name.toLowerCase().includes(name.toLowerCase()));
  if (found.length === 0) throw new CliError(`No frame of the selection is called "${name}". \`lamella flamegraph --search\` shows what is there.`, "not_found");
  if (found.length > 1) {
    const lines = found.slice(0, 10).map((frame) => `${frame.id} (${frame.kind} ${frame.name}${frame.place === "" ? "" : `, ${frame.place}`})`);
    throw new CliError(`${found.length} frames are called so; name one by its id: ${lines.join("; ")}${found.length > 10 ? `; and ${found.length - 10} more` : ""}`, "parameter_invalid");
  }
  return found[0]!.id;
}

function executionsTable(executions: readonly ExecutionSummary[]): string {
  const rows = executions.map((one) => [
    one.id.slice(0, 12), printable(one.name), printable(one.device), profileTypes[one.profileType].unit === "count" ? quantityText(one.totalValue, "count") : milliseconds(one.totalValue), profileTypes[one.profileType].label, one.importedAt.slice(0, 19).replace("T", " "),
    one.complete ? "" : `${one.parts.stored} of ${one.parts.of} parts`,
  ]);
  return table(["id", "name", "device", "total", "measures", "imported (UTC)", ""], rows, [3]);
}
