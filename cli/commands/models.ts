// models, model: what ran, and how it is built.
import { type Command, Option } from "commander";
import { printable } from "#core/printable.ts";
import { compareText } from "#core/shape/compare/compare-text.ts";
import { memoryText } from "#core/shape/memory/memory-text.ts";
import { bytesText, countText, exactText } from "#core/shape/number-text.ts";
import { modelTreeText } from "#core/shape/mapper/write-model-tree.ts";
import { shapeTable } from "#core/shape/table-text.ts";
import { treeText } from "#core/shape/tree-text.ts";
import { modelColumns, type ModelRow, type ModelsList, type ShapeBody } from "#schema/api/models.ts";
import type { Api } from "../api.ts";
import { CliError } from "../cli-error.ts";
import { apiOf, type Globals, outputOf } from "../globals.ts";
import { findText, moduleText } from "../model-views.ts";
import { type Output, print, table, writeDocument } from "../output.ts";

type ModelOptions = {
  readonly from: string; readonly tensors?: boolean; readonly module?: string; readonly find?: string; readonly compare?: string; readonly memory?: boolean; readonly modelTree?: string;
  readonly tp?: string; readonly pp?: string; readonly ep?: string; readonly kvBytes?: string; readonly layout?: string;
};

export function modelCommands(program: Command, globals: () => Globals): void {
  program
    .command("models")
    .description("Models seen in a time range, latest first")
    .option("--from <time>", "seen since", "-24h")
    .option("--to <time>", "seen before", "now")
    .option("--filter <filter>", 'e.g. cluster.name == "prod-eu"')
    .option("--sort <column>", `${modelColumns.join(", ")}; a - before it for descending, written --sort=-parameters`, "-lastSeen")
    .addHelpText("after", "\nExamples:\n  lamella models --from -7d\n  lamella models --sort=-weightBytes")
    .action(async ({ from, to, filter, sort }: { from: string; to: string; filter?: string; sort: string }) => {
      const answer = await apiOf(globals()).call("models", { query: { from, to, filter, sort } });
      print(outputOf(globals()), answer, () => {
        if (answer.models.length > 0) return modelsTable(answer.models) + (answer.next ? "\nMore models were seen; narrow the range or the filter." : "");
        return answer.ingestedThrough === null
          ? "No models seen in this time range. Nothing was ever ingested: send a model with `python -m lamella.walk`, or start a process with model shapes on."
          : `No models seen in this time range. Data is current to ${answer.ingestedThrough}. Either no profiled process loaded a PyTorch model, or model shapes are not switched on for it.`;
      });
    });

  program
    .command("model")
    .description("One model: totals and the module tree, or one of the views below")
    .argument("<name-or-id>", "the model's name, or its id (6 digits are enough)")
    .option("--text", "the tree as indented text (the default)")
    .addOption(new Option("--tensors", "the tree as a table with every tensor: dims, dtype, parameters, bytes").conflicts(["module", "find", "compare", "memory"]))
    .addOption(new Option("--module <path>", "one module: totals, copies, precision, its tensors").conflicts(["find", "compare", "memory"]))
    .addOption(new Option("--find <words>", "modules by name, class, path or dtype; /…/ is a regular expression").conflicts(["compare", "memory"]))
    .addOption(new Option("--compare <name-or-id>", "what changed from this model to that one").conflicts(["memory"]))
    .option("--memory", "weight bytes per rank and KV-cache bytes per token")
    .option("--tp <n>", "with --memory: tensor-parallel size")
    .option("--pp <n>", "with --memory: pipeline stages")
    .option("--ep <n>", "with --memory: ranks the experts are spread over")
    .option("--kv-bytes <n>", "with --memory: bytes of one cached element, e.g. 1 for an FP8 cache")
    .option("--layout <id>", "with --module or --memory: a layout of the model (6 digits are enough); default: the one stored last")
    .addOption(new Option("--model-tree <file>", "write model_tree.json, the structure as vllm_arch_map's viewer reads it; - for stdout").conflicts(["text", "tensors", "module", "find", "compare", "memory"]))
    .option("--from <time>", "seen since", "-90d")
    .addHelpText("after", [
      "", "Examples:", "  lamella model Qwen/Qwen3-32B", "  lamella model Qwen/Qwen3-32B --find 'layers.17 proj'", "  lamella model Qwen/Qwen3-32B --module model.layers.0.self_attn.q_proj",
      "  lamella model Qwen/Qwen3-32B --compare Qwen/Qwen3-32B-AWQ", "  lamella model Qwen/Qwen3-32B --memory --tp 8 --pp 2",
      "  lamella model Qwen/Qwen3-32B --model-tree model_tree.json",
    ].join("\n"))
    .action(async (wanted: string, options: ModelOptions) => {
      const api = apiOf(globals());
      const output = outputOf(globals());
      if (!options.memory && [options.tp, options.pp, options.ep, options.kvBytes].some((one) => one !== undefined)) throw new CliError("--tp, --pp, --ep and --kv-bytes belong to --memory.", "parameter_invalid");
      if (options.layout !== undefined && !options.memory && options.module === undefined) throw new CliError("--layout belongs to --module or --memory.", "parameter_invalid");
      const model = await storedModel(api, wanted, options.from);
      const params = { id: model.shapeId };
      const layout = options.layout === undefined ? undefined : await layoutByPrefix(api, model, options.layout, options.from);
      if (options.module !== undefined) {
        const detail = await api.call("shapeModule", { params, query: { path: options.module, layout } });
        return print(output, detail, () => moduleText(detail));
      }
      if (options.find !== undefined) {
        const found = await api.call("shapeFind", { params, query: { q: options.find } });
        return print(output, found, () => findText(found));
      }
      if (options.compare !== undefined) {
        const other = await storedModel(api, options.compare, options.from);
        const comparison = await api.call("shapeCompare", { query: { a: model.shapeId, b: other.shapeId } });
        return print(output, comparison, () => compareText(comparison, { a: model.name, b: other.name }));
      }
      if (options.memory) {
        const { tp, pp, ep, kvBytes } = options;
        const memory = await api.call("shapeMemory", { params, query: { tp, pp, ep, kvDtypeBytes: kvBytes, layout } });
        return print(output, memory, () => `${printable(model.name)}\n${memoryText(memory)}`);
      }
      const detail = await api.call("shape", { params });
      if (options.modelTree !== undefined) return writeModelTree(output, detail.shape, model.name, options.modelTree);
      if (!options.tensors) return print(output, { model, ...detail }, () => `${headText(model)}\n\n${treeText(detail.shape, model.name)}`);
      const whole = shapeTable(detail.shape, model.name);
      if (!whole.ok) throw new CliError(`${whole.error}.`, "limit_exceeded");
      return print(output, { model, ...detail }, () => whole.value);
    });
}

