// Two layouts of shapes: parallel sizes, and per tensor that both shapes have, how it is held. Facts stand for patterns of paths; only where a side speaks of single
// paths is the pattern taken apart.
import type { CanonicalShape } from "../canonical.ts";
import type { Change } from "./module-difference.ts";
import type { ChangeGroups } from "./change-groups.ts";
import { pathPattern } from "../../module-path.ts";
import { layoutOf, type HeldTensor } from "../layout.ts";
import { comparePositions, locator } from "../locate.ts";
import type { ShapeLayout } from "../part.ts";
import { rowsOfBoth } from "../pattern-rows.ts";
import { tensorPaths, tensorPlaces } from "./pattern-places.ts";
import type { Steps } from "../steps.ts";

export interface LaidOut {
  shape: CanonicalShape;
  layout: ShapeLayout;
}

export function compareLayouts(a: LaidOut, b: LaidOut, groups: ChangeGroups<Change>, steps: Steps): void {
  const [before, after] = [a, b].map(({ layout: { tpSize, ppSize, epSize, dpSize } }) => ({ tp: tpSize, pp: ppSize, ep: epSize, dp: dpSize })) as [Sizes, Sizes];
  if (JSON.stringify(before) !== JSON.stringify(after)) groups.add(groups.root, groups.shared({ kind: "sizes_changed", before, after }));
  const held = [a, b].map(({ layout }) => layoutOf(layout));
  const changeAt = (path: string, pattern: string): Change | undefined => {
    const [was, is] = held.map((of) => ordered(of(path, pattern))) as [HeldTensor, HeldTensor];
    steps.take((was.sharded.length + was.padded.length + is.sharded.length + is.padded.length) * heldSteps);
    return JSON.stringify(was) === JSON.stringify(is) ? undefined : groups.shared({ kind: "sharding_changed", before: was, after: is });
  };
  const patterns = factPaths(a.layout, b.layout);
  const rows = rowsOfBoth(a.shape, b.shape, steps);
  const ranges = tensorPlaces(rows, new Set(patterns.keys()), steps);
  const [locateA, locateB] = [locator(a.shape.body), locator(b.shape.body)];
  for (const [pattern, single] of patterns) {
    const apart = new Map<string, readonly number[]>(); // path → position
    for (const path of single) {
      steps.take(path.length * characterSteps);
      const at = locateA(path);
      if (at?.tensor !== undefined && locateB(path)?.tensor !== undefined) apart.set(path, at.position);
    }
    const stretches: Stretch[] = [...apart].map(([path, position]) => ({ path, copies: 1, first: { path, position }, last: { path, position } }));
    const all = ranges.get(pattern);
    if (all !== undefined && all.copies > apart.size) {
      const [first, last] = (["first", "last"] as const).map((edge): End => {
        const path = apart.size === 0 ? all[edge] : firstOutside(apart, tensorPaths(rows, pattern, edge, steps))!;
        return { path, position: locateA(path)!.position };
      }) as [End, End];
      stretches.push({ path: pattern, copies: all.copies - apart.size, first, last });
    }
    addChanges(stretches, (path) => changeAt(path, pattern), groups);
  }
}

interface End {
  path: string;
  position: readonly number[];
}

// Places that the layouts speak of as one, by their path or pattern.
interface Stretch {
  path: string;
  copies: number;
  first: End;
  last: End;
}

// Stretches may lie within one another: equal changes go from the first place of them all to the last.
function addChanges(stretches: Stretch[], changeAt: (path: string) => Change | undefined, groups: ChangeGroups<Change>): void {
  const ranges = new Map<Change, { first: End; last: End }>();
  const changed: { stretch: Stretch; change: Change }[] = [];
  for (const stretch of stretches.sort((one, other) => comparePositions(one.first.position, other.first.position))) {
    const change = changeAt(stretch.path);
    if (change === undefined) continue;
    changed.push({ stretch, change });
    const range = ranges.get(change);
    if (range === undefined) ranges.set(change, { first: stretch.first, last: stretch.last });
    else if (comparePositions(stretch.last.position, range.last.position) > 0) range.last = stretch.last;
  }
  for (const { stretch: { path, copies }, change } of changed) groups.addAt(path, { first: ranges.get(change)!.first.path, last: ranges.get(change)!.last.path, copies }, change);
}

function firstOutside(apart: ReadonlyMap<string, unknown>, paths: Iterable<string>): string | undefined {
  for (const path of paths) if (!apart.has(path)) return path;
  return undefined;
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
