// A regular expression as a graph of single steps, for a search that never backtracks: every character of a text is looked at once, whatever the expression.
// Taken are literals, `.`, classes, \d \w \s and their opposites, ( ) and (?: ), |, * + ? {m,n}, ^ and $. There is no look-around and no back-reference.
import { limits } from "#schema/limits.ts";
import { err, ok, type Result } from "../../result.ts";

// Characters are UTF-16 units in lower case.
export type Test = (unit: number) => boolean;
export type Node = { test: Test; next: number } | { split: readonly number[] } | { anchor: "start" | "end"; next: number } | { match: true };
export interface Graph {
  nodes: readonly Node[];
  start: number;
}

type Tree =
  | { kind: "test"; test: Test }
  | { kind: "anchor"; anchor: "start" | "end" }
  | { kind: "all"; parts: Tree[] }
  | { kind: "either"; parts: Tree[] }
  | { kind: "repeat"; part: Tree; least: number; most: number };

export function literalGraph(text: string): Graph {
  const nodes: Node[] = text.toLowerCase().split("").map((unit, i) => ({ test: (other) => other === unit.charCodeAt(0), next: i + 1 }));
  return { nodes: [...nodes, { match: true }], start: 0 };
}

export function regexGraph(source: string): Result<Graph, string> {
  try {
    const parser = new Parser(source);
    const graph = new Builder();
    const start = graph.add(parser.read(), graph.node({ match: true }));
    return ok({ nodes: graph.nodes, start });
  } catch (error) {
    if (error instanceof RegexFault) return err(error.message);
    throw error;
  }
}

class RegexFault extends Error {}

const nestingMax = 64; // of groups; the parser goes as deep

class Parser {
  readonly #source: string;
  #at = 0;
  #depth = 0;

  constructor(source: string) {
    this.#source = source;
  }