function writeModelTree(output: Output, shape: ShapeBody, modelName: string, file: string): void {
  const text = modelTreeText(shape, modelName);
  if (!text.ok) throw new CliError(`${text.error}.`, "limit_exceeded");
  writeDocument(output, file, Buffer.concat(text.value));
}

type StoredModel = ModelRow & { readonly shapeId: string };

async function storedModel(api: Api, wanted: string, from: string): Promise<StoredModel> {
  const found: ModelRow[] = [];
  let query: { from: string; to?: string; cursor?: string } | null = { from };
  while (query !== null) {
    const { models, next, range }: ModelsList = await api.call("models", { query: { ...query, limit: "500" } });
    found.push(...models.filter((one) => one.name === wanted || (/^[0-9a-f]{6,64}$/.test(wanted) && (one.id.startsWith(wanted) || one.modelKeys.some((key) => key.startsWith(wanted))))));
    query = next === null ? null : { from: range.from, to: range.to, cursor: next };
  }
  if (found.length === 0) throw new CliError(`No model "${wanted}" was seen since ${from}. \`lamella models --from ${from}\` lists those that were.`, "model_not_found");
  if (found.length > 1) throw new CliError(`${found.length} models are called "${wanted}"; name one by its id:`, "model_ambiguous", modelsTable(found));
  const model = found[0]!;
  if (model.shapeId === null) {
    const { problem } = await api.call("model", { params: { id: model.id }, query: { from } });
    const why = problem === null ? "The model was reported but its module tree has not been ingested. Retry shortly." : `Of its pipeline, ${problem}.`;
    throw new CliError(`Shape not stored yet. ${why}`, "shape_not_stored");
  }
  return model as StoredModel;
}

async function layoutByPrefix(api: Api, model: StoredModel, prefix: string, from: string): Promise<string> {
  const { layouts } = await api.call("model", { params: { id: model.shapeId }, query: { from } });
  const found = layouts.filter(({ layoutId }) => layoutId.startsWith(prefix));
  if (found.length === 1) return found[0]!.layoutId;
  const known = layouts.map(({ layoutId, tp, pp, ep }) => `${layoutId.slice(0, 12)} (TP ${tp}, PP ${pp}, EP ${ep})`).join(", ");
  throw new CliError(`${found.length === 0 ? "No layout" : `${found.length} layouts`} of ${model.name} begin with ${prefix}; it has ${known || "none"}.`, "not_found");
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
