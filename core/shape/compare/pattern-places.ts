// What patterns of paths stand for: how many places, and the first and last of them in pre-order.
import type { ShapeBody } from "#schema/api/models.ts";
import type { PlaceRange } from "./change-groups.ts";
import { joinPath } from "../locate.ts";
import { rowsOf, type Edge, type PatternRows } from "../pattern-rows.ts";
import { walkPatterns } from "../pattern-walk.ts";
import type { Steps } from "../steps.ts";

// Modules and tensors of each pattern; one that stands for none is absent.
export function countPatterns(body: ShapeBody, patterns: ReadonlySet<string>, steps: Steps): Map<string, number> {
  const counts = new Map<string, number>();
  walkPatterns(rowsOf(body, steps), patterns, "first", steps, ({ pattern, copies, held: { tensors, children } }) => {
    const more = copies * (tensors.length + children.length);
    if (more > 0) counts.set(pattern, (counts.get(pattern) ?? 0) + more);
  });
  return counts;
}

// Tensors of each pattern; one that stands for none is absent.
export function tensorPlaces(rows: PatternRows, patterns: ReadonlySet<string>, steps: Steps): Map<string, PlaceRange> {
  const places = new Map<string, PlaceRange>();
  walkPatterns(rows, patterns, "first", steps, ({ pattern, copies, path, held: { tensors } }) => {
    if (tensors.length === 0) return;
    const known = places.get(pattern);
    if (known === undefined) places.set(pattern, { first: joinPath(path, tensors[0]!.name), last: "", copies: copies * tensors.length });
    else known.copies += copies * tensors.length;
  });
  walkPatterns(rows, patterns, "last", steps, ({ pattern, path, held: { tensors } }) => {
    const known = places.get(pattern);
    if (known !== undefined && known.last === "" && tensors.length > 0) known.last = joinPath(path, tensors.at(-1)!.name);
  });
  return places;
}

const placeSteps = 60; // to go to one row

// Tensors of one pattern, one by one, in pre-order or from the last one back; whoever asks stops at the first that will do.
export function tensorPaths(rows: PatternRows, pattern: string, edge: Edge, steps: Steps): Generator<string> {
  const names = pattern.split(".");
  function* below(row: number, path: string, level: number): Generator<string> {
    steps.take(placeSteps + path.length);
    const { tensors, children } = rows.namesOf(row).at(names[level]!);
    if (level === names.length - 1) for (const { name } of from(tensors, edge)) yield joinPath(path, name);
    else for (const { name, module } of from(children, edge)) yield* below(module, joinPath(path, name), level + 1);
  }
  return below(rows.root, "", 0);
}

function* from<One>(all: readonly One[], edge: Edge): Generator<One> {
  for (let i = 0; i < all.length; i++) yield all[edge === "first" ? i : all.length - 1 - i]!;
}
