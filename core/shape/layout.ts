// How a whole model is spread over ranks, from the layouts of its pipeline stages. Beside the shape, never in its identity.
import { compareAsUtf8 } from "./canonical.ts";
import type { ShapeLayout } from "./part.ts";

// Equal layouts give equal results, whatever the order of stages and paths, so the text of one can be hashed. A stage that does not know a size says 1.
export function mergeLayouts(stages: readonly ShapeLayout[]): ShapeLayout {
  const whole: ShapeLayout = { tpSize: 1, ppSize: 1, epSize: 1, dpSize: 1, sharded: [] };
  const dimOf = new Map<string, number>();
  for (const { tpSize, ppSize, epSize, dpSize, sharded } of stages) {
    whole.tpSize = Math.max(whole.tpSize, tpSize);
    whole.ppSize = Math.max(whole.ppSize, ppSize);
    whole.epSize = Math.max(whole.epSize, epSize);
    whole.dpSize = Math.max(whole.dpSize, dpSize);
    for (const { path, dim } of sharded) dimOf.set(path, dim);
  }
  whole.sharded = [...dimOf].map(([path, dim]) => ({ path, dim })).sort((a, b) => compareAsUtf8(a.path, b.path));
  return whole;
}
