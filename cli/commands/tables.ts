// top, timeline: what a selection's time goes to, and when.
import { type Command, Option } from "commander";
import { timelineText } from "#core/flamegraph/tables/timeline-text.ts";
import { copiesText, topText } from "#core/flamegraph/tables/top-text.ts";
import { type RankedBy, rankedBy } from "#schema/ranked-by.ts";
import { CliError } from "../cli-error.ts";
import { apiOf, type Globals, outputOf } from "../globals.ts";
import { print } from "../output.ts";
import { type Selection, selecting, selectionOf } from "../selection.ts";

const barsMax = 120;

export function tableCommands(program: Command, globals: () => Globals): void {
  selecting(program.command("top"))
    .description("What the time goes to: functions, kernels, modules, classes, layers, kernel categories or frames, heaviest first")
    .addOption(new Option("--by <what>", "what a row is").choices([...rankedBy]).default("function"))
    .addOption(new Option("--sort <column>", "by all that a row contains, or by what is its own").choices(["total", "self"]).default("total"))
    .option("--module <path>", "instead: the copies of one module, * for any index, and which is the slow one")
    .option("--limit <n>", "rows", "30")
    .addHelpText("after", "\nExamples:\n  lamella top --by kernel\n  lamella top --by layer --filter 'k8s.namespace.name == \"inference\"' --from -24h\n  lamella top --module 'model.layers.*.mlp'")
    .action(async ({ by, sort, module, limit, ...selection }: Selection & { by: RankedBy; sort: string; module?: string; limit: string }, command: Command) => {
      const api = apiOf(globals());
      const query = { ...(await selectionOf(api, selection)), limit };
      if (module === undefined) {
        const answer = await api.call("flamegraphTop", { query: { ...query, by, sort } });
        return print(outputOf(globals()), answer, () => topText(answer));
      }
      const rankings = ["by", "sort"].filter((name) => command.getOptionValueSource(name) === "cli");
      if (rankings.length > 0) throw new CliError(`--${rankings[0]} ranks what is different; the copies of a module are ranked by their time. Leave it or --module out.`, "parameter_invalid");
      const answer = await api.call("moduleFrames", { query: { ...query, module_path: module } });
      return print(outputOf(globals()), answer, () => copiesText(answer));
    });

  selecting(program.command("timeline"))
    .description("A selection over time, as a line of bars")
    .option("--search <text>", "only stacks with a frame that matches: substring, /regex/, comma = or")
    .option("--step <seconds>", "default: a minute, more for long ranges")
    .addHelpText("after", "\nExamples:\n  lamella timeline --from -24h\n  lamella timeline --search Attention --step 300 --from -6h")
    .action(async ({ search, step, ...selection }: Selection & { search?: string; step?: string }) => {
      const api = apiOf(globals());
      const answer = await api.call("flamegraphTimeline", { query: { ...(await selectionOf(api, selection)), search, step } });
      print(outputOf(globals()), answer, () => timelineText(answer, Math.min(barsMax, process.stdout.columns ?? barsMax)));
    });
}
