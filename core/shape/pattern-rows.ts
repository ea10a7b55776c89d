// The modules of a shape, or of two shapes side by side, as patterns of paths see them: what a row holds by the next step of a path. "*" stands for every index.
// A row's names are indexed when a pattern first asks for one, so 60,000 experts that only a "*" goes through cost a list.
import type { ModuleRow, ShapeBody, TensorRow } from "#schema/api/models.ts";
import type { CanonicalShape } from "./canonical.ts";
import { isIndex } from "../module-path.ts";
import type { Steps } from "./steps.ts";

type Child = ModuleRow["children"][number];
export type Edge = "first" | "last"; // of the paths of a pattern, in pre-order

export interface Held {
  readonly tensors: readonly TensorRow[];
  readonly children: readonly Child[];
}

// Children of equal structure: `name` is that of the first or last of them.
export interface Way {
  row: number;
  name: string;
  copies: number;
}

export interface PatternRows {
  readonly root: number;
  namesOf(row: number): RowNames;
}

export class RowNames {
  readonly size: number;
  readonly #all: Held;
  #starred: Held | undefined;
  readonly #ways: { [edge in Edge]?: readonly Way[] } = {};
  #tensors: ReadonlyMap<string, TensorRow> | undefined;
  #children: ReadonlyMap<string, Child> | undefined;

  constructor(all: Held) {
    this.#all = all;
    this.size = all.tensors.length + all.children.length;
  }

  // What the row holds by each of some steps, looked up from the side that has fewer. Tensor and child of one name may come apart.
  meet<Next>(steps: ReadonlyMap<string, Next>, met: (next: Next, step: string, held: Held) => void): void {
    const { tensors, children } = this.#all;
    const starred = steps.get("*");
    if (starred !== undefined) met(starred, "*", this.#atStar());
    if (steps.size <= this.size) {
      for (const [step, next] of steps) if (step !== "*") met(next, step, this.#at(step));
      return;
    }
    for (const tensor of tensors) {
      const next = tensor.name === "*" ? undefined : steps.get(tensor.name);
      if (next !== undefined) met(next, tensor.name, { tensors: [tensor], children: none });
    }
    for (const child of children) {
      const next = child.name === "*" ? undefined : steps.get(child.name);
      if (next !== undefined) met(next, child.name, { tensors: none, children: [child] });
    }
  }

  // What the row holds by one step.
  at(step: string): Held {
    return step === "*" ? this.#atStar() : this.#at(step);
  }

  // Where the children by one step lead: from the first child on, or from the last one back.
  ways(step: string, { children }: Held, edge: Edge): readonly Way[] {
    return step === "*" ? (this.#ways[edge] ??= distinctRows(children, edge)) : distinctRows(children, edge);
  }

  #at(step: string): Held {
    const tensor = (this.#tensors ??= byName(this.#all.tensors)).get(step);
    const child = (this.#children ??= byName(this.#all.children)).get(step);
    return { tensors: tensor === undefined ? none : [tensor], children: child === undefined ? none : [child] };
  }

  #atStar(): Held {
    const { tensors, children } = this.#all;
    return (this.#starred ??= { tensors: tensors.filter(isStarred), children: children.filter(isStarred) });
  }
}

const none: readonly never[] = [];

// A name that is "*" itself has the pattern of an index.
function isStarred({ name }: { name: string }): boolean {
  return name === "*" || isIndex(name);
}

function distinctRows(children: readonly Child[], edge: Edge): Way[] {
  const ways = new Map<number, Way>();
  for (let i = 0; i < children.length; i++) {
    const { name, module } = children[edge === "first" ? i : children.length - 1 - i]!;
    const way = ways.get(module);
    if (way === undefined) ways.set(module, { row: module, name, copies: 1 });
    else way.copies++;
  }
  return [...ways.values()];
}

const nameSteps = 10; // to look at one name

export function rowsOf({ modules, root }: ShapeBody, steps: Steps): PatternRows {
  const namesOf = known((row) => {
    const names = new RowNames(modules[row]!);
    steps.take(names.size * nameSteps);
    return names;
  });
  return { root, namesOf };
}

// What both shapes have at one path, in the order of the first; a row is a pair of rows.
export function rowsOfBoth(a: CanonicalShape, b: CanonicalShape, steps: Steps): PatternRows {
  const pairs: { rowA: number; rowB: number }[] = [];
  const numberOf = known((key) => pairs.push({ rowA: Math.floor(key / b.hashes.length), rowB: key % b.hashes.length }) - 1);
  const pair = (rowA: number, rowB: number): number => numberOf(rowA * b.hashes.length + rowB);
  const inB = known((row) => ({ tensors: byName(b.body.modules[row]!.tensors), children: byName(b.body.modules[row]!.children) }));
  const namesOf = known((number) => {
    const { rowA, rowB } = pairs[number]!;
    const { tensors, children } = a.body.modules[rowA]!;
    steps.take((tensors.length + children.length) * nameSteps);
    if (a.hashes[rowA] === b.hashes[rowB]) {
      const twins = b.body.modules[rowB]!.children;
      return new RowNames({ tensors, children: children.map(({ name, module }, i) => ({ name, module: pair(module, twins[i]!.module) })) });
    }
    const other = inB(rowB);
    const shared = children.flatMap(({ name, module }) => {
      const twin = other.children.get(name);
      return twin === undefined ? [] : [{ name, module: pair(module, twin.module) }];
    });
    return new RowNames({ tensors: tensors.filter(({ name }) => other.tensors.has(name)), children: shared });
  });
  return { root: pair(a.body.root, b.body.root), namesOf };
}

function known<Value>(make: (number: number) => Value): (number: number) => Value {
  const made = new Map<number, Value>();
  return (number) => {
    let value = made.get(number);
    if (value === undefined) made.set(number, (value = make(number)));
    return value;
  };
}

function byName<One extends { name: string }>(all: readonly One[]): ReadonlyMap<string, One> {
  return new Map(all.map((one) => [one.name, one]));
}
