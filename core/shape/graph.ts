// The module tree as flat arrays in pre-order: what a page draws, lists and searches without an object a module. A node's children follow it, so its subtree
// is one slice; the root is node 0. Folded, runs of equal siblings are one node; expanded, every path is one. Linear in nodes, 61 bytes each; depth costs
// no stack.
// Invariant: parameters and bytes are those of totals.ts, shared tensors once; of a folded node, those of its first copy.
import type { ShapeBody } from "#schema/api/models.ts";
import { foldChildren, type Run } from "./fold.ts";
import { moduleRoles, roleOfClass } from "./role.ts";
import { rowTotals, SubtreeTotals, type Subtree } from "./totals.ts";

export const none = -1; // no parent, no child, no sibling

export interface ModuleGraph {
  size: number; // nodes
  row: Int32Array; // of the shape's modules: class and tensors
  parent: Int32Array;
  firstChild: Int32Array;
  nextSibling: Int32Array;
  end: Int32Array; // one past the last node of its subtree
  name: Int32Array; // row of `names`; of a folded node, its first copy's
  names: string[]; // each once
  repeat: Int32Array; // siblings the node stands for; 1 unless folded
  role: Uint8Array; // index into moduleRoles
  ownParameters: Float64Array; // of the tensors the module holds itself, shared or not
  ownBytes: Float64Array;
  parameters: Float64Array; // of its subtree
  bytes: Float64Array;
}

// `body` as canonicalShape gives it, where equal structure is one row. Its tree is within schema/limits.ts, which decode.ts makes sure of.
export function moduleGraph(body: ShapeBody, form: "folded" | "expanded"): ModuleGraph {
  const runs = body.modules.map(({ children }) =>
    form === "folded" ? foldChildren(children) : children.map(({ name, module }, at): Run => ({ first: name, last: name, count: 1, module, at })),
  );
  const sizes = new Float64Array(runs.length); // by row: nodes of its subtree
  for (const [row, below] of runs.entries()) sizes[row] = below.reduce((sum, run) => sum + sizes[run.module]!, 1);
  const names = new Names();
  const nameOf = runs.map((below) => Int32Array.from(below, (run) => names.row(run.first)));
  const graph = emptyGraph(sizes[body.root]!, names.texts);
  fillTree(graph, body.root, runs, sizes, nameOf);
  fillTotals(graph, body);
  return graph;
}

function emptyGraph(size: number, names: string[]): ModuleGraph {
  const indices = (): Int32Array => new Int32Array(size).fill(none);
  const amounts = (): Float64Array => new Float64Array(size);
  return {
    size, names, row: indices(), parent: indices(), firstChild: indices(), nextSibling: indices(), end: indices(), name: indices(), repeat: indices(),
    role: new Uint8Array(size), ownParameters: amounts(), ownBytes: amounts(), parameters: amounts(), bytes: amounts(),
  };
}

// In pre-order a child's place is known from the sizes of the siblings before it, so one pass writes every child when it comes to the parent.
function fillTree(graph: ModuleGraph, root: number, runs: readonly (readonly Run[])[], sizes: Float64Array, nameOf: readonly Int32Array[]): void {
  const { size, row, parent, firstChild, nextSibling, end, name, repeat } = graph;
  row[0] = root;
  name[0] = 0; // ""
  repeat[0] = 1;
  end[0] = size;
  for (let node = 0; node < size; node++) {
    const below = runs[row[node]!]!;
    let child = node + 1;
    if (below.length > 0) firstChild[node] = child;
    for (let i = 0; i < below.length; i++) {
      const run = below[i]!;
      const next = child + sizes[run.module]!;
      row[child] = run.module;
      parent[child] = node;
      end[child] = next;
      name[child] = nameOf[row[node]!]![i]!;
      repeat[child] = run.count;
      if (i + 1 < below.length) nextSibling[child] = next;
      child = next;
    }
  }
}

function fillTotals(graph: ModuleGraph, body: ShapeBody): void {
  const totals = rowTotals(body);
  const ownTotals = totals.map(({ parameters, weightBytes }, row) => {
    const below = body.modules[row]!.children;
    return {
      parameters: below.reduce((left, child) => left - totals[child.module]!.parameters, parameters),
      bytes: below.reduce((left, child) => left - totals[child.module]!.weightBytes, weightBytes),
    };
  });
  const roles = body.modules.map(({ className }) => moduleRoles.indexOf(roleOfClass(className)));
  for (let node = 0; node < graph.size; node++) {
    const row = graph.row[node]!;
    graph.role[node] = roles[row]!;
    graph.ownParameters[node] = ownTotals[row]!.parameters;
    graph.ownBytes[node] = ownTotals[row]!.bytes;
    graph.parameters[node] = totals[row]!.parameters;
    graph.bytes[node] = totals[row]!.weightBytes;
  }
  if (body.aliases.length > 0) fillShared(graph, new SubtreeTotals(body));
}

// What is not shared in part or in whole has what its row has, and so has all below it.
function fillShared({ firstChild, nextSibling, repeat, parameters, bytes }: ModuleGraph, totals: SubtreeTotals): void {
  const open: { node: number; subtree: Subtree }[] = [{ node: 0, subtree: totals.root }];
  for (let top = open.pop(); top !== undefined; top = open.pop()) {
    const { node, subtree } = top;
    ({ parameters: parameters[node], weightBytes: bytes[node] } = totals.of(subtree));
    let at = 0;
    for (let child = firstChild[node]!; child !== none; child = nextSibling[child]!) {
      const below = totals.child(subtree, at);
      if (below.knot !== undefined) open.push({ node: child, subtree: below });
      at += repeat[child]!;
    }
  }
}

class Names {
  readonly texts = [""]; // the root's
  readonly #rows = new Map([["", 0]]);

  row(text: string): number {
    const known = this.#rows.get(text);
    if (known !== undefined) return known;
    this.#rows.set(text, this.texts.length);
    return this.texts.push(text) - 1;
  }
}
