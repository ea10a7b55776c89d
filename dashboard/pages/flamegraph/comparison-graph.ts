// A comparison as something the flamegraph draws: its tree, what stands in labels (the sign first) and beside names.
import { basisFigure, changeOf } from "#core/flamegraph/compare/change-text.ts";
import { comparedGraph, type ComparedFigures, type ComparedGraph, type OnlySide } from "#core/flamegraph/compare/compared-graph.ts";
import { indexTree } from "#core/flamegraph/tree-index.ts";
import type { FlamegraphComparison } from "#schema/api/flamegraph-comparison.ts";
import { formatExact, formatValue } from "../../parts/number-format.ts";
import type { DrawnGraph, Figure } from "./drawn-graph.ts";

export type DrawnComparison = { readonly compared: ComparedGraph; readonly graph: DrawnGraph };

export function drawnComparison(comparison: FlamegraphComparison, only: OnlySide | null): DrawnComparison {
  const { a, b, frames, basis, unit, truncated, profileType, ingestedThrough } = comparison;
  const compared = comparedGraph(comparison, only);
  const { nodes } = compared;
  const total = nodes.total[0] ?? 0;
  const answer = { range: b.range, ingestedThrough, profileType, unit, execution: b.execution, executionReason: null, samples: a.samples + b.samples, total, whole: total, withoutLayer: 0, truncated, simulated: false, nodes, frames };
  const same = (node: number) => node;
  const figuresOf = (node: number): Figure[] => {
    const figures = compared.figures[node] as ComparedFigures;
    const figure = (value: number | null) => ({ text: basisFigure(value, { basis, unit }), exact: value === null ? "" : exactOf(value, basis, unit) });
    return [
      { label: "A", ...figure(figures.a) },
      { label: "B", ...figure(figures.b) },
      { label: "Change", text: changeText(figures) },
      { label: "Launches A", text: formatExact(figures.countA) },
      { label: "Launches B", text: formatExact(figures.countB) },
    ];
  };
  const graph = {
    ...answer,
    answer,
    index: indexTree(nodes),
    rootFirst: true,
    prefixOf: (node: number) => (node === 0 ? "" : `${changeText(compared.figures[node] as ComparedFigures)}  `),
    figuresOf,
    framesIn: (node: number) => [node],
    baseOf: same,
    placeOf: same,
  };
  return { compared, graph };
}

function changeText({ b, relative, countA, countB }: ComparedFigures): string {
  if (countA > 0 && countB === 0 && !b) return "gone";
  const text = changeOf({ relative, a: { count: countA }, b: { count: countB } });
  return /^[+−]?0\.0 %$/.test(text) ? "±0 %" : text;
}

function exactOf(value: number, basis: FlamegraphComparison["basis"], unit: FlamegraphComparison["unit"]): string {
  return basis === "share" ? `${value * 100} %` : value >= 10 ? formatValue(Math.round(value), unit).exact : String(value);
}
