// By node of a folded tree: its time that lies in no module it calls, and its share of what holds it (of a root: of the whole).
import type { ModuleTree } from "./tree-rows.ts";

// A module that others call too stands where it was called first, so a rest is never below 0.
export function ownValues<Node>({ nodes, parent }: ModuleTree<Node>, value: (node: Node) => number): number[] {
  const own = nodes.map(value);
  nodes.forEach((node, at) => {
    if (parent[at]! >= 0) own[parent[at]!]! -= value(node);
  });
  return own.map((rest) => Math.max(0, rest));
}

export function sharesOfParent<Node>({ nodes, parent }: ModuleTree<Node>, value: (node: Node) => number, whole: number): number[] {
  return nodes.map((node, at) => {
    const holder = parent[at]! < 0 ? whole : value(nodes[parent[at]!]!);
    return holder === 0 ? 0 : value(node) / holder;
  });
}
