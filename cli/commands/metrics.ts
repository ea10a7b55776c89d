// metrics list, show, import: what inference engines measure of themselves.
import type { Command } from "commander";
import { apiOf, type Globals, outputOf } from "../globals.ts";
import { importMetrics } from "../import-metrics.ts";
import { metricsImportText, metricsTable, seriesText } from "../metric-views.ts";
import { print } from "../output.ts";
import { agentVersion } from "../version.ts";

type Selection = { readonly from: string; readonly to: string; readonly engine?: string; readonly host?: string; readonly model?: string; readonly labels?: string };

export function metricCommands(program: Command, globals: () => Globals): void {
  const metrics = program.command("metrics").description("Metrics of inference engines: queues, tokens, latencies, caches").addHelpText("after", "\nExample:\n  lamella metrics list");
  selecting(metrics.command("list"), "-24h")
    .description("Which metrics were seen, where and when")
    .addHelpText("after", "\nExample:\n  lamella metrics list --engine vllm --from -7d")
    .action(async (selection: Selection) => {
      const answer = await apiOf(globals()).call("metrics", { query: selection });
      print(outputOf(globals()), answer, () => (answer.metrics.length > 0 ? metricsTable(answer.metrics) : `No engine metrics in this time range. ${answer.ingestedThrough === null ? "Nothing was ever ingested." : `Data is current to ${answer.ingestedThrough}.`} Import a dump: curl -s http://ENGINE/metrics > dump.txt && lamella metrics import dump.txt`));
    });

  selecting(metrics.command("show"), "-1h")
    .description("One metric over time; each engine by itself")
    .argument("<metric>", "e.g. ttft_seconds, see `lamella metrics list`")
    .option("--step <seconds>", "default: a round step that gives at most 250")
    .addHelpText("after", "\nExamples:\n  lamella metrics show kv_cache_usage_ratio\n  lamella metrics show ttft_seconds --from -24h --step 3600 --model Qwen/Qwen3-32B")
    .action(async (metric: string, selection: Selection & { step?: string }) => {
      const answer = await apiOf(globals()).call("metricSeries", { query: { metric, ...selection } });
      print(outputOf(globals()), answer, () => seriesText(answer));
    });

  metrics
    .command("import")
    .description("Import Prometheus dumps of one server, a vLLM or nvidia-smi CSV, or a vLLM log; the same files again count once")
    .argument("<files...>", "several dumps together tell rates, one alone only counts since the server started")
    .option("--host <name>", "where the engine ran; default: this machine")
    .addHelpText("after", "\nExample:\n  lamella metrics import before.txt after.txt --host node-7")
    .action(async (files: string[], { host }: { host?: string }) => {
      const output = outputOf(globals());
      const imported = await importMetrics(apiOf(globals()), files, { host, agentVersion, progress: (line) => void (output.json || process.stderr.write(`${line} …\n`)) });
      print(output, imported, () => metricsImportText(files, imported));
    });
}

function selecting(command: Command, from: string): Command {
  return command
    .option("--from <time>", "start: -1h, -7d, Unix seconds or ISO time", from)
    .option("--to <time>", "end", "now")
    .option("--engine <name>", "e.g. vllm")
    .option("--host <name>", "host the engine runs on")
    .option("--model <name>", "model name as the engine says it")
    .option("--labels <k=v,…>", "only series with all of these labels");
}
