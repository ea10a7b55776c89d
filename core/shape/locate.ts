// Paths to places: "model.layers.17.mlp" → the module row, "lm_head.weight" → the module row that holds it and the tensor's index.
// Linear: the names of a module are indexed once, when a path first goes through it. A name that itself holds a dot (torch refuses those) is on no path.
import type { ModuleRow, ShapeBody } from "#schema/api/models.ts";

export interface Place {
  module: number; // row of the module, or of the one that holds the tensor
  tensor: number | undefined; // index among that module's own tensors; undefined = the module itself
  position: number[]; // sorts places in pre-order, a module's own tensors before its children; a prefix is an ancestor
}

interface Names {
  children: Map<string, number>;
  tensors: Map<string, number>;
}

export function locator(body: ShapeBody): (path: string) => Place | undefined {
  const names = new Map<number, Names>();
  const namesOf = (row: number): Names => {
    let found = names.get(row);
    if (found === undefined) names.set(row, (found = indexNames(body.modules[row]!)));
    return found;
  };
  return (path) => {
    const place: Place = { module: body.root, tensor: undefined, position: [] };
    if (path === "") return place;
    for (let start = 0, end = 0; end < path.length; start = end + 1) {
      const dot = path.indexOf(".", start);
      end = dot === -1 ? path.length : dot;
      const name = path.slice(start, end);
      const { children, tensors } = namesOf(place.module);
      const child = children.get(name);
      if (child !== undefined) {
        place.module = body.modules[place.module]!.children[child]!.module;
        place.position.push(child);
        continue;
      }
      const tensor = tensors.get(name);
      if (tensor === undefined || end < path.length) return undefined;
      place.tensor = tensor;
      place.position.push(tensor - tensors.size); // negative: before every child
    }
    return place;
  };
}

function indexNames({ children, tensors }: ModuleRow): Names {
  return { children: new Map(children.map(({ name }, index) => [name, index])), tensors: new Map(tensors.map(({ name }, index) => [name, index])) };
}

export function joinPath(parent: string, name: string): string {
  return parent === "" ? name : `${parent}.${name}`;
}

// Negative when a comes first in pre-order; an ancestor comes before what it holds.
export function comparePositions(a: readonly number[], b: readonly number[]): number {
  const shared = Math.min(a.length, b.length);
  for (let i = 0; i < shared; i++) if (a[i] !== b[i]) return a[i]! - b[i]!;
  return a.length - b.length;
}

// True when b is a itself or lies below it.
export function holds(a: readonly number[], b: readonly number[]): boolean {
  return a.length <= b.length && a.every((step, i) => step === b[i]);
}
