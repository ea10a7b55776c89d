// The rows of a folded module tree that are in sight: closed nodes hide what is below. Every node is named by the path of its first copy; "." is the root of
// a recorded model, and a path that stands there again gets "~2".
import type { FoldedModule, ModuleTable } from "#core/trace/fold-modules.ts";

export type TreeRow<Node> = { readonly node: Node; readonly at: number; readonly path: string; readonly level: number; readonly position: number; readonly siblings: number; readonly open: boolean | null };

export type ModuleTree<Node> = {
  readonly nodes: readonly Node[];
  readonly paths: readonly string[]; // by node
  readonly parent: Int32Array; // node; -1 = a root
  readonly leaf: readonly boolean[];
  readonly opensAtFirst: readonly boolean[];
};

const hotShare = 0.15; // of the whole: what takes more is open at first

export function moduleTree<Node extends FoldedModule>({ modules, texts }: ModuleTable, nodes: readonly Node[], value: (node: Node) => number): ModuleTree<Node> {
  const seen = new Map<string, number>();
  const paths = nodes.map(({ rows }) => {
    const path = texts[modules.path[rows[0]!]!]! || ".";
    const times = (seen.get(path) ?? 0) + 1;
    seen.set(path, times);
    return times === 1 ? path : `${path}~${times}`;
  });
  const top = nodes.reduce((least, { depth }) => Math.min(least, depth), Number.POSITIVE_INFINITY);
  const parent = new Int32Array(nodes.length).fill(-1);
  const open: number[] = []; // by depth
  nodes.forEach(({ depth }, at) => {
    if (depth > top) parent[at] = open[depth - 1]!;
    open[depth] = at;
  });
  const whole = nodes.reduce((sum, node) => sum + (node.depth === top ? value(node) : 0), 0);
  return { nodes, paths, parent, leaf: nodes.map(({ depth }, at) => (nodes[at + 1]?.depth ?? 0) <= depth), opensAtFirst: nodes.map((node) => node.depth === top || value(node) >= hotShare * whole) };
}

export function treeRows<Node extends FoldedModule>({ nodes, paths, parent, leaf, opensAtFirst }: ModuleTree<Node>, toggled: ReadonlySet<string>): TreeRow<Node>[] {
  const siblings = new Map<number, number>();
  for (const holder of parent) siblings.set(holder, (siblings.get(holder) ?? 0) + 1);
  const passed = new Map<number, number>();
  const top = nodes[0]?.depth ?? 0;
  const rows: TreeRow<Node>[] = [];
  let hidden = Number.POSITIVE_INFINITY; // depth below which nothing is in sight
  nodes.forEach((node, at) => {
    const holder = parent[at]!;
    const position = (passed.get(holder) ?? 0) + 1;
    passed.set(holder, position);
    if (node.depth > hidden) return;
    hidden = Number.POSITIVE_INFINITY;
    const open = leaf[at] ? null : opensAtFirst[at]! !== toggled.has(paths[at]!);
    if (open === false) hidden = node.depth;
    rows.push({ node, at, path: paths[at]!, level: node.depth - top + 1, position, siblings: siblings.get(holder)!, open });
  });
  return rows;
}

// The paths toggled so that a node is in sight: all that holds it is open.
export function revealed<Node>({ paths, parent, opensAtFirst }: ModuleTree<Node>, toggled: ReadonlySet<string>, at: number): Set<string> {
  const next = new Set(toggled);
  for (let holder = parent[at]!; holder >= 0; holder = parent[holder]!) {
    if (opensAtFirst[holder]) next.delete(paths[holder]!);
    else next.add(paths[holder]!);
  }
  return next;
}

// In the URL: joined by commas, those of the paths themselves escaped.
export function parseToggled(text: string | undefined): Set<string> {
  return new Set(text === undefined ? [] : text.split(",").map((path) => path.replaceAll("%2C", ",").replaceAll("%25", "%")));
}

export function printToggled(toggled: ReadonlySet<string>): string | undefined {
  return toggled.size === 0 ? undefined : [...toggled].map((path) => path.replaceAll("%", "%25").replaceAll(",", "%2C")).join(",");
}
