// What is focused (in the URL, as a path key) and what is selected, as nodes of the answer, and the same as nodes of the drawing.
// Both stay where they are when the same samples are drawn otherwise.
import { useCallback, useMemo, useState } from "react";
import { indexTree } from "#core/flamegraph/tree-index.ts";
import type { Flamegraph } from "#schema/api/flamegraph.ts";
import type { ChangeSearch, FlamegraphSearch } from "../../app/url-state.ts";
import type { DrawnGraph } from "./drawn-graph.ts";
import { hiddenKinds } from "./hidden-kinds.ts";
import { findPathKey, pathKeysOf, printPathKey } from "./path-key.ts";
import { useSamePlace } from "./use-same-place.ts";

export type Selection = {
  readonly focus: number; // drawn nodes from here on
  readonly missing: boolean; // the URL's frame is not in this answer
  readonly selected: number | null;
  readonly select: (node: number | null) => void;
  readonly setFocus: (node: number) => void;
};

export function useSelection(graph: DrawnGraph, stale: boolean, search: FlamegraphSearch, change: ChangeSearch): Selection {
  const { answer } = graph;
  const end = useMemo(() => (answer.nodes === graph.nodes ? graph.index : indexTree(answer.nodes)).end, [answer, graph]);
  const focused = search.focus === undefined ? 0 : findPathKey(pathKeysOf(answer), search.focus);
  const [selection, setSelection] = useState<{ readonly answer: Flamegraph; readonly node: number } | null>(null);
  const selected = selection !== null && selection.answer === answer ? selection.node : null;
  const hidden = useMemo(() => hiddenKinds(search), [search]);
  const move = useCallback(
    (nextFocus: number | undefined, nextSelected: number | null) => {
      setSelection(nextSelected === null ? null : { answer, node: nextSelected });
      if (nextFocus !== undefined) change({ focus: nextFocus === 0 ? undefined : printPathKey(pathKeysOf(answer), nextFocus) }, true);
    },
    [answer, change, setSelection],
  );
  useSamePlace({ graph: answer, end, focus: focused, selected, hidden }, stale, move);

  const focus = graph.placeOf(focused ?? 0);
  const missing = focused === undefined;
  const setFocus = useCallback(
    (node: number) => {
      if (node !== focus || missing) change({ focus: node === 0 ? undefined : printPathKey(pathKeysOf(answer), graph.baseOf(node)) });
    },
    [change, answer, graph, focus, missing],
  );
  const select = useCallback((node: number | null) => setSelection(node === null ? null : { answer, node: graph.baseOf(node) }), [answer, graph, setSelection]);
  return { focus, missing, selected: selected === null ? null : graph.placeOf(selected), select, setFocus };
}
