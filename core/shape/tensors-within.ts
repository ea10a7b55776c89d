// The distinct tensors of a module, or of all copies of it: each row of the table with how often it occurs there, what is shared counted once. Linear in rows,
// their children and aliases, however many modules the tree has.
// Exact: every alias stands for its target, wherever that is. A place is then a set of regions of the tree in which nothing is shared any more.
import type { ShapeBody, TensorRow } from "#schema/api/models.ts";
import type { PlacedAlias } from "./alias.ts";
import { comparePositions, holds, type Place } from "./locate.ts";
import { logicalElements, tensorBytes } from "./tensor-size.ts";

// Positions [at, at + count) of one level.
export interface Range {
  at: number;
  count: number;
}

// All modules of one row whose positions lie in the ranges, one range per level.
export interface Box {
  row: number;
  ranges: readonly Range[];
}

export interface TensorCount {
  row: number; // that holds it
  tensor: TensorRow;
  count: number;
}

interface Region extends Box {
  base: readonly number[]; // a place at or above all of it
  tensor?: number | undefined; // one tensor of the row instead of the module
}

type Shared = PlacedAlias & { shares: Place };

export function tensorsWithin(shape: ShapeBody, aliases: readonly PlacedAlias[], box: Box): TensorCount[] {
  const shared = aliases.filter((alias): alias is Shared => alias.shares !== undefined);
  const regions = outermost(regionsOf(shared, { ...box, base: [] }));
  const times = new Float64Array(shape.modules.length);
  const single = new Map<number, number[]>(); // row → by tensor, beside what `times` says of all
  const count = (row: number, tensor: number | undefined, by: number): void => {
    if (tensor === undefined) {
      times[row]! += by;
      return;
    }
    const own = single.get(row) ?? [];
    own[tensor] = (own[tensor] ?? 0) + by;
    single.set(row, own);
  };
  for (const region of regions) {
    count(region.row, region.tensor, copiesOf(region.ranges));
    for (const { at } of aliasesIn(shared, region)) count(at.module, at.tensor, -1);
    for (const { at } of aliasesAbove(shared, region)) count(region.row, undefined, -copiesOf(region.ranges.slice(at.position.length)));
  }

  const tensors: TensorCount[] = [];
  for (let row = shape.modules.length - 1; row >= 0; row--) {
    const [module, held] = [shape.modules[row]!, times[row]!];
    if (held !== 0) for (const child of module.children) times[child.module]! += held;
    const own = single.get(row);
    if (held === 0 && own === undefined) continue;
    for (const [i, tensor] of module.tensors.entries()) {
      const counted = held + (own?.[i] ?? 0);
      if (counted > 0) tensors.push({ row, tensor, count: counted });
    }
  }
  return tensors;
}

// The box and every other region that it shares something of, directly or through another.
function regionsOf(shared: readonly Shared[], box: Region): Region[] {
  const regions = [box];
  const known = new Set<string>();
  for (const region of regions) {
    const found = aliasesIn(shared, region).map(({ shares: { position, module, tensor } }): Region => ({ row: module, ranges: fixed(position), base: position, tensor }));
    for (const { at, shares } of aliasesAbove(shared, region)) {
      found.push({ row: region.row, ranges: [...fixed(shares.position), ...region.ranges.slice(at.position.length)], base: shares.position });
    }
    for (const one of found) {
      const key = JSON.stringify([one.ranges, one.tensor]);
      if (known.has(key) || liesIn(one.ranges, box.ranges)) continue;
      known.add(key);
      regions.push(one);
    }
  }
  return regions;
}

// Without those that lie in another. In pre-order, a region that holds the next ones comes first.
function outermost([box, ...others]: readonly Region[]): Region[] {
  const starts = ({ ranges }: Region): number[] => ranges.map(({ at }) => at);
  const kept: Region[] = [];
  for (const region of others.sort((a, b) => comparePositions(starts(a), starts(b)))) {
    const last = kept.at(-1);
    if (last === undefined || !liesIn(region.ranges, last.ranges)) kept.push(region);
  }
  return [box!, ...kept];
}

function aliasesIn(shared: readonly Shared[], { base, ranges }: Region): Shared[] {
  return aliasesBelow(shared, base).filter(({ at }) => liesIn(fixed(at.position), ranges));
}

// Those of a module that holds copies of the region: whatever it shares, they share.
function aliasesAbove(shared: readonly Shared[], { base, ranges }: Region): Shared[] {
  return aliasesBelow(shared, base).filter(({ at: { position } }) => position.length < ranges.length && liesIn(fixed(position), ranges.slice(0, position.length)));
}

// Aliases come in pre-order, so those at or below one place stand side by side.
function aliasesBelow(shared: readonly Shared[], base: readonly number[]): Shared[] {
  let low = 0;
  for (let high = shared.length; low < high; ) {
    const middle = (low + high) >> 1;
    if (comparePositions(shared[middle]!.at.position, base) < 0) low = middle + 1;
    else high = middle;
  }
  let end = low;
  while (end < shared.length && holds(base, shared[end]!.at.position)) end++;
  return shared.slice(low, end);
}

function fixed(position: readonly number[]): Range[] {
  return position.map((at) => ({ at, count: 1 }));
}

function copiesOf(ranges: readonly Range[]): number {
  return ranges.reduce((product, { count }) => product * count, 1);
}

function liesIn(inner: readonly Range[], outer: readonly Range[]): boolean {
  return inner.length >= outer.length && outer.every(({ at, count }, level) => inner[level]!.at >= at && inner[level]!.at + inner[level]!.count <= at + count);
}

export interface WeightTotals {
  parameters: number;
  weightBytes: number;
  unsizedTensors: number;
}

export function weightTotals(tensors: readonly TensorCount[]): WeightTotals {
  const totals = { parameters: 0, weightBytes: 0, unsizedTensors: 0 };
  for (const { tensor, count } of tensors) {
    if (tensor.role === "buffer") continue;
    const bytes = tensorBytes(tensor);
    if (tensor.role === "parameter") totals.parameters += count * logicalElements(tensor);
    totals.weightBytes += count * (bytes ?? 0);
    if (bytes === undefined) totals.unsizedTensors += count;
  }
  return totals;
}
