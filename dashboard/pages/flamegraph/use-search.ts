// What a search finds: counted in the answer, where every frame is by itself, and lit in the drawing.
import { useMemo } from "react";
import { parseSearch, searchTree, type Search, type SearchHits } from "#core/flamegraph/search.ts";
import { indexTree } from "#core/flamegraph/tree-index.ts";
import type { DrawnGraph } from "./drawn-graph.ts";

export type Found = {
  readonly query: Search;
  readonly hits: SearchHits | null; // null: no search
  readonly matched: Uint8Array | null; // by drawn node: it is, or holds, a match
  readonly matches: readonly number[]; // drawn nodes, ascending
};

export function useSearchFound(graph: DrawnGraph, text: string): Found {
  const query = useMemo(() => parseSearch(text), [text]);
  return useMemo(() => {
    if (query.terms.length === 0) return { query, hits: null, matched: null, matches: [] };
    const { answer, nodes, index } = graph;
    const hits = searchTree(answer, answer.nodes === nodes ? index : indexTree(answer.nodes), query);
    let { matched } = hits;
    if (answer.nodes !== nodes) {
      matched = new Uint8Array(index.size);
      for (let node = 0; node < hits.matched.length; node++) if (hits.matched[node] === 1) matched[graph.placeOf(node)] = 1;
    }
    const matches: number[] = [];
    for (let node = 0; node < matched.length; node++) if (matched[node] === 1) matches.push(node);
    return { query, hits, matched, matches };
  }, [graph, query]);
}