  read(): Tree {
    const tree = this.#either();
    if (this.#at < this.#source.length) throw new RegexFault("unexpected )");
    return tree;
  }

  #either(): Tree {
    const parts = [this.#sequence()];
    while (this.#take("|")) parts.push(this.#sequence());
    return parts.length === 1 ? parts[0]! : { kind: "either", parts };
  }

  #sequence(): Tree {
    const parts: Tree[] = [];
    while (this.#at < this.#source.length && this.#source[this.#at] !== "|" && this.#source[this.#at] !== ")") parts.push(this.#repeated());
    return { kind: "all", parts };
  }

  #repeated(): Tree {
    const part = this.#atom();
    const counted = /^(?:[*+?]|\{(\d{1,4})(?:(,)(\d{0,4}))?\})\??/.exec(this.#source.slice(this.#at, this.#at + 14));
    if (counted === null) return part;
    this.#at += counted[0].length;
    if (/^[*+?{]/.test(this.#source.slice(this.#at, this.#at + 1))) throw new RegexFault("nothing to repeat");
    const least = counted[1] === undefined ? (counted[0].startsWith("+") ? 1 : 0) : Number(counted[1]);
    const most = counted[1] === undefined ? (counted[0].startsWith("?") ? 1 : Infinity) : counted[2] === undefined ? least : counted[3] === "" ? Infinity : Number(counted[3]);
    if (most < least) throw new RegexFault(`${counted[0]} counts backwards`);
    return { kind: "repeat", part, least, most };
  }

  #atom(): Tree {
    const one = this.#source[this.#at++]!;
    if (one === "(") return this.#group();
    if (one === "[") return { kind: "test", test: this.#class() };
    if (one === ".") return { kind: "test", test: () => true };
    if (one === "^" || one === "$") return { kind: "anchor", anchor: one === "^" ? "start" : "end" };
    if (one === "*" || one === "+" || one === "?") throw new RegexFault(`nothing to repeat before ${one}`);
    return { kind: "test", test: one === "\\" ? this.#escape() : sameLetter(one) };
  }

  #group(): Tree {
    if (this.#source.startsWith("?", this.#at) && !this.#source.startsWith("?:", this.#at)) throw new RegexFault(`groups such as (${this.#source.slice(this.#at, this.#at + 2)} are not taken`);
    if (this.#source.startsWith("?:", this.#at)) this.#at += 2;
    if (++this.#depth > nestingMax) throw new RegexFault(`groups are nested deeper than ${nestingMax}`);
    const tree = this.#either();
    if (!this.#take(")")) throw new RegexFault("missing )");
    this.#depth--;
    return tree;
  }

  #escape(): Test {
    const one = this.#source[this.#at++];
    if (one === undefined) throw new RegexFault("it ends in a backslash");
    const known = sets[one.toLowerCase()];
    if (known !== undefined) return one === one.toLowerCase() ? known : (unit) => !known(unit);
    if (/[a-zA-Z0-9]/.test(one)) throw new RegexFault(`\\${one} is not taken`);
    return sameLetter(one);
  }

  #class(): Test {
    const negated = this.#take("^");
    const tests: Test[] = [];
    for (let first = true; ; first = false) {
      const one = this.#source[this.#at++];
      if (one === undefined) throw new RegexFault("missing ]");
      if (one === "]" && !first) break;
      if (one === "\\") {
        tests.push(this.#escape());
        continue;
      }
      const last = this.#source[this.#at] === "-" && (this.#source[this.#at + 1] ?? "]") !== "]" ? this.#source[this.#at + 1]! : one;
      if (last !== one) this.#at += 2;
      if (last === "\\" || last < one) throw new RegexFault(`${one}-${last} is no range`);
      const [low, high] = [one.charCodeAt(0), last.charCodeAt(0)];
      const within: Test = (unit) => unit >= low && unit <= high;
      tests.push((unit) => within(unit) || within(upper(unit)));
    }
    return negated ? (unit) => !tests.some((test) => test(unit)) : (unit) => tests.some((test) => test(unit));
  }

  #take(text: string): boolean {
    const there = this.#source.startsWith(text, this.#at);
    if (there) this.#at += text.length;
    return there;
  }
}

const sets: Readonly<Record<string, Test>> = {
  d: (unit) => unit >= 48 && unit <= 57,
  w: (unit) => (unit >= 48 && unit <= 57) || (unit >= 97 && unit <= 122) || unit === 95,
  s: (unit) => unit === 32 || (unit >= 9 && unit <= 13) || unit === 160,
};

function sameLetter(one: string): Test {
  const unit = one.toLowerCase().charCodeAt(0);
  return (other) => other === unit;
}

function upper(unit: number): number {
  const text = String.fromCharCode(unit).toUpperCase();
  return text.length === 1 ? text.charCodeAt(0) : unit;
}

// Built from the end: each part is told what comes after it. Repetitions are written out, within the bound.
class Builder {
  readonly nodes: Node[] = [];

  node(node: Node): number {
    if (this.nodes.length >= limits.findPatternStepsMax) throw new RegexFault(`it has more than findPatternStepsMax = ${limits.findPatternStepsMax} steps once its repetitions are written out`);
    return this.nodes.push(node) - 1;
  }

  add(tree: Tree, next: number): number {
    switch (tree.kind) {
      case "test": return this.node({ test: tree.test, next });
      case "anchor": return this.node({ anchor: tree.anchor, next });
      case "all": return tree.parts.reduceRight((after, part) => this.add(part, after), next);
      case "either": return this.node({ split: tree.parts.map((part) => this.add(part, next)) });
      case "repeat": return this.#repeat(tree, next);
    }
  }

  #repeat({ part, least, most }: Extract<Tree, { kind: "repeat" }>, next: number): number {
    let after = next;
    if (most === Infinity) {
      const again: number[] = [];
      after = this.node({ split: again });
      again.push(this.add(part, after), next);
    } else for (let i = least; i < most; i++) after = this.node({ split: [this.add(part, after), next] });
    for (let i = 0; i < least; i++) after = this.add(part, after);
    return after;
  }
}
