// Moving the selection with the keyboard: caller, heaviest callee, siblings, matches. Each answers the new node, or the old one at an edge.
import type { TreeIndex } from "#core/flamegraph/tree-index.ts";

export type Step = "caller" | "callee" | "left" | "right" | "first" | "last";

export function walk(index: TreeIndex, parent: readonly number[], node: number, step: Step): number {
  const above = parent[node] as number;
  switch (step) {
    case "caller":
      return Math.max(0, above);
    case "callee":
      return node + 1 < (index.end[node] as number) ? node + 1 : node;
    case "right":
      return above >= 0 && (index.end[node] as number) < (index.end[above] as number) ? (index.end[node] as number) : node;
    case "left":
      return previousSibling(index, above, node);
    case "first":
      return above >= 0 ? above + 1 : node;
    case "last": {
      const edge = above < 0 ? 0 : (index.end[above] as number);
      let last = node;
      while ((index.end[last] as number) < edge) last = index.end[last] as number;
      return last;
    }
  }
}

// Node 0 has no siblings. The one before is found from the first: heavy siblings come first, so this is short where it matters.
function previousSibling(index: TreeIndex, above: number, node: number): number {
  if (above < 0 || node === above + 1) return node;
  let sibling = above + 1;
  while ((index.end[sibling] as number) < node) sibling = index.end[sibling] as number;
  return sibling;
}

// The match after (or before) a node in depth-first order, around the end. `matches` is ascending.
export function nextMatch(matches: readonly number[], node: number, forward: boolean): number | undefined {
  if (matches.length === 0) return undefined;
  if (forward) return matches.find((match) => match > node) ?? matches[0];
  return matches.findLast((match) => match < node) ?? matches.at(-1);
}

// The nearest ancestor that is wider than the node: what "up" shows something new for. One as wide as everything is everything: node 0.
export function widerAncestor(parent: readonly number[], total: readonly number[], node: number): number {
  let above = parent[node] as number;
  while (above > 0 && (total[above] as number) <= (total[node] as number)) above = parent[above] as number;
  return above < 0 || total[above] === total[0] ? 0 : above;
}

// Place among the siblings, counted from 1, for the accessible tree.
export function siblingPlace(index: TreeIndex, parent: readonly number[], node: number): { readonly position: number; readonly size: number } {
  const above = parent[node] as number;
  if (above < 0) return { position: 1, size: 1 };
  let position = 1;
  let size = 0;
  for (let sibling = above + 1; sibling < (index.end[above] as number); sibling = index.end[sibling] as number) {
    size++;
    if (sibling === node) position = size;
  }
  return { position, size };
}
