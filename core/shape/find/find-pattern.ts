// Patterns matched step by step: the state after "model.layers.1" is kept and continued with each name below it, so a search costs distinct states, not paths.
// Equal states have one number; a pattern that has matched stays in one state for ever.
import { limits } from "#schema/limits.ts";
import { err, ok, type Result } from "../../result.ts";
import { literalGraph, regexGraph, type Graph } from "./find-regex.ts";

export interface FindProblem {
  from: number; // UTF-16 offsets in the search
  to: number;
  message: string;
}

// Words divided by blanks; /…/ is one, blanks inside it included.
export function parseFind(text: string, steps: SearchSteps): Result<Pattern[], FindProblem> {
  const problem = (from: number, to: number, message: string): Result<never, FindProblem> => err({ from, to, message });
  if (text.length > limits.searchBytesMax) return problem(0, text.length, `a search has at most searchBytesMax = ${limits.searchBytesMax} characters`);
  const patterns: Pattern[] = [];
  for (const { 0: word, index } of text.matchAll(/\/(?:\\.|[^\\/])+\/(?= |$)|[^ ]+/g)) {
    const graph = /^\/.+\/$/.test(word) ? regexGraph(word.slice(1, -1)) : ok(literalGraph(word));
    if (!graph.ok) return problem(index, index + word.length, `not a regular expression that is taken here: ${graph.error}`);
    patterns.push(new Pattern(graph.value, steps));
  }
  if (patterns.length === 0) return problem(0, text.length, "a search needs a word");
  if (patterns.length > limits.findTermsMax) return problem(0, text.length, `a search has at most findTermsMax = ${limits.findTermsMax} words`);
  return ok(patterns);
}

// Thrown while a text is read, and turned into an answer by whoever searches.
export class TooMuchToSearch extends Error {}

// The work of one search: characters read, each for each word, and nodes of expressions looked at. States alone bound no time: each may have all names below it.
export class SearchSteps {
  #taken = 0;

  take(steps: number): void {
    if ((this.#taken += steps) > limits.findStepsMax) throw new TooMuchToSearch(`the search takes more than findStepsMax = ${limits.findStepsMax} steps in this model: use fewer or simpler words`);
  }
}

const nodeSteps = 8; // a node of an expression takes as long to look at as so many characters
const matched = 0; // the state of a pattern that was found, whatever follows

export class Pattern {
  readonly start: number;
  readonly #graph: Graph;
  readonly #work: SearchSteps;
  readonly #sets: number[][] = [[]]; // by state: nodes that wait for a character, or for the end
  readonly #ends: boolean[] = [true]; // by state: whether a text that ends here has matched
  readonly #numbers = new Map<string, number>();
  readonly #steps: Map<number, number>[] = [new Map()];
  readonly #restart: number[]; // nodes a match may begin with in the middle of a text

  constructor(graph: Graph, work: SearchSteps) {
    this.#graph = graph;
    this.#work = work;
    this.#restart = this.#closure([graph.start], false).nodes;
    this.start = this.#state(this.#closure([graph.start], true));
  }

  // The state after some more text, which is in lower case.
  after(state: number, text: string): number {
    this.#work.take(text.length);
    for (let i = 0; i < text.length && state !== matched; i++) state = this.#step(state, text.charCodeAt(i));
    return state;
  }

  // Whether the text so far holds a match.
  ends(state: number): boolean {
    return this.#ends[state]!;
  }

  matches(text: string): boolean {
    return this.ends(this.after(this.start, text));
  }

  #step(state: number, unit: number): number {
    const steps = this.#steps[state]!;
    let next = steps.get(unit);
    if (next === undefined) {
      const following: number[] = [];
      for (const node of this.#sets[state]!) {
        const one = this.#graph.nodes[node]!;
        if ("test" in one && one.test(unit)) following.push(one.next);
      }
      next = this.#state(this.#closure([...following, ...this.#restart], false));
      steps.set(unit, next);
    }
    return next;
  }

  #state({ nodes, found }: { nodes: number[]; found: boolean }): number {
    if (found) return matched;
    const key = nodes.join(" ");
    let state = this.#numbers.get(key);
    if (state === undefined) {
      if (this.#sets.length >= limits.findPatternStatesMax) throw new TooMuchToSearch(`one word of the search meets more than findPatternStatesMax = ${limits.findPatternStatesMax} states: make it simpler`);
      state = this.#sets.push(nodes) - 1;
      this.#numbers.set(key, state);
      this.#ends.push(this.#closure(nodes, false, true).found);
      this.#steps.push(new Map());
    }
    return state;
  }

  // What can be reached without a character, in order of the nodes.
  #closure(from: readonly number[], atStart: boolean, atEnd = false): { nodes: number[]; found: boolean } {
    const seen = new Set<number>();
    const open = [...from];
    const waiting: number[] = [];
    for (let node = open.pop(); node !== undefined; node = open.pop()) {
      if (seen.has(node)) continue;
      seen.add(node);
      this.#work.take(nodeSteps);
      const one = this.#graph.nodes[node]!;
      if ("match" in one) return { nodes: [], found: true };
      if ("split" in one) open.push(...one.split);
      else if ("test" in one) waiting.push(node);
      else if (one.anchor === "start" ? atStart : atEnd) open.push(one.next);
      else if (one.anchor === "end") waiting.push(node);
    }
    return { nodes: waiting.sort((a, b) => a - b), found: false };
  }
}
