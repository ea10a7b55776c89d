// What differs between two models, by path: modules, classes, tensors, numbers of layers, sharing, and how they are sharded when their layouts are given.
// Invariant: there is no change exactly when the two have one shape_id and, where given, layouts that say the same.
import type { ShapeBody } from "#schema/api/models.ts";
import type { ShapeChange, ShapeComparison } from "#schema/api/shapes.ts";
import { err, ok, type Result } from "../../result.ts";
import { placeAliases } from "../alias.ts";
import { canonicalShape } from "../canonical.ts";
import { ChangeGroups } from "./change-groups.ts";
import { compareLayouts } from "./compare-layouts.ts";
import { compareModules } from "./compare-modules.ts";
import { isIndex } from "../../module-path.ts";
import { layoutId } from "../layout.ts";
import { locator } from "../locate.ts";
import type { ShapeLayout } from "../part.ts";
import type { Change, Side } from "./module-difference.ts";
import { countPatterns } from "./pattern-places.ts";
import { Steps, TooManySteps } from "../steps.ts";
import { SubtreeTotals } from "../totals.ts";
import { weightDtypes } from "../weight-dtypes.ts";

export interface ComparedSide {
  body: ShapeBody;
  layout?: ShapeLayout | undefined;
}

export function compareShapes(a: ComparedSide, b: ComparedSide, limit: number): Result<ShapeComparison, string> {
  try {
    return compared(a, b, limit, new Steps("compareStepsMax"));
  } catch (error) {
    if (error instanceof TooManySteps) return err(`the comparison takes ${error.message}: the two differ in too many places, or their layouts say too much to compare them`);
    throw error;
  }
}

function compared(a: ComparedSide, b: ComparedSide, limit: number, steps: Steps): Result<ShapeComparison, string> {
  const left = sideOf(a.body);
  const right = b.body === a.body ? left : sideOf(b.body); // one shape in two layouts
  const groups = new ChangeGroups<Change>(steps);
  const modules = compareModules(left, right, groups, steps);
  if (!modules.ok) return modules;
  compareAliases(left.body, right.body, groups);
  if (a.layout !== undefined && b.layout !== undefined) compareLayouts({ shape: left, layout: a.layout }, { shape: right, layout: b.layout }, groups, steps);
  const changes = listed(groups, limit, [left.body, right.body], steps);
  return ok({ a: factsOf(left, a.layout), b: factsOf(right, b.layout), same: groups.size === 0, total: groups.size, changes });
}

// With the places that each path stands for, those of one side in one walk.
function listed(groups: ChangeGroups<Change>, limit: number, bodies: readonly [ShapeBody, ShapeBody], steps: Steps): ShapeChange[] {
  const list = groups.list(limit);
  const sideOfChange = ({ kind }: Change): 0 | 1 => (kind === "module_added" || kind === "tensor_added" ? 1 : 0);
  const counts = bodies.map((body, side) => {
    const patterns = list.filter(({ path, change }) => path.includes("*") && sideOfChange(change) === side);
    return countPatterns(body, new Set(patterns.map(({ path }) => path)), steps);
  });
  return list.map(({ change, ...places }): ShapeChange => ({ ...change, ...places, of: counts[sideOfChange(change)]!.get(places.path) ?? 1 }) as ShapeChange);
}

// Where both have the path; else its module or tensor is said to be added or removed.
function compareAliases(a: ShapeBody, b: ShapeBody, groups: ChangeGroups<Change>): void {
  const [before, after] = [a, b].map((shape) => new Map(placeAliases(shape).map(({ path, target }) => [path, target]))) as [Map<string, string>, Map<string, string>];
  const [inA, inB] = [locator(a), locator(b)];
  for (const path of new Set([...before.keys(), ...after.keys()])) {
    const [was, is] = [before.get(path) ?? null, after.get(path) ?? null];
    if (was === is || inA(path) === undefined || inB(path) === undefined) continue;
    groups.addAt(path, { first: path, last: path, copies: 1 }, groups.shared({ kind: "alias_changed", before: seenFrom(path, was), after: seenFrom(path, is) }));
  }
}

// An index that the target has in common with the path is "*": 64 layers that each share within themselves share alike.
function seenFrom(path: string, target: string | null): string | null {
  const steps = path.split(".");
  return target && target.split(".").map((step, i) => (isIndex(step) && step === steps[i] ? "*" : step)).join(".");
}

function sideOf(given: ShapeBody): Side {
  const shape = canonicalShape(given);
  return { ...shape, totals: new SubtreeTotals(shape.body) };
}

function factsOf({ shapeId, body, totals }: Side, layout: ShapeLayout | undefined): ShapeComparison["a"] {
  const { parameters, weightBytes, modules } = totals.of(totals.root);
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
