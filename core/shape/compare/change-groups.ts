// Equal changes at paths that differ in indices only are one: `model.layers.*.mlp.down_proj.weight … ×64`. Also across folds: a change in every fourth layer is one.
// Places hang on those above them and on the tree of their patterns, so one more costs the steps of its path, not its characters.
import { isIndex } from "../../module-path.ts";
import { joinPath } from "../locate.ts";
import type { Steps } from "../steps.ts";

// Of 100,000 places most hold nothing: their maps are made when something is put in.
interface Pattern<Change> {
  below?: Map<string, Pattern<Change>>; // by name, every index "*"
  groups?: Map<Change, Group<Change>>;
}

export interface PlaceRange {
  first: string;
  last: string;
  copies: number;
}

interface Group<Change> extends PlaceRange {
  path: string[]; // steps, "*" for an index in which the places differ
  change: Change;
}

// A place, or places that differ in an index.
export interface Places<Change> extends PlaceRange {
  above: Places<Change> | undefined;
  name: string; // "*" = an index in which they differ
  pattern: Pattern<Change>;
}

export interface Span {
  from: string;
  to: string;
  count: number;
}

// New objects cost by what they weigh, for an isolate of 128 MB.
const addSteps = 60; // to add a place to a group
const groupSteps = 600;
const patternSteps = 300;
const nameSteps = 2; // of the path of a place
const characterSteps = 4; // of a path in the answer

export class ChangeGroups<Change extends object> {
  readonly root: Places<Change> = { above: undefined, name: "", first: "", last: "", copies: 1, pattern: {} };
  readonly #steps: Steps;
  readonly #groups: Group<Change>[] = [];
  readonly #byText = new Map<string, Change>();

  constructor(steps: Steps) {
    this.#steps = steps;
  }

  // The children of a place with the names from `from` to `to`, indices in between.
  below(places: Places<Change>, { from, to, count }: Span): Places<Change> {
    const [first, last] = [joinPath(places.first, from), joinPath(places.last, to)];
    return { above: places, name: count === 1 ? from : "*", first, last, copies: places.copies * count, pattern: this.#patternBelow(places.pattern, from) };
  }

  // The one object for all changes that say the same.
  shared(change: Change): Change {
    const text = JSON.stringify(change);
    this.#steps.take(text.length);
    const known = this.#byText.get(text);
    if (known === undefined) this.#byText.set(text, change);
    return known ?? change;
  }

  // Places in pre-order; a change that is `shared`.
  add(places: Places<Change>, change: Change): void {
    this.#put(places.pattern, pathOf(places), places, change);
  }

  // The same, of places that one path or pattern says.
  addAt(path: string, range: PlaceRange, change: Change): void {
    const steps = path.split(".");
    this.#put(steps.reduce((above, step) => this.#patternBelow(above, step), this.root.pattern), steps, range, change);
  }

  #put(pattern: Pattern<Change>, path: string[], { first, last, copies }: PlaceRange, change: Change): void {
    this.#steps.take(addSteps + path.length * nameSteps);
    const groups = (pattern.groups ??= new Map());
    const group = groups.get(change);
    if (group === undefined) {
      this.#steps.take(groupSteps);
      const fresh = { path, first, last, copies, change };
      groups.set(change, fresh);
      this.#groups.push(fresh);
      return;
    }
    for (const [i, name] of path.entries()) if (group.path[i] !== name) group.path[i] = "*";
    group.last = last;
    group.copies += copies;
  }

  #patternBelow(above: Pattern<Change>, name: string): Pattern<Change> {
    const below = (above.below ??= new Map());
    const step = isIndex(name) ? "*" : name;
    let pattern = below.get(step);
    if (pattern === undefined) {
      this.#steps.take(patternSteps);
      below.set(step, (pattern = {}));
    }
    return pattern;
  }

  get size(): number {
    return this.#groups.length;
  }

  // In the order in which each was first added.
  list(most: number): (Omit<Group<Change>, "path"> & { path: string })[] {
    return this.#groups.slice(0, most).map((group) => {
      this.#steps.take((group.first.length + group.last.length) * characterSteps);
      return { ...group, path: group.path.join(".") };
    });
  }
}

function pathOf<Change>(places: Places<Change>): string[] {
  const path: string[] = [];
  for (let at = places; at.above !== undefined; at = at.above) path.push(at.name);
  return path.reverse();
}
