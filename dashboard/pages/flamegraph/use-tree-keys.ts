// The keys of the drawing while it has the focus: the selection walks, Enter focuses, Escape leads out, c and C copy.
import { useCallback, type KeyboardEvent } from "react";
import type { DrawnGraph } from "./drawn-graph.ts";
import { nextMatch, walk, widerAncestor, type Step } from "./walk.ts";

const steps: Readonly<Record<string, Step>> = {
  ArrowUp: "caller",
  ArrowDown: "callee",
  ArrowLeft: "left",
  ArrowRight: "right",
  Home: "first",
  End: "last",
};

type TreeKeys = {
  readonly graph: DrawnGraph;
  readonly focus: number;
  readonly selected: number | null;
  readonly select: (node: number | null) => void;
  readonly setFocus: (node: number) => void;
  readonly matches: readonly number[];
  readonly copyName: (node: number) => void;
  readonly copyStack: (node: number) => void;
};

export function useTreeKeys({ graph, focus, selected, select, setFocus, matches, copyName, copyStack }: TreeKeys) {
  const { index, nodes } = graph;
  const step = useCallback(
    (forward: boolean) => {
      const next = nextMatch(matches, selected ?? (forward ? -1 : index.size), forward);
      if (next === undefined) return;
      select(next);
      if (next < focus || next >= (index.end[focus] as number)) setFocus(0);
    },
    [matches, selected, index, select, focus, setFocus],
  );
  const treeKey = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const move = steps[event.key];
    if (move !== undefined) {
      const next = selected === null ? focus : walk(index, nodes.parent, selected, move);
      select(next);
      const inside = next >= focus && next < (index.end[focus] as number);
      const above = next <= focus && focus < (index.end[next] as number);
      if (!inside && !above) setFocus(0);
    } else if (event.key === "Enter" && selected !== null) setFocus(selected);
    else if (event.key === "Escape" || event.key === "Backspace") {
      if (focus > 0) setFocus(widerAncestor(nodes.parent, nodes.total, focus));
      else select(null);
    } else if (event.key === "c" && selected !== null) copyName(selected);
    else if (event.key === "C" && selected !== null) copyStack(selected);
    else return;
    event.preventDefault();
  };
  return { step, treeKey };
}
