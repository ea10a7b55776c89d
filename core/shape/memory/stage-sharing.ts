// What aliases leave out of which pipeline stage. A stage holds every tensor that a path in it leads to, once: where a path comes to something that its stage holds
// already, through whichever path, it holds nothing more. So a head tied to the embedding is held by both ends of a pipeline, once each.
// What shares the list of layers, or something that holds it, is divided as the list is: it holds nothing anywhere that the list does not.
import type { ShapeBody } from "#schema/api/models.ts";
import { tieKnots, type Knot } from "../knots.ts";
import { holds, type Place } from "../locate.ts";
import type { Steps } from "../steps.ts";
import type { LayerList } from "./pipeline-stages.ts";

export interface LeftOut {
  position: readonly number[]; // of a module, or of the one that holds the tensor
  tensor: number | undefined; // index among its own tensors; undefined: the whole module
  stage: number;
  layers: boolean; // it is the list of layers once more, by another name
}

const placeSteps = 200; // to leave out a place, or to open it
const levelSteps = 20; // to go there, one module down

// Each (shared place, stage) is opened once, where the stage first meets it; from then on the stage has all that it stands for.
export function* leftOut(shape: ShapeBody, list: LayerList | undefined, stageOf: (position: readonly number[]) => number, steps: Steps): Generator<LeftOut> {
  if (shape.aliases.length === 0) return;
  const { places } = tieKnots(shape);
  const stagesOf = new Map<Knot, Set<number>>(); // that hold it
  const holdsLayers = ({ at, position }: Knot): boolean => list !== undefined && at!.tensor === undefined && holds(position, list.position);

  function* meet(held: Knot, { module, tensor }: Place, position: readonly number[], stage: number): Generator<LeftOut> {
    steps.take(placeSteps + position.length * levelSteps);
    const layers = holdsLayers(held);
    const stages = stagesOf.get(held) ?? new Set([stageOf(held.position)]);
    stagesOf.set(held, stages);
    if (layers || stages.has(stage)) return yield { position: tensor === undefined ? position : position.slice(0, -1), tensor, stage, layers };
    stages.add(stage);
    if (module !== held.at!.module) return; // of different structure: nothing in it is at the place of what lies in the other
    for (let i = held.first + 1; i < held.end; i = places[i]!.end) {
      const inside = places[i]!;
      yield* meet(inside.shares ?? inside, inside.at!, [...position, ...inside.position.slice(held.depth)], stage);
    }
  }

  for (const alias of places) {
    // Layers that share something of another structure are taken to be their own: divided over stages, they cannot be that.
    if (alias.shares !== undefined && !holdsLayers(alias)) yield* meet(alias.shares, alias.at!, alias.position, stageOf(alias.position));
  }
}
