// What differs between two models, by path: modules, classes, tensors, numbers of layers, sharing, and how they are sharded when their layouts are given.
// Invariant: there is no change exactly when the two have one shape_id and, where given, layouts that say the same.
import type { ShapeBody } from "#schema/api/models.ts";
import type { ShapeChange, ShapeComparison } from "#schema/api/shapes.ts";
import { ok, type Result } from "../../result.ts";
import { placeAliases } from "../alias.ts";
import { canonicalShape, type CanonicalShape } from "../canonical.ts";
import { ChangeGroups, pathOf, patternOf, type Places } from "./change-groups.ts";
import { compareLayouts } from "./compare-layouts.ts";
import { compareModules, type Change } from "./compare-modules.ts";
import { isIndex } from "../frame-name.ts";
import { layoutId } from "../layout.ts";
import { locator } from "../locate.ts";
import type { ShapeLayout } from "../part.ts";
import { countOfPattern } from "./pattern-count.ts";
import { shapeTotals } from "../totals.ts";
import { weightDtypes } from "../weight-dtypes.ts";

export interface ComparedSide {
  body: ShapeBody;
  layout?: ShapeLayout | undefined;
}

export function compareShapes(a: ComparedSide, b: ComparedSide, limit: number): Result<ShapeComparison, string> {
  const [left, right] = [canonicalShape(a.body), canonicalShape(b.body)];
  const groups = new ChangeGroups<Change>();
  const modules = compareModules(left, right, groups);
  if (!modules.ok) return modules;
  compareAliases(left.body, right.body, groups);
  if (a.layout !== undefined && b.layout !== undefined) compareLayouts({ body: left.body, layout: a.layout }, { body: right.body, layout: b.layout }, groups);
  const changes = groups.list(limit).map(({ places, change }): ShapeChange => ({ ...change, ...placesOf(places, change, left.body, right.body) }) as ShapeChange);
  return ok({ a: sideOf(left, a.layout), b: sideOf(right, b.layout), same: groups.size === 0, total: groups.size, changes });
}

function placesOf(places: Places, change: Change, a: ShapeBody, b: ShapeBody): Pick<ShapeChange, "path" | "first" | "last" | "copies" | "of"> {
  const { first, last, copies } = places;
  const path = pathOf(places);
  const pattern = patternOf(places);
  const of = copies === 1 && !path.includes("*") ? 1 : countOfPattern(change.kind === "module_added" || change.kind === "tensor_added" ? b : a, pattern);
  return { path, first, last, copies, of };
}

// Where both have the path; else its module or tensor is said to be added or removed.
function compareAliases(a: ShapeBody, b: ShapeBody, groups: ChangeGroups<Change>): void {
  const [before, after] = [a, b].map((shape) => new Map(placeAliases(shape).map(({ path, target }) => [path, target]))) as [Map<string, string>, Map<string, string>];
  const [inA, inB] = [locator(a), locator(b)];
  for (const path of new Set([...before.keys(), ...after.keys()])) {
    const [was, is] = [before.get(path) ?? null, after.get(path) ?? null];
    if (was === is || inA(path) === undefined || inB(path) === undefined) continue;
    groups.add({ steps: path.split("."), first: path, last: path, copies: 1 }, { kind: "alias_changed", before: seenFrom(path, was), after: seenFrom(path, is) });
  }
}

// An index that the target has in common with the path is "*": 64 layers that each share within themselves share alike.
function seenFrom(path: string, target: string | null): string | null {
  const steps = path.split(".");
  return target && target.split(".").map((step, i) => (isIndex(step) && step === steps[i] ? "*" : step)).join(".");
}

function sideOf({ shapeId, body }: CanonicalShape, layout: ShapeLayout | undefined): ShapeComparison["a"] {
  const { parameters, weightBytes, modules } = shapeTotals(body);
  return {
    shapeId,
    layoutId: layout === undefined ? null : layoutId(layout),
    architecture: body.architecture,
    rootClass: body.modules[body.root]!.className,
    parameters,
    weightBytes,
    modules,
    dtypes: weightDtypes(body.modules)[body.root]!,
  };
}
