// Two layouts of shapes: parallel sizes, and per tensor that both shapes have, how it is held. Facts stand for patterns of paths; only where a side speaks of single
// paths is the pattern taken apart.
import type { ShapeBody } from "#schema/api/models.ts";
import type { Change } from "./compare-modules.ts";
import type { ChangeGroups, Places } from "./change-groups.ts";
import { layoutOf, pathPattern, type HeldTensor } from "../layout.ts";
import { comparePositions, locator } from "../locate.ts";
import type { ShapeLayout } from "../part.ts";
import { countOfPattern, edgeOfPattern } from "./pattern-count.ts";

export interface LaidOut {
  body: ShapeBody;
  layout: ShapeLayout;
}

export function compareLayouts(a: LaidOut, b: LaidOut, groups: ChangeGroups<Change>): void {
  const [before, after] = [a, b].map(({ layout: { tpSize, ppSize, epSize, dpSize } }) => ({ tp: tpSize, pp: ppSize, ep: epSize, dp: dpSize })) as [Sizes, Sizes];
  if (JSON.stringify(before) !== JSON.stringify(after)) groups.add({ steps: [], first: "", last: "", copies: 1 }, { kind: "sizes_changed", before, after });
  const [heldA, heldB] = [layoutOf(a.layout), layoutOf(b.layout)];
  const [locateA, locateB] = [locator(a.body), locator(b.body)];
  const add = (places: Places, path: string): void => {
    const [was, is] = [ordered(heldA(path)), ordered(heldB(path))];
    if (places.copies > 0 && JSON.stringify(was) !== JSON.stringify(is)) groups.add(places, { kind: "sharding_changed", before: was, after: is });
  };
  for (const [pattern, single] of factPaths(a.layout, b.layout)) {
    const shared = [...single].filter((path) => locateA(path)?.tensor !== undefined && locateB(path)?.tensor !== undefined);
    shared.sort((one, other) => comparePositions(locateA(one)!.position, locateA(other)!.position));
    for (const path of shared) add({ steps: path.split("."), first: path, last: path, copies: 1 }, path);
    const others = Math.min(countOfPattern(a.body, pattern), countOfPattern(b.body, pattern)) - shared.length;
    const [first = pattern, last = pattern] = [edgeOfPattern(a.body, pattern, "first"), edgeOfPattern(a.body, pattern, "last")];
    add({ steps: pattern.split("."), first, last, copies: others }, pattern);
  }
}

interface Sizes {
  tp: number;
  pp: number;
  ep: number;
  dp: number;
}

// By pattern: the paths under it that either layout names for themselves.
function factPaths(...layouts: ShapeLayout[]): Map<string, Set<string>> {
  const patterns = new Map<string, Set<string>>();
  for (const { path } of layouts.flatMap(({ sharded, padded, replicated }) => [...sharded, ...padded, ...replicated])) {
    const pattern = pathPattern(path);
    const single = patterns.get(pattern) ?? new Set();
    patterns.set(pattern, single);
    if (path !== pattern) single.add(path);
  }
  return patterns;
}

function ordered({ sharded, padded, replicas }: HeldTensor): HeldTensor {
  return { sharded: [...sharded].sort((a, b) => a - b), padded: [...padded].sort((a, b) => a.dim - b.dim), replicas };
}
