// A comparison as a tree to draw: a node is as wide as it is on both sides together, each side on the comparison's basis, so that what is gone and what is new can
// both be seen. Or only what one side has: the stacks that end where the other side has nothing.
// Invariant: of every node total = self + Σ children's totals, but for rounding of doubles.
import type { FlamegraphComparison } from "#schema/api/flamegraph-comparison.ts";
import type { NodeColumns } from "#schema/api/flamegraph.ts";
import { otherRow } from "../shown-tree.ts";

export type ComparedFigures = {
  readonly a: number | null; // on the basis; null: nothing to divide by
  readonly b: number | null;
  readonly relative: number | null; // (b − a) / a; null: nothing in a
  readonly countA: number;
  readonly countB: number;
};
export type ComparedGraph = { readonly nodes: NodeColumns; readonly figures: readonly ComparedFigures[] };
export type OnlySide = "gone" | "new";

type Comparison = Pick<FlamegraphComparison, "basis" | "a" | "b" | "overall" | "nodes">;

export function comparedGraph(comparison: Comparison, only: OnlySide | null = null): ComparedGraph {
  const { nodes } = comparison;
  const [ofA, ofB] = [weightOf(comparison, "a"), weightOf(comparison, "b")];
  const self = nodes.selfA.map((a, node) => {
    const b = nodes.selfB[node] as number;
    if (only === null) return a * ofA + b * ofB;
    if (nodes.frame[node] === otherRow) return 0; // cut on both sides: nobody knows what is in it
    return only === "gone" ? (b === 0 ? a * ofA : 0) : a === 0 ? b * ofB : 0;
  });
  const total = [...self];
  for (let node = total.length - 1; node > 0; node--) total[nodes.parent[node] as number] = (total[nodes.parent[node] as number] as number) + (total[node] as number);
  const shown: NodeColumns = { parent: [], frame: [], total: [], self: [], count: [], copies: [] };
  const figures: ComparedFigures[] = [];
  const place: number[] = [];
  for (let node = 0; node < total.length; node++) {
    if (node > 0 && (total[node] as number) <= 0) continue; // and so is all below it
    place[node] = shown.parent.push(node === 0 ? -1 : (place[nodes.parent[node] as number] as number)) - 1;
    shown.frame.push(nodes.frame[node] as number);
    shown.total.push(total[node] as number);
    shown.self.push(self[node] as number);
    shown.count.push((nodes.countA[node] as number) + (nodes.countB[node] as number));
    shown.copies.push(1);
    figures.push(figuresOf(comparison, node));
  }
  return { nodes: shown, figures };
}

// What a unit of value is on the basis. By launch every node has a divisor of its own, and widths are shares.
function weightOf({ basis, overall, ...sides }: Comparison, side: "a" | "b"): number {
  const { value } = sides[side];
  const whole = basis === "launch" ? 1 : overall.perBasis[side];
  return value > 0 && whole !== null ? whole / value : 0;
}

function figuresOf(comparison: Comparison, node: number): ComparedFigures {
  const { nodes, basis } = comparison;
  const [countA, countB] = [nodes.countA[node] as number, nodes.countB[node] as number];
  const on = (side: "a" | "b", count: number) => {
    const value = nodes[side][node] as number;
    if (basis === "launch") return count > 0 ? value / count : null;
    return comparison.overall.perBasis[side] === null ? null : value * weightOf(comparison, side);
  };
  const [a, b] = [on("a", countA), on("b", countB)];
  const nothingBefore = (nodes.a[node] as number) === 0;
  return { a, b, relative: a === null || b === null || nothingBefore || a === 0 ? null : (b - a) / a, countA, countB };
}
