// import, flamegraph, executions: profiles in and out.
import { basename } from "node:path";
import type { Command } from "commander";
import { foldedText } from "#core/flamegraph/folded.ts";
import { parseSearch } from "#core/flamegraph/search.ts";
import { flamegraphText } from "#core/flamegraph/text.ts";
import { headline, milliseconds, reportLines } from "#core/trace/report.ts";
import type { ExecutionSummary } from "#schema/api/executions.ts";
import { profileTypes } from "#schema/frame-kinds.ts";
import { CliError } from "../cli-error.ts";
import { type Imported, importFile } from "../import.ts";
import { printable } from "#core/printable.ts";
import { print, table } from "../output.ts";
import { apiOf, collect, outputOf, type Globals } from "../globals.ts";
import { agentVersion } from "../version.ts";

export function profileCommands(program: Command, globals: () => Globals): void {
  program
    .command("import")
    .description("Import PyTorch profiler traces (Chrome trace JSON, also .gz); the same file again is answered, not stored twice")
    .argument("<files...>", "trace files")
    .option("--name <name>", "shown name; default: the file's name")
    .option("--tag <key:value>", "user tag, repeatable", collect, [])
    .option("--job-tag <tag>", "job tag, e.g. the branch")
    .option("--host <name>", "host the trace was recorded on; default: this one")
    .option("--again", "store it as a new execution even if it is there already")
    .addHelpText("after", "\nExample:\n  lamella import trace.json.gz --tag env:lab")
    .action(async (files: string[], options: { name?: string; tag: string[]; jobTag?: string; host?: string; again?: boolean }) => {
      const api = apiOf(globals());
      const output = outputOf(globals());
      const context = { ...(options.tag.length ? { userTags: options.tag } : {}), ...(options.jobTag ? { jobTag: options.jobTag } : {}), ...(options.host ? { hostName: options.host } : {}) };
      const results: { file: string; imported: Imported }[] = [];
      for (const file of files) {
        const progress = (line: string) => void (output.json || process.stderr.write(`${line} …\n`));
        const imported = await importFile(api, file, { name: options.name, again: options.again, context, agentVersion, progress });
        results.push({ file, imported });
        if (!output.json) process.stdout.write(`${importText(file, imported)}\n`);
      }
      if (output.json) print(output, results.map(({ file, imported }) => ({ file, ...importJson(imported) })), () => "");
    });

  program
    .command("flamegraph")
    .description("The flamegraph of a selection: as a text tree, folded stacks, or JSON")
    .option("--text", "indented text tree (the default)")
    .option("--folded", "folded stacks, one line each, for other flamegraph tools")
    .option("--search <text>", "show only the paths to frames that match: substring, /regex/, comma = or")
    .option("--from <time>", "start: -1h, -7d, Unix seconds or ISO time", "-1h")
    .option("--to <time>", "end", "now")
    .option("--filter <filter>", 'e.g. host.name == "node-7"')
    .option("--type <type>", `profile type: ${Object.keys(profileTypes).join(", ")}`)
    .option("--execution <id>", "an execution id (12 digits are enough), latest, or live")
    .option("--layers <show|hide>", "show or hide Model Layer frames")
    .option("--hide <kinds>", "frame kinds to take out of every stack, comma-separated")
    .option("--max-nodes <n>", "nodes before small ones go into (other)")
    .option("--under <percent>", "without a search: children under this share are shown as one line", "0.5")
    .addHelpText("after", "\nExamples:\n  lamella flamegraph --search Attention\n  lamella flamegraph --layers hide --from -24h --filter 'k8s.namespace.name == \"inference\"'")
    .action(async (options: Record<string, string | undefined>) => {
      const api = apiOf(globals());
      const execution = options.execution && /^[0-9a-f]{6,63}$/.test(options.execution) ? await executionByPrefix(api, options.execution) : options.execution;
      const { from, to, filter, type, layers, hide, maxNodes } = options;
      const graph = await api.call("flamegraph", { query: { from, to, filter, type, execution, layers, hide, max_nodes: maxNodes } });
      const search = options.search === undefined ? undefined : parseSearch(options.search);
      if (search && search.problems.length > 0) throw new CliError(search.problems.map((problem) => problem.message).join("; "), "search_invalid");
      const underShare = Number(options.under) / 100;
      if (!(underShare >= 0 && underShare <= 1)) throw new CliError(`--under is "${options.under}"; write a percentage from 0 to 100.`, "parameter_invalid");
      print(outputOf(globals()), graph, () => (options.folded ? foldedText(graph) : flamegraphText(graph, { ...(search ? { search } : {}), underShare })));
    });

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

async function executionByPrefix(api: ReturnType<typeof apiOf>, prefix: string): Promise<string> {
  const { executions: found } = await api.call("executions", { query: { from: "-90d", prefix } });
  if (found.length === 1) return found[0]!.id;
  throw new CliError(found.length === 0 ? `No execution begins with ${prefix}; see \`lamella executions\`.` : `${found.length} executions begin with ${prefix}; write more digits.`, "not_found");
}

function importText(file: string, imported: Imported): string {
  const id = imported.executionId.slice(0, 12);
  const shown = printable(basename(file));
  if (imported.known) return `${shown}: already imported as ${id} on ${imported.known.importedAt} (${printable(imported.known.name)}). Use --again to store it once more.\n${summaryText(imported.known)}`;
  const [where, , ...rest] = reportLines(imported.execution);
  return [`${shown}: imported as ${id}`, `  ${headline(imported.execution)}`, ...[where!, ...rest].map((line) => `  ${line}`), `  See it: lamella flamegraph --execution ${id}`].join("\n");
}

function importJson(imported: Imported): object {
  if (imported.known) return { executionId: imported.executionId, alreadyImported: true, ...imported.known };
  const { profileType, device, pathSource, totals, gaps, notes, events } = imported.execution;
  return { executionId: imported.executionId, alreadyImported: false, profileType, device, pathSource, totals, gaps, notes, events, parts: imported.parts };
}

function summaryText(one: ExecutionSummary): string {
  const share = one.totalValue === 0 ? 0 : (100 * one.moduleValue) / one.totalValue;
  const gaps = one.gaps.map((gap) => ` · ${gap.kernels.toLocaleString("en-US")} (${milliseconds(gap.value)}) ${printable(gap.reason)}`).join("");
  return `  ${one.kernels.toLocaleString("en-US")} ${one.profileType === "cuda" ? "kernels" : "operator calls"} · ${milliseconds(one.totalValue)} ${profileTypes[one.profileType].label} · ${milliseconds(one.moduleValue)} (${share.toFixed(1)} %) inside modules${gaps}`;
}

function executionsTable(executions: readonly ExecutionSummary[]): string {
  const rows = executions.map((one) => [
    one.id.slice(0, 12), printable(one.name), printable(one.device), milliseconds(one.totalValue), profileTypes[one.profileType].label, one.importedAt.slice(0, 19).replace("T", " "),
    one.complete ? "" : `${one.parts.stored} of ${one.parts.of} parts`,
  ]);
  return table(["id", "name", "device", "total", "measures", "imported (UTC)", ""], rows, [3]);
}
