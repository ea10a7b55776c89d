// What `lamella import` says of a model_tree.json: the tree and its totals for people, the figures with --json. Names come from the file, so nothing is printed raw.
import { basename } from "node:path";
import { printable, printableLines } from "#core/printable.ts";
import { displayName } from "#core/shape/display-name.ts";
import { layoutId } from "#core/shape/layout.ts";
import { shapeTotals } from "#core/shape/totals.ts";
import { treeText } from "#core/shape/tree-text.ts";
import { weightDtypes } from "#core/shape/weight-dtypes.ts";
import type { ReadModel } from "./import-model-tree.ts";

export function readModelJson(read: ReadModel): object {
  const { tree, part } = read;
  const { parameters, weightBytes, modules, unsizedTensors } = shapeTotals(part.body);
  return {
    model: {
      name: shownName(read), architecture: part.body.architecture, rootClass: rootClass(read), modelKey: part.modelKey, shapeId: part.partHash, layoutId: layoutId(part.layout),
      parameters, weightBytes, modules, distinctModules: part.body.modules.length, unsizedTensors, dtypes: weightDtypes(part.body.modules)[part.body.root]!, aliases: part.body.aliases.length + part.layout.aliases.length,
    },
    notes: tree.notes,
  };
}

// `shown` undefined: it was only read.
export function readModelText(file: string, read: ReadModel, shown?: boolean): string {
  const { tree, part } = read;
  const id = part.partHash.slice(0, 12);
  const said = shown === undefined ? "read, not uploaded" : `imported as model ${id}`;
  const see = shown === undefined ? [] : [shown ? `  See it: lamella model ${id}` : "  The Models page is off: `lamella flag set models on` shows it"];
  const lines = printableLines(treeText(part.body, shownName(read))).trimEnd().split("\n");
  return [`${printable(basename(file))}: ${said}`, ...lines.map((line) => `  ${line}`), `  shape ${part.partHash} · model key ${part.modelKey}`, ...tree.notes.map((note) => `  note: ${printable(note)}`), ...see].join("\n");
}

function shownName(read: ReadModel): string {
  return displayName({ nameOrPath: read.name, architecture: read.part.body.architecture, rootClass: rootClass(read) });
}

function rootClass({ part: { body } }: ReadModel): string {
  return body.modules[body.root]!.className;
}
