// An answer without some kinds of frames, made of the one at hand, so that hiding a kind shows at once: the same as the server's where nothing was cut from the
// answer; where something was, right in what it shows, and replaced by the server's as soon as that comes. Made once for an answer and a set of kinds.
import { withoutKinds } from "#core/flamegraph/without-kinds.ts";
import type { Flamegraph } from "#schema/api/flamegraph.ts";
import type { FlamegraphSearch } from "../../app/url-state.ts";
import { hiddenKinds } from "./hidden-kinds.ts";

export type ComputedSearch = Pick<FlamegraphSearch, "layers" | "hide" | "frame">;

const made = new WeakMap<Flamegraph, Map<string, Flamegraph>>();
const computed = new WeakSet<Flamegraph>();

export function isComputed(graph: Flamegraph): boolean {
  return computed.has(graph);
}

// Undefined where the kinds that are to be hidden do not hold those that are: nothing brings a frame back. Also where the frame around which stacks are shown
// is of one of them: kinds go first, and then no stack has it.
export function computedAnswer(graph: Flamegraph, shown: ComputedSearch, wanted: ComputedSearch): Flamegraph | undefined {
  const [before, after] = [hiddenKinds(shown), hiddenKinds(wanted)];
  const folded = (search: ComputedSearch) => search.layers === "fold";
  if (after.size <= before.size || ![...before].every((kind) => after.has(kind)) || (folded(shown) && !after.has("layer") && !folded(wanted)) || (folded(wanted) && !folded(shown))) return undefined;
  const around = wanted.frame === undefined ? undefined : graph.frames.kind[graph.frames.id.indexOf(wanted.frame)];
  if ([...after].some((kind) => kind === around)) return undefined;
  const key = [...after].sort().join();
  const known = made.get(graph) ?? new Map<string, Flamegraph>();
  made.set(graph, known);
  let answer = known.get(key);
  if (answer === undefined) {
    answer = { ...graph, nodes: withoutKinds(graph, after).nodes };
    known.set(key, answer);
    computed.add(answer);
  }
  return answer;
}
