// Of an answer that is at hand, fresh and uncut, the one that is asked for: the same without some kinds. Undefined: the server is to be asked.
import type { Flamegraph } from "#schema/api/flamegraph.ts";
import { computedAnswer, type ComputedSearch } from "./computed-answer.ts";

// As the cache has it. Its own word for stale counts no time where nobody looks, so it is asked by time.
export type Known = { readonly queryKey: readonly unknown[]; readonly state: { readonly data: unknown }; readonly isStaleByTime: (ms: number) => boolean };

export function answerAtHand(known: readonly Known[], freshMs: number, query: ComputedSearch): Flamegraph | undefined {
  for (const one of known) {
    const at = one.queryKey[2] as ComputedSearch;
    const graph = one.state.data as Flamegraph | undefined;
    if (graph?.truncated.nodes !== 0 || one.isStaleByTime(freshMs) || !sameButHidden(at, query)) continue;
    const made = computedAnswer(graph, at, query);
    if (made !== undefined) return made;
  }
  return undefined;
}

export function sameButHidden({ layers: _a, hide: _b, ...one }: ComputedSearch, { layers: _c, hide: _d, ...other }: ComputedSearch): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
