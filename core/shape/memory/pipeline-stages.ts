// The list of layers of a model, and which stage of a pipeline holds which of them.
import type { ShapeBody } from "#schema/api/models.ts";
import { joinPath } from "../locate.ts";
import { isIndex } from "../../module-path.ts";
import { rowTotals } from "../totals.ts";

// Layers per stage, as vLLM divides them: evenly, and what is left over goes one each to the stages before the last, the last of them first; so the first stage,
// which has the embeddings, and the last, which has the head, get one more only when all others have.
export function layersPerStage(layers: number, stages: number): number[] {
  const counts = Array.from({ length: stages }, () => Math.floor(layers / stages));
  for (let extra = 0; extra < layers % stages; extra++) counts[stages - 2 - extra]! += 1;
  return counts;
}

export interface LayerList {
  path: string;
  position: number[]; // of children, from the root
}

// The heaviest list of numbered modules that lies in no other: `model.layers`, and not the experts in it or the blocks of a vision tower. Undefined: there is none.
export function layerListOf(shape: ShapeBody): LayerList | undefined {
  const totals = rowTotals(shape);
  let best: (LayerList & { bytes: number }) | undefined;
  const met = new Set<number>();
  const open: (LayerList & { row: number })[] = [{ path: "", position: [], row: shape.root }];
  for (let top = open.pop(); top !== undefined; top = open.pop()) {
    const { children } = shape.modules[top.row]!;
    if (met.has(top.row)) continue; // the same list again is no better
    met.add(top.row);
    if (children.length > 1 && children.every(({ name }) => isIndex(name))) {
      const bytes = totals[top.row]!.weightBytes;
      if (bytes > (best?.bytes ?? 0)) best = { path: top.path, position: top.position, bytes };
      continue;
    }
    const { path, position } = top;
    open.push(...children.map(({ name, module }, at) => ({ path: joinPath(path, name), position: [...position, at], row: module })).reverse());
  }
  return best && { path: best.path, position: best.position };
}
