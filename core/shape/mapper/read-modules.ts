// The tree of a model_tree.json → the rows of a shape. Equal modules become one row as they are read, so 200,000 of them cost what is different in them; an explicit
// stack, so depth costs none of ours.
// The file puts the root beside its own children: an entry "__root__" among the children of a synthetic node. Here it is what holds them.
import type { ModuleRow, ShapeBody } from "#schema/api/models.ts";
import { limits } from "#schema/limits.ts";
import { joinPath } from "../locate.ts";
import { ModuleTable } from "../module-table.ts";
import { hasEntries, type JsonRecord, recordOf, textOf } from "./json-fields.ts";
import { readTensors, type TensorNotes } from "./read-tensors.ts";
import { refuse, refuseOver, withinName } from "./refused.ts";
import { type NamedWeight, namedWeight } from "./tied-weights.ts";

export const rootName = "__root__";

export interface ModulesRead {
  body: Pick<ShapeBody, "modules" | "root">;
  modules: number; // in the tree
  weights: NamedWeight[]; // that may be tied
  left: { settings: number; implementations: number; sources: number }; // modules that have some, which a shape has no place for
  misplaced: { count: number; first: string }; // nodes whose path is not where they stand
  unsized: Set<string>; // dtypes without a known size
  packing: Map<string, { count: number; first: string }>; // by note
}

interface OpenModule {
  name: string;
  path: string;
  below: readonly unknown[];
  next: number;
  names: Set<string>; // of the children read
  row: ModuleRow;
}

// `configBits`: the width that the model's quantisation configuration names; 0 = none.
export function readModules(tree: JsonRecord, configBits: number): ModulesRead {
  return new ModulesReader(configBits).read(tree);
}

class ModulesReader {
  private readonly table = new ModuleTable();
  private readonly found: ModulesRead = {
    body: { modules: this.table.modules, root: 0 }, modules: 0, weights: [], left: { settings: 0, implementations: 0, sources: 0 },
    misplaced: { count: 0, first: "" }, unsized: new Set(), packing: new Map(),
  };
  private readonly configBits: number;
  private readonly notes: TensorNotes = {
    unsized: (dtype) => void this.found.unsized.add(dtype),
    packing: (path, note) => {
      const known = this.found.packing.get(note);
      if (known === undefined) this.found.packing.set(note, { count: 1, first: path });
      else known.count++;
    },
  };

  constructor(configBits: number) {
    this.configBits = configBits;
  }

  read(tree: JsonRecord): ModulesRead {
    const { node, below } = rootOf(tree);
    const open = [this.module(node, "", "", below)];
    for (let top = open[0]; top !== undefined; top = open.at(-1)) {
      if (top.next < top.below.length) {
        if (open.length >= limits.moduleDepthMax) refuseOver(top.path, "levels with the root", open.length + 1, "moduleDepthMax");
        open.push(this.child(top));
        continue;
      }
      const module = this.table.intern(top.row);
      if (this.table.modules.length > limits.modulesPerShapeMax) refuseOver(top.path, "distinct modules until here", this.table.modules.length, "modulesPerShapeMax");
      open.pop();
      const parent = open.at(-1);
      if (parent === undefined) this.found.body.root = module;
      else parent.row.children.push({ name: top.name, module });
    }
    return this.found;
  }

  private child(parent: OpenModule): OpenModule {
    const at = parent.next++;
    const node = recordOf(parent.below[at]) ?? refuse(parent.path, `child ${at} is no module: an object with name and class is needed`);
    const written = textOf(node["path"]);
    const name = withinName(textOf(node["name"]) || written.slice(written.lastIndexOf(".") + 1), parent.path, `the name of child ${at}`);
    if (name === "") refuse(parent.path, `child ${at} has no name`);
    if (parent.names.has(name)) refuse(parent.path, `two of its children are called "${name.slice(0, 200)}"`);
    parent.names.add(name);
    const path = joinPath(parent.path, name);
    if (written !== "" && written !== path && this.found.misplaced.count++ === 0) this.found.misplaced.first = written;
    return this.module(node, name, path, childrenOf(node, path));
  }

  private module(node: JsonRecord, name: string, path: string, below: readonly unknown[]): OpenModule {
    const { found } = this;
    if (++found.modules > limits.modulesInTreeMax) refuseOver(path, "modules until here", found.modules, "modulesInTreeMax");
    const className = withinName(textOf(node["class"]), path, "its class");
    if (className === "") refuse(path, "the module has no class");
    const tensors = readTensors(node, path, this.configBits, this.notes);
    const weight = namedWeight(className, name, path, tensors, found.weights.length);
    if (weight !== undefined) found.weights.push(weight);
    countLeft(found.left, node);
    return { name, path, below, next: 0, names: new Set(), row: { className, tensors, children: [] } };
  }
}

// The first child "__root__" holds its siblings; a tree that has a class is the root itself.
function rootOf(tree: JsonRecord): { node: JsonRecord; below: readonly unknown[] } {
  const children = childrenOf(tree, "tree");
  if (textOf(tree["class"]) !== "") return { node: tree, below: children };
  const place = children.findIndex((child) => [rootName, ""].includes(textOf(recordOf(child)?.["path"] ?? recordOf(child)?.["name"] ?? "?")));
  if (place < 0) refuse("tree", `it has no class, and no child "${rootName}" that would have the model's own`);
  const node = recordOf(children[place])!;
  return { node, below: [...childrenOf(node, rootName), ...children.filter((_, i) => i !== place)] };
}

function childrenOf(node: JsonRecord, place: string): readonly unknown[] {
  const children = node["children"] ?? [];
  return Array.isArray(children) ? children : refuse(place, "its children are no list");
}

function countLeft(left: ModulesRead["left"], node: JsonRecord): void {
  if (hasEntries(node["config"])) left.settings++;
  if (hasEntries(node["implementations"])) left.implementations++;
  if (hasSource(node["init"]) || hasSource(node["forward"])) left.sources++;
}

// An analysis that failed has evidence "unavailable" and nothing else.
function hasSource(analysis: unknown): boolean {
  const record = recordOf(analysis);
  return textOf(record?.["source"]) !== "" || textOf(record?.["source_file"]) !== "" || hasEntries(record?.["operations"]);
}
