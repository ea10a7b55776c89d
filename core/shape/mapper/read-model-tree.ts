// model_tree.json of vllm_arch_map → the structure of a model, what is known of its identity, and in words what the file cannot say. Source text, file paths and
// settings of modules are read over: they are no part of a shape, so they never leave the machine.
import type { ShapeBody } from "#schema/api/models.ts";
import { isNestedTooDeep, nestingProblem } from "../../json-nesting.ts";
import { parseJson } from "../../json-text.ts";
import { err, ok, type Result } from "../../result.ts";
import { decodeUtf8 } from "../../utf8.ts";
import { exactText } from "../number-text.ts";
import { configDigest } from "./config-digest.ts";
import { type JsonRecord, listOf, recordOf, textOf } from "./json-fields.ts";
import { readModules, type ModulesRead } from "./read-modules.ts";
import { Refused } from "./refused.ts";
import { tiesOf } from "./tied-weights.ts";

export interface ModelTree {
  nameOrPath: string; // "" when the file does not say, as the next three
  architecture: string;
  quantisation: string;
  configDigest: string;
  body: ShapeBody;
  notes: string[];
}

const version = 2;

// `json`: the whole file, gzip undone. The error says what is wrong and where.
export function readModelTree(json: Uint8Array): Result<ModelTree, string> {
  if (isNestedTooDeep(json)) return err(nestingProblem);
  const text = decodeUtf8(json).replace(/^\uFEFF/, "");
  const parsed = parseJson(text);
  if (!parsed.ok) return err(`a model_tree.json that cannot be parsed as JSON (${parsed.error})`);
  const document = recordOf(parsed.value);
  const tree = recordOf(document?.["tree"]);
  if (document === undefined || tree === undefined) return err(`a model_tree.json without a tree: "tree" must be an object of modules, and it is ${document?.["tree"] === undefined ? "missing" : "something else"}`);
  try {
    return ok(modelOf(document, tree, configDigest(text)));
  } catch (error) {
    if (error instanceof Refused) return err(`a model_tree.json with a fault at ${error.message}`);
    throw error;
  }
}

function modelOf(document: JsonRecord, tree: JsonRecord, digest: string): ModelTree {
  const config = recordOf(document["config"]) ?? {};
  const quantisation = recordOf(config["quantization_config"]) ?? {};
  const bits = quantisation["bits"] ?? quantisation["w_bit"];
  const read = readModules(tree, Number.isInteger(bits) ? (bits as number) : 0);
  const name = nameOf(textOf(document["model"]) || textOf(config["_name_or_path"]));
  const written = writtenAliases(document);
  const ties = written === undefined ? tiesOf(config, read.weights) : { aliases: written, notes: [] };
  const architecture = textOf(listOf(config["architectures"])[0]);
  return {
    nameOrPath: name.name, architecture, quantisation: textOf(quantisation["quant_method"]), configDigest: digest,
    body: { architecture, ...read.body, aliases: ties.aliases },
    notes: [
      ...(document["schema_version"] === version ? [] : [`schema_version is ${JSON.stringify(document["schema_version"])?.slice(0, 40) ?? "missing"}, and ${version} is known: it was read as ${version}`]),
      ...name.notes, ...ties.notes, ...(written === undefined ? [unmarked] : []), ...treeNotes(read), ...leftOut(read, listOf(document["invocations"]).length),
    ],
  };
}

const unmarked = "The format does not mark what is shared: a module under two names is listed once, a tensor under two names counts twice unless a note here says otherwise";

// A path of the machine the model was read on stays there: only its last part is the model's name.
function nameOf(written: string): { name: string; notes: string[] } {
  if (!/^([/\\~]|file:|[A-Za-z]:[\\/])/.test(written)) return { name: written, notes: [] };
  const name = written.split(/[/\\]/).findLast((step) => step !== "") ?? "";
  return { name, notes: [`The model is named by a path of the machine it was read on; "${name}" stands for it, --name gives another name`] };
}

// Lamella's own addition to the format (write-model-tree.ts).
function writtenAliases({ aliases }: JsonRecord): ShapeBody["aliases"] | undefined {
  if (aliases === undefined) return undefined;
  return listOf(aliases).map((alias, i) => {
    const [path, target] = [textOf(recordOf(alias)?.["path"]), textOf(recordOf(alias)?.["target"])];
    if (path === "" || target === "") throw new Refused(`aliases[${i}]: a path and a target are needed`);
    return { path, target };
  });
}

function treeNotes({ misplaced, unsized, packing }: ModulesRead): string[] {
  const more = (count: number): string => (count > 1 ? ` and ${exactText(count - 1)} more` : "");
  return [
    ...(misplaced.count > 0 ? [`${misplaced.first}${more(misplaced.count)}: the path is not where the module stands in the tree; the tree was taken`] : []),
    ...[...packing].map(([note, { count, first }]) => `${first}${more(count)}: ${note}`),
    ...(unsized.size > 0 ? [`Without a known size, so they count no bytes: ${[...unsized].slice(0, 10).join(", ")}${unsized.size > 10 ? `${more(unsized.size - 9)} dtypes` : ""}`] : []),
  ];
}

function leftOut({ left }: ModulesRead, invocations: number): string[] {
  const counted = (count: number, word: string): string => `${exactText(count)} ${word}${count === 1 ? "" : "s"}`;
  const told = [
    ...(left.settings > 0 ? [`settings of ${counted(left.settings, "module")}`] : []), ...(left.implementations > 0 ? [`implementations of ${counted(left.implementations, "module")}`] : []),
    ...(left.sources > 0 ? [`source text and file paths of ${counted(left.sources, "module")}`] : []), ...(invocations > 0 ? [counted(invocations, "invocation")] : []),
  ];
  return told.length === 0 ? [] : [`A shape has no place for these, and they are not sent: ${told.join(", ")}`];
}

