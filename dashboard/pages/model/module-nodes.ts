// The visible rows of a module tree: folded siblings are one row, closed modules hide what is below. Rows are named by the path of their first copy.
// Invariant: rows come in registration order, parents before children; only what is asked for is unfolded, so a tree of 60,000 modules costs its distinct rows.
import { placeAliases } from "#core/shape/alias.ts";
import { aliasTree, branchesOfRuns, sharesText, type AliasTree } from "#core/shape/alias-tree.ts";
import { foldChildren, type Run } from "#core/shape/fold.ts";
import { attributeName } from "#core/module-path.ts";
import { joinPath } from "#core/shape/locate.ts";
import { SubtreeTotals, type Subtree } from "#core/shape/totals.ts";
import { weightDtypes } from "#core/shape/weight-dtypes.ts";
import type { ShapeBody } from "#schema/api/models.ts";
import { cutRuns, isOpen, withOpen, type TreeState } from "./tree-state.ts";

export type ModuleNode = {
  readonly path: string; // of the first copy; "" is the root
  readonly lastPath: string; // of the last copy; equal to `path` when there is one
  readonly label: string; // "self_attn", "layers.0 … layers.63"
  readonly className: string;
  readonly row: number; // of the shape's modules
  readonly repeat: number; // siblings folded into this row
  readonly copies: number; // paths this row stands for, folded ancestors included
  readonly level: number; // root 1
  readonly position: number; // among its siblings' rows, from 1
  readonly siblings: number;
  readonly open: boolean | null; // null: a leaf
  readonly parameters: number; // of one copy, everything below included
  readonly weightBytes: number;
  readonly submodules: number;
  readonly dtypes: readonly string[];
  readonly shares: string; // "shares model.embed_tokens.weight", "" when it shares nothing
};

export type ShapeFacts = {
  readonly body: ShapeBody;
  readonly totals: SubtreeTotals;
  readonly dtypes: readonly string[][];
  readonly aliases: AliasTree;
  readonly known: Map<string, ModuleNode>; // by path: the node as it was last; a node that has not changed is the same object, which is what saves drawing it anew
  readonly folded: (readonly Run[] | undefined)[]; // by row: its children folded, once it has been asked for
  readonly positions: (ReadonlyMap<string, number> | undefined)[]; // by row: name of a child → its place, likewise
};

// Once per shape.
export function shapeFacts(body: ShapeBody): ShapeFacts {
  return { body, totals: new SubtreeTotals(body), dtypes: weightDtypes(body.modules), aliases: aliasTree(placeAliases(body)), known: new Map(), folded: [], positions: [] };
}

export function moduleNodes(facts: ShapeFacts, modelName: string, state: TreeState): ModuleNode[] {
  const nodes: ModuleNode[] = [];
  const root: Run = { first: "", last: "", count: 1, module: facts.body.root, at: 0 };
  const open: Pending[] = [{ run: root, subtree: facts.totals.root, path: "", lastPath: "", level: 1, position: 1, siblings: 1, copies: 1, shared: [facts.aliases] }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const runs = runsBelow(facts, next.run.module, next.path, state);
    const opened = runs.length === 0 ? null : isOpen(state, next.path, next.level, facts.folded[next.run.module]!.length);
    nodes.push(nodeOf(facts, modelName, next, opened));
    if (opened === true) open.push(...childrenOf(facts.totals, next, runs).reverse());
  }
  return nodes;
}

// The rows below the module at `path`, which is of row `row`.
export function runsBelow(facts: ShapeFacts, row: number, path: string, state: TreeState): readonly Run[] {
  return cutRuns((facts.folded[row] ??= foldChildren(facts.body.modules[row]!.children)), path, state);
}

// What is open so that the row of `path` (any copy's path) is visible, and that row's own path; undefined when the shape has no such module.
export function reveal(facts: ShapeFacts, state: TreeState, path: string): { readonly state: TreeState; readonly path: string } | undefined {
  let shown = state;
  let row = facts.body.root;
  let at = "";
  let level = 1;
  for (const step of path === "" ? [] : path.split(".")) {
    const runs = runsBelow(facts, row, at, shown);
    const run = runOf(facts, row, runs, step);
    if (run === undefined) return undefined;
    shown = withOpen(shown, at, level, facts.folded[row]!.length, true);
    at = joinPath(at, run.first);
    row = run.module;
    level++;
  }
  return { state: shown, path: at };
}

// The row that a module's path (any copy's) is in, shown or not; undefined when the shape has no such module.
export function rowPath(facts: ShapeFacts, state: TreeState, path: string): string | undefined {
  let [at, row] = ["", facts.body.root];
  for (const step of path === "" ? [] : path.split(".")) {
    const run = runOf(facts, row, runsBelow(facts, row, at, state), step);
    if (run === undefined) return undefined;
    [at, row] = [joinPath(at, run.first), run.module];
  }
  return at;
}

// The row that the child `name` is in.
export function runOf(facts: ShapeFacts, row: number, runs: readonly Run[], name: string): Run | undefined {
  const names = (facts.positions[row] ??= new Map(facts.body.modules[row]!.children.map((child, at) => [child.name, at])));
  const position = names.get(name);
  return position === undefined ? undefined : runs.find((run) => position >= run.at && position < run.at + run.count);
}

type Pending = Pick<ModuleNode, "path" | "lastPath" | "level" | "position" | "siblings" | "copies"> & {
  readonly run: Run;
  readonly subtree: Subtree; // of the first copy
  readonly shared: readonly AliasTree[];
};

function childrenOf(totals: SubtreeTotals, parent: Pending, runs: readonly Run[]): Pending[] {
  const shared = branchesOfRuns(parent.shared, runs);
  return runs.map((run, at) => ({
    run,
    subtree: totals.child(parent.subtree, run.at),
    path: joinPath(parent.path, run.first),
    lastPath: joinPath(parent.lastPath, run.last),
    level: parent.level + 1,
    position: at + 1,
    siblings: runs.length,
    copies: parent.copies * run.count,
    shared: shared[at]!,
  }));
}

function nodeOf(
  facts: ShapeFacts,
  modelName: string,
  { run, subtree, path, lastPath, level, position, siblings, copies, shared }: Pending,
  open: boolean | null,
): ModuleNode {
  const known = facts.known.get(path);
  if (known?.open === open && known.lastPath === lastPath && known.copies === copies && known.position === position && known.siblings === siblings && (path !== "" || known.label === modelName)) return known;
  const [first, last] = [attributeName(path), attributeName(lastPath)];
  const totals = facts.totals.of(subtree);
  const node: ModuleNode = {
    path,
    lastPath,
    level,
    position,
    siblings,
    copies,
    open,
    label: path === "" ? modelName : run.count === 1 ? first : `${first} … ${last}`,
    className: facts.body.modules[run.module]!.className,
    row: run.module,
    repeat: run.count,
    parameters: totals.parameters,
    weightBytes: totals.weightBytes,
    submodules: totals.modules - 1,
    dtypes: facts.dtypes[run.module]!,
    shares: sharesText(shared, copies),
  };
  facts.known.set(path, node);
  return node;
}
