// Text → filter and problems, by recursive descent: or := and {"||" and} · and := unary {"&&" unary} · unary := {"!"} ("(" or ")" | condition).
// Input may be lenient (`=`, and/or/not in any case, `not in`, single quotes); the filter does not remember it. Invariants: never throws; a filter that comes
// with problems is only what could be read of it and must never select rows; work is linear in the text.
import { limits } from "#schema/limits.ts";
import { everything, join, type ParsedFilter, type Span, type Term } from "./filter.ts";
import { nearest } from "./edit-distance.ts";
import { parseCondition } from "./parse-condition.ts";
import type { Token } from "./lexer.ts";
import { ordered, utf8Bytes, type FilterProblem } from "./problem.ts";
import type { Slot } from "./slot.ts";
import { isSymbol, isWord, keywordOf, TokenStream } from "./token-stream.ts";

export type Parse = {
  readonly filter: ParsedFilter;
  readonly problems: readonly FilterProblem[];
  readonly broken: readonly (Span & { readonly text: string })[]; // fields of conditions that broke off behind their operator
  readonly slot: Slot; // what would be right at the end of the text
  readonly tokens: readonly Token[]; // the last is the end
  readonly slots: readonly (Slot | undefined)[]; // of each token: what would have been right there; undefined where nothing was asked
  readonly steps: number; // code units and tokens looked at
};

export function parse(text: string): Parse {
  const bytes = text.length > limits.filterBytesMax ? Infinity : utf8Bytes(text);
  if (bytes > limits.filterBytesMax) {
    const message = `A filter is at most ${limits.filterBytesMax} bytes of UTF-8`;
    return { filter: everything, problems: [{ kind: "filter_too_long", message, from: 0, to: text.length }], broken: [], slot: { kind: "field" }, tokens: [], slots: [], steps: text.length };
  }
  const stream = new TokenStream(text);
  const filter = new Parser(stream).filter();
  const { tokens, slots, steps, broken } = stream;
  return { filter, problems: ordered(stream.problems), broken, slot: slots[tokens.length - 1] ?? { kind: "field" }, tokens, slots, steps };
}

// A term with the number of and/or/not around its deepest condition.
type Read = { readonly term: Term<string>; readonly nesting: number };

class Parser {
  private readonly stream: TokenStream;
  private conditions = 0;
  private tooDeep = false;

  constructor(stream: TokenStream) {
    this.stream = stream;
  }

  filter(): ParsedFilter {
    const terms: Read[] = [];
    if (this.stream.peek().kind === "end") return everything;
    for (;;) {
      terms.push(...this.or());
      const stray = this.stream.peek();
      if (stray.kind === "end") break;
      this.stream.unexpected();
      this.stream.next();
      if (this.stream.peek().kind === "end") break;
      if (!this.connective("&&", "and")) this.connective("||", "or");
    }
    return this.joined("and", terms, 0)[0]?.term ?? everything;
  }

  private or(): Read[] {
    const from = this.stream.peek({ kind: "field" }).from;
    const terms = this.and();
    while (this.connective("||", "or")) terms.push(...this.and());
    return this.joined("or", terms, from);
  }

  private and(): Read[] {
    const from = this.stream.peek({ kind: "field" }).from;
    const terms: Read[] = [];
    for (;;) {
      terms.push(...this.unary());
      if (this.connective("&&", "and")) continue;
      const token = this.stream.peek(this.stream.connective());
      if (token.kind === "end" || isSymbol(token, "||", ")") || keywordOf(token) === "or") break;
      this.stream.unexpected(meantConnective(token));
      if (this.misspelt(token) || this.stream.take("&", "|")) continue;
      this.stream.take(",");
      // Two conditions side by side: read the second too, for its own problems.
      const begins = this.stream.beginsCondition();
      if (!begins) {
        this.stream.skipCondition();
        if (!this.connective("&&", "and")) break;
      }
    }
    return this.joined("and", terms, from);
  }

