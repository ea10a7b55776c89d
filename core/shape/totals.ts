// What a subtree counts, by docs/shape-format.md: every copy of a repeated module, each tensor once however many paths of the subtree lead to it. Linear in
// distinct rows, their children and what aliases stand for: the tree is never unfolded, so 61,670 modules of an MoE cost what its 20 rows cost. Exact: decode.ts
// refuses what would pass 2^53 - 1, and limits.sharedPartsMax.
import type { ShapeBody, TensorRow } from "#schema/api/models.ts";
import { tieKnots, type Knot } from "./knots.ts";
import { sharedParts } from "./shared-parts.ts";
import { logicalElements, tensorBytes } from "./tensor-size.ts";

export interface Totals {
  parameters: number; // logical, of role parameter
  weightBytes: number; // of roles parameter and quant_state, as stored; unsized tensors count 0
  modules: number; // the subtree's own root included, every path counted, shared or not
  unsizedTensors: number; // weights whose dtype has no known size
}

// By row: its subtree as if nothing in it were shared.
export function rowTotals(body: ShapeBody): Totals[] {
  const totals: Totals[] = [];
  for (const module of body.modules) {
    const sum = { parameters: 0, weightBytes: 0, modules: 1, unsizedTensors: 0 };
    for (const tensor of module.tensors) add(sum, tensorTotals(tensor));
    for (const child of module.children) add(sum, totals[child.module]!);
    totals.push(sum);
  }
  return totals;
}

// The whole model.
export function shapeTotals(body: ShapeBody): Totals {
  const totals = new SubtreeTotals(body);
  return totals.of(totals.root);
}

// A module of the tree as it is reached step by step from the root. What an alias shares is counted where it is held.
export interface Subtree {
  row: number;
  knot: Knot | undefined; // the first at or below it; undefined: what it counts is what its row counts
  depth: number; // steps from the root to where it is held
}

export class SubtreeTotals {
  readonly root: Subtree;
  readonly #body: ShapeBody;
  readonly #rows: readonly Totals[];
  readonly #twice = new Map<Knot, Totals>(); // what the row of a knot counts too often

  constructor(body: ShapeBody) {
    this.#body = body;
    this.#rows = rowTotals(body);
    const { root, places, inward } = tieKnots(body);
    this.root = { row: body.root, knot: root, depth: 0 };
    if (places.length > 0) this.#count(places, inward);
  }

  of({ row, knot }: Subtree): Totals {
    const twice = knot && this.#twice.get(knot);
    return twice === undefined ? this.#rows[row]! : add({ ...this.#rows[row]! }, twice, -1);
  }

  // `at` is the child's place among the children.
  child({ row, knot, depth }: Subtree, at: number): Subtree {
    const child = { row: this.#body.modules[row]!.children[at]!.module, depth: depth + 1 };
    const below = knot !== undefined && depth < knot.depth ? (knot.position[depth] === at ? knot : undefined) : knot?.below?.get(at);
    const held = below?.depth === child.depth ? below.shares : undefined;
    return held === undefined ? { ...child, knot: below } : { ...child, knot: held, depth: held.depth };
  }

  // Each part that an alias stands for meets the place before that led to it in some subtree, and is too much there and in all that hold it.
  #count(places: readonly Knot[], inward: readonly Knot[]): void {
    const twiceAt = (knot: Knot): Totals => {
      let twice = this.#twice.get(knot);
      if (twice === undefined) this.#twice.set(knot, (twice = { parameters: 0, weightBytes: 0, modules: 0, unsizedTensors: 0 }));
      return twice;
    };
    const own = new Map(places.flatMap((place, i) => (place.shares === undefined ? [[place, this.#ownOf(places, i)]] : []))); // by part
    const last = new Map<Knot, Knot>(); // by part: the place that led to it last
    for (const { alias, parts } of sharedParts(places)) {
      add(twiceAt(alias), this.#at(alias));
      for (const part of parts) {
        add(twiceAt(alias), own.get(part)!, -1); // what is left there its target counts twice within itself
        add(twiceAt(meeting(last.get(part) ?? part, alias)), own.get(part)!);
        last.set(part, alias);
      }
    }
    for (const knot of inward) {
      const twice = this.#twice.get(knot);
      if (twice !== undefined && knot.parent !== undefined) add(twiceAt(knot.parent), twice);
    }
  }

  // What a shared place holds outside of all places in it.
  #ownOf(places: readonly Knot[], part: number): Totals {
    const own = { ...this.#at(places[part]!) };
    for (let i = part + 1; i < places[part]!.end; i = places[i]!.end) add(own, this.#at(places[i]!), -1);
    return own;
  }

  // The modules of what is shared are paths of their own all the same.
  #at({ at }: Knot): Totals {
    const { module, tensor } = at!;
    return tensor === undefined ? { ...this.#rows[module]!, modules: 0 } : tensorTotals(this.#body.modules[module]!.tensors[tensor]!);
  }
}

// The deepest knot that holds both; `before` comes first in pre-order.
function meeting(before: Knot, after: Knot): Knot {
  let knot = after;
  while (knot.first > before.first) knot = knot.parent!;
  return knot;
}

function tensorTotals(tensor: TensorRow): Totals {
  const bytes = tensor.role === "buffer" ? 0 : tensorBytes(tensor);
  const parameters = tensor.role === "parameter" ? logicalElements(tensor) : 0;
  return { parameters, weightBytes: bytes ?? 0, modules: 0, unsizedTensors: bytes === undefined ? 1 : 0 };
}

function add(sum: Totals, more: Totals, sign = 1): Totals {
  sum.parameters += sign * more.parameters;
  sum.weightBytes += sign * more.weightBytes;
  sum.modules += sign * more.modules;
  sum.unsizedTensors += sign * more.unsizedTensors;
  return sum;
}
