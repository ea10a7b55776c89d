// Search over the modules of a shape: by name, class, dotted path, or the dtype of the tensors a module holds itself; every word must match one of them.
// Never unfolded. Whether a module matches depends on its row and on how far each word got along the path; so the tree is walked once per (row, such state), and
// 64 layers that no word tells apart are one. Copies that folding shows as one node are one hit, with the number of them that match.
import type { ShapeBody } from "#schema/api/models.ts";
import type { FindHit } from "#schema/api/shapes.ts";
import { limits } from "#schema/limits.ts";
import { err, ok, type Result } from "../../result.ts";
import { canonicalShape } from "../canonical.ts";
import { joinPath } from "../locate.ts";
import { parseFind, SearchSteps, TooMuchToSearch, type FindProblem, type Pattern } from "./find-pattern.ts";
import { foldChildren } from "../fold.ts";
import { comparePositions } from "../locate.ts";
import { rowTotals } from "../totals.ts";

export interface Found {
  modules: number; // in the tree
  matches: number; // every copy counted
  hits: FindHit[]; // in pre-order
  more: boolean; // than `limit` hits
}

export function findModules(body: ShapeBody, search: string, limit: number): Result<Found, FindProblem> {
  const steps = new SearchSteps();
  const patterns = parseFind(search, steps);
  if (!patterns.ok) return patterns;
  const { body: shape } = canonicalShape(body);
  try {
    const tree = new StateTree(shape, patterns.value, steps);
    const hits = foldedHits(tree, shape, limit + 1);
    return ok({ modules: rowTotals(shape)[shape.root]!.modules, matches: tree.matches, hits: hits.slice(0, limit), more: hits.length > limit });
  } catch (error) {
    if (error instanceof TooMuchToSearch) return err({ from: 0, to: search.length, message: error.message });
    throw error;
  }
}

const lookupSteps = 16; // a child whose state is known takes as long as so many characters

// The tree by (row, state of the words after the path to it).
class StateTree {
  readonly start: number;
  readonly matches: number;
  readonly #shape: ShapeBody;
  readonly #patterns: readonly Pattern[];
  readonly #steps: SearchSteps;
  readonly #states: number[][] = []; // by number: the state of each word
  readonly #numbers = new Map<string, number>();
  readonly #next: Map<string, number>[] = []; // by state: more path → state
  readonly #nameBits = new Map<string, number>();
  readonly #rowBits: number[]; // words that the class or a dtype of the row holds
  readonly #below: Map<number, number>[]; // by row: state → matches below it
  readonly #all: number;

  constructor(shape: ShapeBody, patterns: readonly Pattern[], steps: SearchSteps) {
    this.#shape = shape;
    this.#patterns = patterns;
    this.#steps = steps;
    this.#all = 2 ** patterns.length - 1;
    const ofText = new Map<string, number>();
    const bitsOf = (text: string): number => {
      let bits = ofText.get(text);
      if (bits === undefined) ofText.set(text, (bits = this.#bits((pattern) => pattern.matches(text.toLowerCase()))));
      return bits;
    };
    this.#rowBits = shape.modules.map(({ className, tensors }) => tensors.reduce((bits, { dtype }) => bits | bitsOf(dtype), bitsOf(className)));
    this.start = this.#state(patterns.map((pattern) => pattern.start));
    this.#below = this.#countBelow();
    this.matches = this.below(shape.root, this.start) + (this.#rowBits[shape.root] === this.#all ? 1 : 0); // the root has no name and no path
  }

  // The state after the name of a child, and whether that child matches.
  child(state: number, isRoot: boolean, name: string, row: number): { state: number; hit: boolean } {
    this.#steps.take(name.length + lookupSteps + this.#patterns.length); // also for a name met before: it is looked up by its characters
    const next = this.#after(state, (isRoot ? name : `.${name}`).toLowerCase());
    const path = this.#bits((pattern, i) => pattern.ends(this.#states[next]![i]!));
    return { state: next, hit: (path | this.#rowBits[row]! | this.#name(name)) === this.#all };
  }

  below(row: number, state: number): number {
    return this.#below[row]!.get(state) ?? 0;
  }

  rootMatches(): boolean {
    return this.#rowBits[this.#shape.root] === this.#all;
  }

  #countBelow(): Map<number, number>[] {
    const { modules, root } = this.#shape;
    const below = modules.map(() => new Map<number, number>());
    below[root]!.set(this.start, 0);
    let pairs = 1;
    for (let row = root; row >= 0; row--) {
      for (const state of below[row]!.keys()) {
        for (const { name, module } of modules[row]!.children) {
          const next = this.child(state, row === root, name, module).state;
          if (below[module]!.has(next)) continue;
          below[module]!.set(next, 0);
          if (++pairs > limits.findStatesMax) throw new TooMuchToSearch(`the search meets more than findStatesMax = ${limits.findStatesMax} states in this model: use fewer or longer words`);
        }
      }
    }
    for (const [row, states] of below.entries()) {
      for (const state of states.keys()) {
        let sum = 0;
        for (const { name, module } of modules[row]!.children) {
          const child = this.child(state, row === root, name, module);
          sum += (child.hit ? 1 : 0) + below[module]!.get(child.state)!;
        }
        states.set(state, sum);
      }
    }
    return below;
  }

  #after(state: number, text: string): number {
    const known = this.#next[state]!.get(text);
    if (known !== undefined) return known;
    const next = this.#state(this.#patterns.map((pattern, i) => pattern.after(this.#states[state]![i]!, text)));
    this.#next[state]!.set(text, next);
    return next;
  }

  #state(states: number[]): number {
    const key = states.join(" ");
    let number = this.#numbers.get(key);
    if (number === undefined) {
      number = this.#states.push(states) - 1;
      this.#numbers.set(key, number);
      this.#next.push(new Map());
    }
    return number;
  }

  #name(name: string): number {
    let bits = this.#nameBits.get(name);
    if (bits === undefined) this.#nameBits.set(name, (bits = this.#bits((pattern) => pattern.matches(name.toLowerCase()))));
    return bits;
  }

  #bits(test: (pattern: Pattern, i: number) => boolean): number {
    return this.#patterns.reduce((bits, pattern, i) => (test(pattern, i) ? bits | (1 << i) : bits), 0);
  }
}

