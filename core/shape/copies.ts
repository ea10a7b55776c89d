// A module and the paths that folding shows as one with it: `model.layers.17.self_attn` stands for 64. Never unfolded: copies are a range of positions per level.
import type { ModuleRow, ShapeBody } from "#schema/api/models.ts";
import { foldChildren, type Run } from "./fold.ts";
import { joinPath } from "./locate.ts";

export interface Copies {
  row: number;
  path: string; // the one that was asked for
  position: number[]; // of it, as locate.ts counts
  runs: Run[]; // one per level: the siblings that are folded with the step of `path`
  count: number; // paths in all
  first: string;
  last: string;
}

export interface NoSuchModule {
  nearest: string; // path of the deepest module on the way that exists
  missing: string; // the name that it has no child of
  tensor: boolean; // that name is a tensor of it
}

// `shape` must be one in which equal structure is one row (canonicalShape).
export function copiesAt(shape: ShapeBody, path: string): Copies | NoSuchModule {
  const found: Copies = { row: shape.root, path, position: [], runs: [], count: 1, first: "", last: "" };
  let at = "";
  for (const step of path === "" ? [] : path.split(".")) {
    const module: ModuleRow = shape.modules[found.row]!;
    const position = module.children.findIndex(({ name }) => name === step);
    if (position < 0) return { nearest: at, missing: step, tensor: module.tensors.some(({ name }) => name === step) };
    const run = foldChildren(module.children).find((one) => position < one.at + one.count)!;
    found.row = run.module;
    found.position.push(position);
    found.runs.push(run);
    found.count *= run.count;
    found.first = joinPath(found.first, run.first);
    found.last = joinPath(found.last, run.last);
    at = joinPath(at, step);
  }
  return found;
}

// The path of one copy, counted from 0 in the order of the model, with the paths of the modules on the way that are folded with others.
export function copyAt({ runs }: Copies, number: number): { path: string; folded: string[] } {
  const places: number[] = [];
  let left = number;
  for (let level = runs.length - 1; level >= 0; level--) {
    places[level] = left % runs[level]!.count;
    left = Math.floor(left / runs[level]!.count);
  }
  const folded: string[] = [];
  let path = "";
  for (const [level, { first, count }] of runs.entries()) {
    path = joinPath(path, count === 1 ? first : String(Number(first) + places[level]!));
    if (count > 1) folded.push(path);
  }
  return { path, folded };
}
