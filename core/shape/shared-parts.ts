// What each alias stands for: the parts of the tree that what it shares is made of. A part is what a shared module or tensor holds outside of all others, so no two
// parts have a tensor in common. One alias can stand for many: for what lies in its target, and for what the aliases in there share.
import { limits } from "#schema/limits.ts";
import type { ShapeBody } from "#schema/api/models.ts";
import { tieKnots, type Knot } from "./knots.ts";
import { overLimit, type ShapeProblem } from "./problem.ts";

// In pre-order of the aliases. A part is named by the shared place that holds it.
export function* sharedParts(places: readonly Knot[]): Generator<{ alias: Knot; parts: readonly Knot[] }> {
  const partsOf = new Map<Knot, Knot[]>(); // by shared place
  for (const alias of places) {
    const { shares } = alias;
    if (shares === undefined) continue;
    let parts = partsOf.get(shares);
    if (parts === undefined) {
      // Whatever lies in the shared place comes before the alias, so the parts of all aliases in there are known.
      const found = new Set([shares]);
      for (const inside of places.slice(shares.first + 1, shares.end)) for (const part of inside.shares === undefined ? [inside] : partsOf.get(inside.shares)!) found.add(part);
      partsOf.set(shares, (parts = [...found]));
    }
    yield { alias, parts };
  }
}

// What aliases share may hold aliases, so 100,000 of them can stand for 2.5 billion parts.
export function checkSharedParts(body: ShapeBody): ShapeProblem | undefined {
  let count = 0;
  for (const { parts } of sharedParts(tieKnots(body).places)) {
    count += parts.length;
    if (count > limits.sharedPartsMax) return overLimit("aliases: shared parts that they stand for, counted until then", count, "sharedPartsMax");
  }
  return undefined;
}
