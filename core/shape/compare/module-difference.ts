// What differs between two modules of one path: class, tensors, children and their order, a list that grew or shrank, and the children to walk on to.
import type { ModuleRow, ShapeBody, TensorRow } from "#schema/api/models.ts";
import type { ShapeChange } from "#schema/api/shapes.ts";
import type { ChangeGroups, Span } from "./change-groups.ts";
import type { CanonicalShape } from "../canonical.ts";
import { foldChildren } from "../fold.ts";
import { isIndex } from "../../module-path.ts";
import type { Subtree, SubtreeTotals } from "../totals.ts";

type Without<Change> = Change extends ShapeChange ? Omit<Change, "path" | "first" | "last" | "copies" | "of"> : never;
export type Change = Without<ShapeChange>; // what changed, without where

export interface Side extends CanonicalShape {
  totals: SubtreeTotals; // of `body`
}

type Add = (at: Span | undefined, change: Change) => unknown;

// What differs between two modules themselves and between their children; `at` undefined is their own place.
export interface Difference {
  changes: { at: Span | undefined; change: Change }[];
  pairs: (Span & { a: Subtree; b: Subtree })[]; // children of one name whose structure differs; several only where none of them shares anything
}

export function differenceOf([a, b]: readonly [Side, Side], inA: Subtree, inB: Subtree, groups: ChangeGroups<Change>): Difference {
  const changes: Difference["changes"] = [];
  const add = (at: Span | undefined, change: Change): unknown => changes.push({ at, change: groups.shared(change) });
  const [left, right] = [a.body.modules[inA.row]!, b.body.modules[inB.row]!];
  if (left.className !== right.className) add(undefined, { kind: "class_changed", before: left.className, after: right.className });
  compareTensors(left.tensors, right.tensors, add);
  return { changes, pairs: compareChildren([a, b], childrenOf(a, inA), childrenOf(b, inB), add) };
}

function compareTensors(left: ModuleRow["tensors"], right: ModuleRow["tensors"], add: Add): void {
  const [before, after] = [byName(left), byName(right)];
  for (const [name, tensor] of before) {
    const other = after.get(name);
    if (other === undefined) add(one(name), { kind: "tensor_removed", before: facts(tensor), after: null });
    else {
      const fields = changedFields(tensor, other);
      if (fields.length > 0) add(one(name), { kind: "tensor_changed", fields, before: facts(tensor), after: facts(other) });
    }
  }
  for (const [name, tensor] of after) if (!before.has(name)) add(one(name), { kind: "tensor_added", before: null, after: facts(tensor) });
  compareOrder(before, after, add);
}

function one(name: string): Span {
  return { from: name, to: name, count: 1 };
}

function facts({ role, dtype, dims, packedBits, logicalNumel }: TensorRow): Omit<TensorRow, "name" | "bytes"> {
  return { role, dtype, dims, packedBits, logicalNumel };
}

function changedFields(a: TensorRow, b: TensorRow): Extract<Change, { kind: "tensor_changed" }>["fields"] {
  const fields: Extract<Change, { kind: "tensor_changed" }>["fields"] = [];
  if (a.role !== b.role) fields.push("role");
  if (a.dtype !== b.dtype) fields.push("dtype");
  if (a.dims.join() !== b.dims.join()) fields.push("dims");
  if (a.packedBits !== b.packedBits || a.logicalNumel !== b.logicalNumel) fields.push("packing");
  return fields;
}

const orderShown = 8; // names, from the first that differs

// What both have, in another order; what only one has is said elsewhere.
function compareOrder(before: ReadonlyMap<string, unknown>, after: ReadonlyMap<string, unknown>, add: Add): void {
  const [kept, now] = [[...before.keys()].filter((name) => after.has(name)), [...after.keys()].filter((name) => before.has(name))];
  const from = kept.findIndex((name, i) => name !== now[i]);
  if (from >= 0) add(undefined, { kind: "order_changed", before: kept.slice(from, from + orderShown), after: now.slice(from, from + orderShown) });
}