  private connective(symbol: "&&" | "||", keyword: "and" | "or"): boolean {
    const token = this.stream.peek(this.stream.connective());
    if (!isSymbol(token, symbol) && keywordOf(token) !== keyword) return false;
    this.stream.next();
    this.stream.peek({ kind: "field" });
    return true;
  }

  // A word between two conditions that is no field of a third, since fields have dots: `adn`, `xor`.
  private misspelt(token: Token): boolean {
    const next = this.stream.ahead(1);
    if (!isWord(token) || token.text.includes(".") || !isWord(next) || this.stream.ahead(2).kind === "string") return false;
    this.stream.next();
    return true;
  }

  // None when it could not be read.
  private unary(): Read[] {
    const from = this.stream.peek({ kind: "field" }).from;
    let nots = 0;
    for (let token = this.stream.peek(); isSymbol(token, "!") || keywordOf(token) === "not"; token = this.stream.peek()) {
      this.stream.next();
      nots++;
    }
    let read = isSymbol(this.stream.peek(), "(") ? this.group() : this.condition();
    // Past the bound the value no longer matters: one step more than the bound reports it.
    for (let count = 0; count < Math.min(nots, limits.filterNestingMax + 1); count++) {
      read = this.bounded(read.map(({ term, nesting }) => ({ term: { kind: "not", operand: term }, nesting: nesting + 1 })), from);
    }
    return read;
  }

  private group(): Read[] {
    const open = this.stream.next();
    // Redundant parentheses add no nesting to the filter, but each costs a level of this recursion.
    if (++this.stream.open > 4 * limits.filterNestingMax) {
      this.nestedTooDeep(open.from, open.to);
      while (this.stream.next().kind !== "end");
      return [];
    }
    const read = this.or();
    this.stream.peek(this.stream.connective());
    if (!this.stream.take(")") && !this.tooDeep) this.stream.unexpected();
    this.stream.open--;
    this.stream.peek(this.stream.connective());
    if (read.length === 0) this.stream.skipCondition(); // (host.name) == "a"
    return read;
  }

  private condition(): Read[] {
    const first = this.stream.peek();
    const condition = parseCondition(this.stream);
    if (condition === undefined) return [];
    const end = this.stream.previous()!.to;
    if (++this.conditions > limits.filterConditionsMax) {
      if (this.conditions === limits.filterConditionsMax + 1) {
        const message = `A filter has at most ${limits.filterConditionsMax} conditions; values of one field can stand in one list: field in [...]`;
        this.stream.report("too_many_conditions", { from: first.from, to: end }, message);
      }
      return [];
    }
    const { term, negated } = condition;
    return [negated ? { term: { kind: "not", operand: term }, nesting: 1 } : { term, nesting: 0 }];
  }

  private joined(kind: "and" | "or", reads: readonly Read[], from: number): Read[] {
    const term = join(kind, reads.map((read) => read.term));
    if (term === undefined) return [];
    if (reads.length === 1) return [reads[0]!];
    // Operands of the same kind melt into this one and lose their own level.
    const nesting = 1 + Math.max(...reads.map((read) => (read.term.kind === kind ? read.nesting - 1 : read.nesting)));
    return this.bounded([{ term, nesting }], from);
  }

  private bounded(read: Read[], from: number): Read[] {
    if (read.every(({ nesting }) => nesting <= limits.filterNestingMax)) return read;
    this.nestedTooDeep(from, this.stream.previous()!.to);
    return [];
  }

  private nestedTooDeep(from: number, to: number): void {
    if (this.tooDeep) return;
    this.tooDeep = true;
    this.stream.report("nested_too_deep", { from, to }, `A filter nests at most ${limits.filterNestingMax} levels of !, && and ||`);
  }
}

function meantConnective(token: Token): string | undefined {
  if (token.text === "&" || token.text === "|") return token.text + token.text;
  return token.kind === "name" ? nearest(token.text, ["and", "or"]) : undefined;
}
