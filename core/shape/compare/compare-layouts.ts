// Two layouts of shapes: parallel sizes, and per tensor that both shapes have, how it is held. Facts stand for patterns of paths; only where a side speaks of single
// paths is the pattern taken apart.
import type { CanonicalShape } from "../canonical.ts";
import type { Change } from "./module-difference.ts";
import type { ChangeGroups, PlaceRange } from "./change-groups.ts";
import { layoutOf, pathPattern, type HeldTensor } from "../layout.ts";
import { comparePositions, locator } from "../locate.ts";
import type { ShapeLayout } from "../part.ts";
import { rowsOfBoth } from "../pattern-rows.ts";
import { tensorPlaces } from "./pattern-places.ts";
import type { Steps } from "../steps.ts";

export interface LaidOut {
  shape: CanonicalShape;
  layout: ShapeLayout;
}

export function compareLayouts(a: LaidOut, b: LaidOut, groups: ChangeGroups<Change>, steps: Steps): void {
  const [before, after] = [a, b].map(({ layout: { tpSize, ppSize, epSize, dpSize } }) => ({ tp: tpSize, pp: ppSize, ep: epSize, dp: dpSize })) as [Sizes, Sizes];
  if (JSON.stringify(before) !== JSON.stringify(after)) groups.add(groups.root, groups.shared({ kind: "sizes_changed", before, after }));
  const held = [a, b].map(({ layout }) => layoutOf(layout));
  const add = (path: string, pattern: string, range: PlaceRange): void => {
    const [was, is] = held.map((of) => ordered(of(path, pattern))) as [HeldTensor, HeldTensor];
    steps.take((was.sharded.length + was.padded.length + is.sharded.length + is.padded.length) * heldSteps);
    if (JSON.stringify(was) !== JSON.stringify(is)) groups.addAt(path, range, groups.shared({ kind: "sharding_changed", before: was, after: is }));
  };
  const patterns = factPaths(a.layout, b.layout);
  const ranges = tensorPlaces(rowsOfBoth(a.shape, b.shape, steps), new Set(patterns.keys()), steps);
  const [locateA, locateB] = [locator(a.shape.body), locator(b.shape.body)];
  for (const [pattern, single] of patterns) {
    const shared: { path: string; position: readonly number[] }[] = [];
    for (const path of single) {
      steps.take(path.length * characterSteps);
      const at = locateA(path);
      if (at?.tensor !== undefined && locateB(path)?.tensor !== undefined) shared.push({ path, position: at.position });
    }
    shared.sort((one, other) => comparePositions(one.position, other.position));
    for (const { path } of shared) add(path, pattern, { first: path, last: path, copies: 1 });
    const all = ranges.get(pattern);
    if (all !== undefined && all.copies > shared.length) add(pattern, pattern, { ...all, copies: all.copies - shared.length });
  }
}

const characterSteps = 10; // of a path that is looked for in both shapes
const heldSteps = 20; // to order, write and compare one fact of a tensor

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