interface Child {
  name: string;
  module: number; // row
  subtree: Subtree;
}

function childrenOf({ body, totals }: Side, parent: Subtree): Child[] {
  return body.modules[parent.row]!.children.map(({ name, module }, at) => ({ name, module, subtree: totals.child(parent, at) }));
}

// The children that both have, neighbours of equal structure on both sides as one pair.
function compareChildren([a, b]: readonly [Side, Side], before: readonly Child[], after: readonly Child[], add: Add): Difference["pairs"] {
  const [oldNames, newNames] = [byName(before), byName(after)];
  const removed = before.filter(({ name }) => !newNames.has(name));
  const added = after.filter(({ name }) => !oldNames.has(name));
  const layers = layersChanged(a.body, b.body, before, after, removed, added);
  if (layers !== undefined) add(undefined, layers);
  else for (const { at, facts: gone } of countedAlike(a, removed)) add(at, { kind: "module_removed", before: gone, after: null });
  compareOrder(oldNames, newNames, add);
  if (layers === undefined) for (const { at, facts: come } of countedAlike(b, added)) add(at, { kind: "module_added", before: null, after: come });
  const pairs: Difference["pairs"] = [];
  for (const { name, subtree } of before) {
    const other = newNames.get(name)?.subtree;
    if (other === undefined) continue;
    const last = pairs.at(-1);
    const alone = [subtree, other, last?.a, last?.b].some((one) => one?.knot !== undefined);
    if (last !== undefined && !alone && last.a.row === subtree.row && last.b.row === other.row && isIndex(name) && isIndex(last.to)) {
      last.to = name;
      last.count++;
    } else pairs.push({ a: subtree, b: other, ...one(name) });
  }
  return pairs.filter((pair) => a.hashes[pair.a.row] !== b.hashes[pair.b.row]);
}

// Runs of equal siblings, taken apart where what they share makes them count otherwise.
function countedAlike(side: Side, children: readonly Child[]): { at: Span; facts: ModuleFacts }[] {
  const found: { at: Span; facts: ModuleFacts }[] = [];
  for (const { at, count } of foldChildren(children)) {
    for (const [i, { name, subtree }] of children.slice(at, at + count).entries()) {
      const [last, fresh] = [found.at(-1), moduleFacts(side, subtree)];
      if (i > 0 && last !== undefined && last.facts.parameters === fresh.parameters && last.facts.weightBytes === fresh.weightBytes) {
        last.at.to = name;
        last.at.count++;
      } else found.push({ at: one(name), facts: fresh });
    }
  }
  return found;
}

// A list of layers that became longer or shorter: one change, not one for each layer.
function layersChanged(
  a: ShapeBody, b: ShapeBody, before: readonly Child[], after: readonly Child[], removed: readonly Child[], added: readonly Child[],
): Extract<Change, { kind: "layers_changed" }> | undefined {
  const lists = [before, after].every((children) => children.length > 0 && children.every(({ name }) => isIndex(name)));
  if (!lists || before.length === after.length || (removed.length > 0 && added.length > 0)) return undefined;
  return { kind: "layers_changed", before: { count: before.length, layers: classRuns(a, removed) }, after: { count: after.length, layers: classRuns(b, added) } };
}

function classRuns({ modules }: ShapeBody, children: readonly Child[]): { className: string; count: number }[] {
  const runs: { className: string; count: number }[] = [];
  for (const { module } of children) {
    const { className } = modules[module]!;
    const last = runs.at(-1);
    if (last?.className === className) last.count++;
    else runs.push({ className, count: 1 });
  }
  return runs;
}

interface ModuleFacts {
  className: string;
  parameters: number;
  weightBytes: number;
  modules: number;
}

function moduleFacts({ body, totals }: Side, subtree: Subtree): ModuleFacts {
  const { parameters, weightBytes, modules } = totals.of(subtree);
  return { className: body.modules[subtree.row]!.className, parameters, weightBytes, modules };
}

function byName<One extends { name: string }>(all: readonly One[]): Map<string, One> {
  return new Map(all.map((one) => [one.name, one]));
}
