// The module tree of a record with equal layers folded: consecutive siblings that differ in their index alone and are built alike become one node ×N, with
// every copy within reach. Built alike: same classes, same attributes, same children, all the way down; never the class name alone, so a dense layer among
// MoE layers, or a quantised one, stands apart. Names a trace gives no path for (`Linear[0]`, `Linear[1]`) say nothing about being indexed: q, k and v are
// three Linear too. Of those only what has children of its own is folded.

// Of a record or of several merged: every module's parent (an earlier row; -1 = a root), path and class, the last two as indices into texts.
export type ModuleTable = { modules: { parent: readonly number[]; path: readonly number[]; class: readonly number[] }; texts: readonly string[] };

export type FoldedModule = {
  rows: number[]; // rows of record.modules, one per copy, in order; one row = not folded
  depth: number; // in the folded tree
  ownCopies: number; // copies of this node itself, not counting those of a folded node above it
};

// In pre-order; linear in the record.
export function foldModules({ modules, texts }: ModuleTable): FoldedModule[] {
  const count = modules.parent.length;
  const children: number[][] = Array.from({ length: count }, () => []);
  const roots: number[] = [];
  for (let row = 0; row < count; row++) (modules.parent[row]! < 0 ? roots : children[modules.parent[row]!]!).push(row);
  const shape = shapes(children, modules, texts);
  const inferred = (row: number): boolean => texts[modules.path[row]!]!.endsWith("]");
  const alike = (a: number, b: number): boolean =>
    shape[a] === shape[b] && steplessName(a) === steplessName(b) && hasIndex(a) && hasIndex(b) && (!inferred(a) || children[a]!.length > 0);
  const lastStep = (row: number): string => attributeOf(texts[modules.path[row]!]!, texts[modules.parent[row]! < 0 ? -1 : modules.path[modules.parent[row]!]!] ?? "");
  const steplessName = (row: number): string => lastStep(row).replace(/\d+/g, "#");
  const hasIndex = (row: number): boolean => /\d/.test(lastStep(row));

  const folded: FoldedModule[] = [];
  const pending: FoldedModule[] = runs(roots.map((row) => [row]), 0, alike).reverse();
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    folded.push(node);
    const lists = node.rows.map((row) => children[row]!);
    const columns = lists[0]!.map((_, i) => lists.map((list) => list[i]!));
    for (const child of runs(columns, node.depth + 1, alike).reverse()) pending.push(child);
  }
  return folded;
}

// Neighbours that are alike, joined. `columns`: per sibling its row in every copy of what holds it.
function runs(columns: readonly number[][], depth: number, alike: (a: number, b: number) => boolean): FoldedModule[] {
  const nodes: FoldedModule[] = [];
  for (const rows of columns) {
    const last = nodes.at(-1);
    if (last !== undefined && alike(last.rows[0]!, rows[0]!)) {
      for (const row of rows) last.rows.push(row);
      last.ownCopies++;
    } else nodes.push({ rows: [...rows], depth, ownCopies: 1 });
  }
  return nodes;
}

// Equal numbers = built alike. Children have higher rows than their parents, so one pass from the end sees them first.
function shapes(children: readonly number[][], modules: ModuleTable["modules"], texts: readonly string[]): Int32Array {
  const shape = new Int32Array(children.length);
  const known = new Map<string, number>();
  for (let row = children.length - 1; row >= 0; row--) {
    const own = texts[modules.path[row]!]!;
    const parts = children[row]!.map((child) => `${attributeOf(texts[modules.path[child]!]!, own)}=${shape[child]}`);
    const key = `${modules.class[row]}\0${parts.join("\0")}`;
    let id = known.get(key);
    if (id === undefined) known.set(key, (id = known.size + 1));
    shape[row] = id;
  }
  return shape;
}

function attributeOf(path: string, parent: string): string {
  return parent !== "" && path.startsWith(`${parent}.`) ? path.slice(parent.length + 1) : path;
}
