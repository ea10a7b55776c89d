// The places that aliases name, theirs and those they share, and each module where the ways to two of them part: a tree of knots beside the shape. At most four
// knots an alias, however deep the shape is.
// Invariant (alias.ts): what an alias shares comes before it in pre-order and is not shared itself. So no way through aliases goes in a circle.
import type { ShapeBody } from "#schema/api/models.ts";
import { placeAliases } from "./alias.ts";
import { comparePositions, type Place } from "./locate.ts";

export interface Knot {
  position: readonly number[]; // begins with the way here, `depth` steps of it
  depth: number;
  at: Place | undefined; // undefined where ways only part
  shares: Knot | undefined; // of an alias
  parent: Knot | undefined; // of the root
  below: Map<number, Knot> | undefined; // by the step after `depth`
  first: number; // places at and below it: [first, end) of all in pre-order
  end: number;
}

export interface Knots {
  root: Knot;
  places: Knot[]; // in pre-order
  inward: Knot[]; // all of them, those below before those above
}

export function tieKnots(body: ShapeBody): Knots {
  const places = sharedPlaces(body);
  const root = knotAt([], 0, 0);
  const open = [root];
  const inward: Knot[] = [];
  const leave = (depth: number, end: number): void => {
    for (let last = open.at(-1)!; last.depth > depth; last = open.at(-1)!) {
      inward.push(open.pop()!);
      if (open.at(-1)!.depth < depth) open.push(knotAt(last.position, depth, last.first));
      last.end = end;
      last.parent = open.at(-1)!;
      (last.parent.below ??= new Map()).set(last.position[last.parent.depth]!, last);
    }
  };
  for (const [i, place] of places.entries()) {
    leave(i === 0 ? 0 : sharedSteps(places[i - 1]!.position, place.position), i);
    place.first = i;
    open.push(place);
  }
  leave(0, places.length);
  root.end = places.length;
  return { root, places, inward: [...inward, root] };
}

// Where another pipeline stage holds what is shared, the first alias that shares it holds it here.
function sharedPlaces(body: ShapeBody): Knot[] {
  const places: Knot[] = [];
  const holders = new Map<string, Knot>(); // by target
  const add = (at: Place, shares?: Knot): Knot => {
    const knot = { ...knotAt(at.position, at.position.length, 0), at, shares };
    places.push(knot);
    return knot;
  };
  for (const { target, at, shares } of placeAliases(body)) {
    const holder = holders.get(target);
    if (holder === undefined) holders.set(target, add(shares ?? at));
    if (holder !== undefined || shares !== undefined) add(at, holders.get(target)!);
  }
  return places.sort((a, b) => comparePositions(a.position, b.position));
}

function knotAt(position: readonly number[], depth: number, first: number): Knot {
  return { position, depth, at: undefined, shares: undefined, parent: undefined, below: undefined, first, end: first };
}

function sharedSteps(a: readonly number[], b: readonly number[]): number {
  let steps = 0;
  while (steps < a.length && a[steps] === b[steps]) steps++;
  return steps;
}