// Copies of one folded node that no word tells apart so far.
interface Group {
  state: number;
  copies: number;
  first: Spot;
  last: Spot;
}

interface Spot {
  path: string;
  position: readonly number[];
}

interface FoldedNode {
  hit: FindHit | null;
  row: number;
  of: number;
  groups: Group[];
}

// Depth first, and only where something matches: each node that is opened leads to a hit.
function foldedHits(tree: StateTree, shape: ShapeBody, most: number): FindHit[] {
  const root: Spot = { path: "", position: [] };
  const { className } = shape.modules[shape.root]!;
  const hit = tree.rootMatches() ? { className, first: "", last: "", copies: 1, of: 1 } : null;
  const open: FoldedNode[] = [{ hit, row: shape.root, of: 1, groups: [{ state: tree.start, copies: 1, first: root, last: root }] }];
  const hits: FindHit[] = [];
  for (let node = open.pop(); node !== undefined && hits.length < most; node = open.pop()) {
    if (node.hit !== null) hits.push(node.hit);
    const { row, groups } = node;
    if (groups.some(({ state }) => tree.below(row, state) > 0)) open.push(...childNodes(tree, shape, node).reverse());
  }
  return hits;
}

function childNodes(tree: StateTree, shape: ShapeBody, { row, of, groups }: FoldedNode): FoldedNode[] {
  const { children } = shape.modules[row]!;
  const nodes: FoldedNode[] = [];
  for (const run of foldChildren(children)) {
    const byState = new Map<number, Group>();
    let matching: Group | undefined;
    for (const group of groups) {
      if (tree.below(row, group.state) === 0) continue;
      for (let at = run.at; at < run.at + run.count; at++) {
        const { name, module } = children[at]!;
        const { state, hit } = tree.child(group.state, row === shape.root, name, module);
        const inside = (spot: Spot): Spot => ({ path: joinPath(spot.path, name), position: [...spot.position, at] });
        const one: Group = { state, copies: group.copies, first: inside(group.first), last: inside(group.last) };
        if (hit) matching = together(matching, one);
        if (tree.below(module, state) > 0) byState.set(state, together(byState.get(state), one));
      }
    }
    if (matching === undefined && byState.size === 0) continue;
    const { className } = shape.modules[run.module]!;
    const hit = matching === undefined ? null : { className, first: matching.first.path, last: matching.last.path, copies: matching.copies, of: of * run.count };
    nodes.push({ hit, row: run.module, of: of * run.count, groups: [...byState.values()] });
  }
  return nodes;
}

// Groups come in the order of their first copies, and their children too; of the last copies nothing is known.
function together(group: Group | undefined, more: Group): Group {
  if (group === undefined) return more;
  return {
    state: group.state,
    copies: group.copies + more.copies,
    first: group.first,
    last: comparePositions(more.last.position, group.last.position) > 0 ? more.last : group.last,
  };
}
