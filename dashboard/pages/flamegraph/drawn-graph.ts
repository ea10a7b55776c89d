// What is drawn: the answer, with recursion collapsed and chains grouped where the URL says so. The page keeps its focus and its selection in nodes of the
// answer, so that they stay where they are when the drawing changes.
import { collapseRecursion } from "#core/flamegraph/collapse-recursion.ts";
import { groupChains } from "#core/flamegraph/group-chains.ts";
import { type ShownTree, thenShown } from "#core/flamegraph/shown-tree.ts";
import { indexTree, type TreeIndex } from "#core/flamegraph/tree-index.ts";
import type { Flamegraph } from "#schema/api/flamegraph.ts";
import type { FlamegraphSearch } from "../../app/url-state.ts";
import { chainText } from "./label.ts";

export type Figure = { readonly label: string; readonly text: string; readonly exact?: string };

export type DrawnGraph = Flamegraph & {
  readonly answer: Flamegraph;
  readonly index: TreeIndex;
  readonly rootFirst: boolean; // false: what is above a frame is what it calls
  readonly prefixOf: (node: number) => string; // before the name in a label: of a chain how many frames it is, of a comparison the change
  readonly figuresOf: ((node: number) => readonly Figure[]) | null; // of a comparison: what stands beside a name instead of values
  readonly framesIn: (node: number) => readonly number[]; // nodes of the answer that a drawn one is, outermost first: several of a chain
  readonly baseOf: (node: number) => number;
  readonly placeOf: (node: number) => number;
};

type Views = Pick<FlamegraphSearch, "recursion" | "chains" | "invert" | "frame" | "side">;

export function drawnGraph(answer: Flamegraph, { recursion, chains, invert, frame, side }: Views): DrawnGraph {
  let shown: ShownTree | null = recursion === "collapse" ? collapseRecursion(answer) : null;
  const nodes = shown?.nodes ?? answer.nodes;
  const unchained = shown;
  if (chains === "group") {
    const grouped = groupChains({ nodes, frames: answer.frames });
    shown = shown === null ? grouped : thenShown(shown, grouped);
  }
  const { baseOf = null, placeOf = null, chain = null } = shown ?? {};
  const graph = { ...answer, nodes: shown?.nodes ?? answer.nodes };
  return {
    ...graph,
    answer,
    index: indexTree(graph.nodes),
    rootFirst: (invert === "1") === (frame !== undefined && side === "callers"),
    prefixOf: (node) => chainText(chain?.[node]),
    figuresOf: null,
    framesIn: (node) => {
      const frames = [baseOf?.[node] ?? node];
      // A chain is linked in the tree it was made of, where recursion is collapsed already.
      for (let at = unchained?.placeOf[frames[0] as number] ?? (frames[0] as number); frames.length < (chain?.[node] ?? 1); ) {
        at = nodes.parent[at] as number;
        frames.unshift(unchained?.baseOf[at] ?? at);
      }
      return frames;
    },
    baseOf: (node) => baseOf?.[node] ?? node,
    placeOf: (node) => placeOf?.[node] ?? node,
  };
}
