// models, model: what ran, and how it is built.
import type { Command } from "commander";
import { bytesText, countText, exactText } from "#core/shape/number-text.ts";
import { treeText } from "#core/shape/tree-text.ts";
import type { ModelRow } from "#schema/api/models.ts";
import { CliError } from "../cli-error.ts";
import { apiOf, type Globals, outputOf } from "../globals.ts";
import { printable } from "#core/printable.ts";
import { print, table } from "../output.ts";

export function modelCommands(program: Command, globals: () => Globals): void {
  program
    .command("models")
    .description("Models seen in a time range, latest first")
    .option("--from <time>", "seen since", "-24h")
    .option("--to <time>", "seen before", "now")
    .option("--filter <filter>", 'e.g. cluster.name == "prod-eu"')
    .addHelpText("after", "\nExample:\n  lamella models --from -7d")
    .action(async ({ from, to, filter }: { from: string; to: string; filter?: string }) => {
      const answer = await apiOf(globals()).call("models", { query: { from, to, filter } });
      print(outputOf(globals()), answer, () => {
        if (answer.models.length > 0) return modelsTable(answer.models) + (answer.next ? "\nMore models were seen; narrow the range or the filter." : "");
        return answer.ingestedThrough === null
          ? "No models seen in this time range. Nothing was ever ingested: send a model with `python -m lamella.walk`, or start a process with model shapes on."
          : `No models seen in this time range. Data is current to ${answer.ingestedThrough}. Either no profiled process loaded a PyTorch model, or model shapes are not switched on for it.`;
      });
    });

  program
    .command("model")
    .description("One model: totals and the module tree")
    .argument("<name-or-id>", "the model's name, or its id (6 digits are enough)")
    .option("--text", "the tree as indented text (the default)")
    .option("--from <time>", "seen since", "-90d")
    .addHelpText("after", "\nExample:\n  lamella model Qwen/Qwen3-32B")
    .action(async (wanted: string, { from }: { from: string }) => {
      const api = apiOf(globals());
      const { models } = await api.call("models", { query: { from, limit: "500" } });
      const found = models.filter((one) => one.name === wanted || (/^[0-9a-f]{6,64}$/.test(wanted) && (one.id.startsWith(wanted) || one.modelKeys.some((key) => key.startsWith(wanted)))));
      if (found.length === 0) throw new CliError(`No model "${wanted}" was seen since ${from}. \`lamella models --from ${from}\` lists those that were.`, "model_not_found");
      if (found.length > 1) throw new CliError(`${found.length} models are called "${wanted}"; name one by its id:\n${modelsTable(found)}`, "model_ambiguous");
      const model = found[0]!;
      if (model.shapeId === null) {
        const missing = model.missingStages.length > 0 ? ` Pipeline stages ${model.missingStages.join(", ")} are missing.` : "";
        throw new CliError(`Shape not stored yet.${missing} The model was reported but its module tree has not been ingested. Retry shortly.`, "shape_not_stored");
      }
      const detail = await api.call("shape", { params: { id: model.shapeId } });
      print(outputOf(globals()), { model, ...detail }, () => `${headText(model)}\n\n${treeText(detail.shape, model.name)}`);
    });
}

function headText(model: ModelRow): string {
  return [
    printable(model.name) + (model.architecture && model.architecture !== model.name ? `  (${printable(model.architecture)})` : ""),
    `${exactText(model.parameters ?? 0)} parameters · ${bytesText(model.weightBytes ?? 0)} of weights · ${exactText(model.modules ?? 0)} modules`,
    `${counted(model.hosts, "host")} · ${counted(model.machines, "machine")} · ${counted(model.processes, "process")} · ${parallelText(model)} · first seen ${model.firstSeen} · last seen ${model.lastSeen}`,
    `shape ${model.shapeId}`,
  ].join("\n");
}

function counted(count: number, word: string): string {
  return `${exactText(count)} ${word}${count === 1 ? "" : word.endsWith("s") ? "es" : "s"}`;
}

function parallelText(model: ModelRow): string {
  return model.parallelism.map(({ tp, pp }) => [tp > 1 ? `TP ${tp}` : "", pp > 1 ? `PP ${pp}` : ""].filter(Boolean).join(" ")).join(", ") || "—";
}

function modelsTable(models: readonly ModelRow[]): string {
  const rows = models.map((one) => [
    one.id.slice(0, 12), printable(one.name), printable(one.architecture), one.parameters === null ? "not stored yet" : exactText(one.parameters),
    one.parameters === null ? "" : countText(one.parameters), one.modules === null ? "" : exactText(one.modules), String(one.hosts), String(one.processes), parallelText(one), one.lastSeen.slice(0, 19).replace("T", " "),
  ]);
  return table(["id", "model", "architecture", "parameters", "", "modules", "hosts", "processes", "parallelism", "last seen (UTC)"], rows, [3, 4, 5, 6, 7]);
}
