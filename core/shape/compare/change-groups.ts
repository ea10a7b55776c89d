// Equal changes at paths that differ in indices only are one: `model.layers.*.mlp.down_proj.weight … ×64`. Also across folds: a change in every fourth layer is one.
import { isIndex } from "../frame-name.ts";
import { joinPath } from "../locate.ts";

// A place, or places: `steps` with "*" for an index in which they differ.
export interface Places {
  steps: readonly string[];
  first: string;
  last: string;
  copies: number;
}

export const theRoot: Places = { steps: [], first: "", last: "", copies: 1 };

export function below({ steps, first, last, copies }: Places, name: string): Places {
  return { steps: [...steps, name], first: joinPath(first, name), last: joinPath(last, name), copies };
}

// Children with the indices from `from` to `to`.
export function belowRange({ steps, first, last, copies }: Places, from: string, to: string, count: number): Places {
  return { steps: [...steps, count === 1 ? from : "*"], first: joinPath(first, from), last: joinPath(last, to), copies: copies * count };
}

export function pathOf({ steps }: Places): string {
  return steps.join(".");
}

// Every index "*".
export function patternOf({ steps }: Places): string {
  return steps.map((step) => (isIndex(step) ? "*" : step)).join(".");
}

export class ChangeGroups<Change extends object> {
  readonly #groups = new Map<string, { places: Places; change: Change }>();

  add(places: Places, change: Change): void {
    const key = `${patternOf(places)}\n${JSON.stringify(change)}`;
    const known = this.#groups.get(key);
    if (known === undefined) this.#groups.set(key, { places, change });
    else known.places = merged(known.places, places);
  }

  get size(): number {
    return this.#groups.size;
  }

  // In the order in which each was first added.
  list(most: number): { places: Places; change: Change }[] {
    return [...this.#groups.values()].slice(0, most);
  }
}

// Places are added in pre-order, so the later ones are the last.
function merged(a: Places, b: Places): Places {
  return { steps: a.steps.map((step, i) => (step === b.steps[i] ? step : "*")), first: a.first, last: b.last, copies: a.copies + b.copies };
}
