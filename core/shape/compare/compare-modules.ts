// Two module trees walked side by side by name. Equal structure is skipped at once, equal pairs of neighbours are walked once, so the work is in what differs.
import type { ModuleRow, ShapeBody, TensorRow } from "#schema/api/models.ts";
import type { ShapeChange } from "#schema/api/shapes.ts";
import { limits } from "#schema/limits.ts";
import { ok, err, type Result } from "../../result.ts";
import type { CanonicalShape } from "../canonical.ts";
import { below, belowRange, ChangeGroups, theRoot, type Places } from "./change-groups.ts";
import { foldChildren } from "../fold.ts";
import { isIndex } from "../frame-name.ts";
import { rowTotals, type Totals } from "../totals.ts";

type Without<Change> = Change extends ShapeChange ? Omit<Change, "path" | "first" | "last" | "copies" | "of"> : never;
export type Change = Without<ShapeChange>; // what changed, without where

interface Side {
  body: ShapeBody;
  hashes: readonly string[];
  totals: readonly Totals[];
}

interface Pair {
  places: Places;
  a: number;
  b: number;
}

export function compareModules(a: CanonicalShape, b: CanonicalShape, groups: ChangeGroups<Change>): Result<void, string> {
  const sides = [a, b].map(({ body, hashes }): Side => ({ body, hashes, totals: rowTotals(body) })) as [Side, Side];
  const open: Pair[] = [{ places: theRoot, a: a.body.root, b: b.body.root }];
  let walked = 0;
  for (let pair = open.pop(); pair !== undefined; pair = open.pop()) {
    if (a.hashes[pair.a] === b.hashes[pair.b]) continue;
    if (++walked > limits.compareModulesMax) return err(`more than compareModulesMax = ${limits.compareModulesMax} modules differ: these are two different models`);
    const [left, right] = [a.body.modules[pair.a]!, b.body.modules[pair.b]!];
    if (left.className !== right.className) groups.add(pair.places, { kind: "class_changed", before: left.className, after: right.className });
    compareTensors(left, right, pair.places, groups);
    open.push(...compareChildren(sides, pair, groups).reverse());
  }
  return ok(undefined);
}

function compareTensors(left: ModuleRow, right: ModuleRow, places: Places, groups: ChangeGroups<Change>): void {
  const [before, after] = [byName(left.tensors), byName(right.tensors)];
  for (const [name, tensor] of before) {
    const other = after.get(name);
    if (other === undefined) groups.add(below(places, name), { kind: "tensor_removed", before: facts(tensor), after: null });
    else {
      const fields = changedFields(tensor, other);
      if (fields.length > 0) groups.add(below(places, name), { kind: "tensor_changed", fields, before: facts(tensor), after: facts(other) });
    }
  }
  for (const [name, tensor] of after) if (!before.has(name)) groups.add(below(places, name), { kind: "tensor_added", before: null, after: facts(tensor) });
  compareOrder([...before.keys()], [...after.keys()], places, groups);
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
function compareOrder(before: readonly string[], after: readonly string[], places: Places, groups: ChangeGroups<Change>): void {
  const [old, fresh] = [new Set(before), new Set(after)];
  const [kept, now] = [before.filter((name) => fresh.has(name)), after.filter((name) => old.has(name))];
  const from = kept.findIndex((name, i) => name !== now[i]);
  if (from >= 0) groups.add(places, { kind: "order_changed", before: kept.slice(from, from + orderShown), after: now.slice(from, from + orderShown) });
}

// The children that both have, neighbours of equal structure on both sides as one pair.
function compareChildren([a, b]: readonly [Side, Side], { places, a: rowA, b: rowB }: Pair, groups: ChangeGroups<Change>): Pair[] {
  const [before, after] = [a.body.modules[rowA]!.children, b.body.modules[rowB]!.children];
  const [oldNames, newNames] = [byName(before), byName(after)];
  const removed = before.filter(({ name }) => !newNames.has(name));
  const added = after.filter(({ name }) => !oldNames.has(name));
  const layers = layersChanged(a.body, b.body, before, after, removed, added);
  if (layers !== undefined) groups.add(places, layers);
  else {
    for (const run of foldChildren(removed)) groups.add(belowRange(places, run.first, run.last, run.count), { kind: "module_removed", before: moduleFacts(a, run.module), after: null });
  }
  compareOrder(before.map(({ name }) => name), after.map(({ name }) => name), places, groups);
  const pairs: (Pair & { from: string; to: string; count: number })[] = [];
  for (const { name, module } of before) {
    const other = newNames.get(name);
    if (other === undefined) continue;
    const last = pairs.at(-1);
    if (last !== undefined && last.a === module && last.b === other.module && isIndex(name) && isIndex(last.to)) {
      last.to = name;
      last.count++;
    } else pairs.push({ places, a: module, b: other.module, from: name, to: name, count: 1 });
  }
  if (layers === undefined) {
    for (const run of foldChildren(added)) groups.add(belowRange(places, run.first, run.last, run.count), { kind: "module_added", before: null, after: moduleFacts(b, run.module) });
  }
  return pairs.map(({ a: one, b: other, from, to, count }) => ({ places: belowRange(places, from, to, count), a: one, b: other }));
}

// A list of layers that became longer or shorter: one change, not one for each layer.
function layersChanged(
  a: ShapeBody, b: ShapeBody, before: ModuleRow["children"], after: ModuleRow["children"], removed: ModuleRow["children"], added: ModuleRow["children"],
): Extract<Change, { kind: "layers_changed" }> | undefined {
  const lists = [before, after].every((children) => children.length > 0 && children.every(({ name }) => isIndex(name)));
  if (!lists || before.length === after.length || (removed.length > 0 && added.length > 0)) return undefined;
  return { kind: "layers_changed", before: { count: before.length, layers: classRuns(a, removed) }, after: { count: after.length, layers: classRuns(b, added) } };
}

function classRuns({ modules }: ShapeBody, children: ModuleRow["children"]): { className: string; count: number }[] {
  const runs: { className: string; count: number }[] = [];
  for (const { module } of children) {
    const { className } = modules[module]!;
    const last = runs.at(-1);
    if (last?.className === className) last.count++;
    else runs.push({ className, count: 1 });
  }
  return runs;
}

function moduleFacts({ body, totals }: Side, row: number): { className: string; parameters: number; weightBytes: number; modules: number } {
  const { parameters, weightBytes, modules } = totals[row]!;
  return { className: body.modules[row]!.className, parameters, weightBytes, modules };
}

function byName<One extends { name: string }>(all: readonly One[]): Map<string, One> {
  return new Map(all.map((one) => [one.name, one]));
}
