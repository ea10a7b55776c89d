// Keeps focus and selection in place when kinds are hidden or shown: the new tree has other node numbers and other paths.
import { useEffect, useRef } from "react";
import type { Flamegraph } from "#schema/api/flamegraph.ts";
import { samePlace } from "./path-key.ts";

export type Place = {
  readonly graph: Flamegraph;
  readonly end: Int32Array; // of the graph's tree index
  readonly focus: number | undefined; // undefined: the URL's frame is not in this tree
  readonly selected: number | null;
  readonly hidden: ReadonlySet<string>;
};

// `stale`: the graph is still the one of the selection before. `move` gets the new focus (undefined: as it is) and selection.
export function useSamePlace(
  { graph, end, focus, selected, hidden }: Place,
  stale: boolean,
  move: (focus: number | undefined, selected: number | null) => void,
): void {
  const before = useRef({ graph, focus: focus ?? 0, selected, hidden });
  useEffect(() => {
    const old = before.current;
    const changed = old.graph !== graph;
    before.current = { graph, focus: focus ?? (changed ? old.focus : 0), selected, hidden: stale ? old.hidden : hidden };
    if (!changed || stale) return;
    const skipped = new Set([...old.hidden, ...hidden]);
    const place = (node: number) => samePlace(old.graph, node, graph, end, skipped);
    move(focus === undefined && old.focus > 0 ? place(old.focus) : undefined, old.selected === null ? null : place(old.selected));
  }, [graph, end, focus, selected, hidden, stale, move]);
}
