// The parser's place in the tokens, its problems, and what would be right at each token: the slots that completion asks for.
// Invariant: it only moves forward, so the parser's work is at most linear in the tokens.
import type { FilterProblem, Report } from "./problem.ts";
import { excerpt, listed, suggestion } from "./problem.ts";
import type { Span } from "./filter.ts";
import { lex, type Token } from "./lexer.ts";
import { expectedAt, type Slot } from "./slot.ts";

export const keywords = ["and", "or", "not", "in"] as const;
export type Keyword = (typeof keywords)[number];

export function keywordOf(token: Token): Keyword | undefined {
  if (token.kind !== "name" || token.text.length > 3) return undefined;
  const lower = token.text.toLowerCase();
  return keywords.find((word) => word === lower);
}

export function isSymbol(token: Token, ...texts: readonly string[]): boolean {
  return token.kind === "symbol" && texts.includes(token.text);
}

// A word that is no keyword: what a field looks like.
export function isWord(token: Token): boolean {
  return token.kind === "name" && keywordOf(token) === undefined;
}

function connects(token: Token): boolean {
  const keyword = keywordOf(token);
  return isSymbol(token, "&&", "||") || keyword === "and" || keyword === "or";
}

export class TokenStream {
  readonly problems: FilterProblem[] = [];
  readonly text: string;
  readonly tokens: readonly Token[];
  readonly slots: (Slot | undefined)[] = []; // of each token: what would have been right there
  readonly broken: (Span & { readonly text: string })[] = []; // fields of conditions that broke off behind their operator
  steps: number;
  open = 0; // parentheses around this place
  private place = 0;
  private reportedAt = -1;
  private slot: Slot = { kind: "field" };

  constructor(text: string) {
    this.text = text;
    const { tokens, steps } = lex(text, this.report);
    this.tokens = tokens;
    this.steps = steps;
  }

  // Looks at the next token. With a slot: from here on, this is what would be right.
  peek(slot: Slot = this.slot): Token {
    this.slot = slot;
    this.steps++;
    this.slots[this.place] ??= slot;
    return this.tokens[this.place]!;
  }

  // The token so many places behind the next one; says nothing of slots.
  ahead(places: number): Token {
    this.steps++;
    return this.tokens[Math.min(this.place + places, this.tokens.length - 1)]!;
  }

  // Whether a condition stands here, rather than a stray word.
  beginsCondition(): boolean {
    const [first, second] = [this.ahead(0), this.ahead(1)];
    return (isWord(first) || isSymbol(first, "!", "(") || keywordOf(first) === "not") && second.kind !== "end" && !isSymbol(second, ")") && !connects(second);
  }

  next(): Token {
    const token = this.peek();
    if (token.kind !== "end") this.place++;
    return token;
  }

  take(...symbols: readonly string[]): Token | undefined {
    return isSymbol(this.peek(), ...symbols) ? this.next() : undefined;
  }

  // The last token taken.
  previous(): Token | undefined {
    return this.tokens[this.place - 1];
  }

  // After a whole condition, or after what is left of a broken one.
  connective(): Slot {
    return { kind: "connective", open: this.open > 0 };
  }

  // A mistake leaves the rest of its condition unread: go on at the next connective or closing parenthesis that is not inside parentheses of the rest itself.
  skipCondition(): void {
    let inside = 0;
    for (let token = this.peek(); token.kind !== "end"; token = this.peek(this.connective())) {
      if (isSymbol(token, ")") && inside-- === 0) return;
      if (inside === 0 && connects(token)) return;
      if (isSymbol(token, "(")) inside++;
      this.next();
    }
  }

  // What is left of a broken list or call: on through its closing bracket, or, when that is missing, to where the next condition begins. The opening one was read.
  skipBracketed(...closing: readonly string[]): void {
    let inside = 0;
    for (let token = this.peek(); token.kind !== "end"; token = this.peek()) {
      if (inside === 0 && isSymbol(token, ")") && !closing.includes(")")) return;
      if (connects(token) && (isWord(this.ahead(1)) || isSymbol(this.ahead(1), "!", "("))) return;
      this.next();
      if (isSymbol(token, ...closing) && inside-- === 0) return void this.peek(this.connective());
      if (isSymbol(token, "(") && closing.includes(")")) inside++;
      if (isSymbol(token, "[") && !closing.includes(")")) inside++;
    }
  }

  readonly report: Report = (kind, at, message, more = {}) => {
    this.problems.push({ kind, message, from: at.from, to: at.to, ...more });
  };

  // The next token is not what belongs here.
  unexpected(didYouMean?: string): void {
    const token = this.peek();
    // The missing quote was reported: what it swallowed is not missing a second time.
    if (!token.closed || (token.kind === "end" && this.previous()?.closed === false)) return;
    // One mistake, one problem: what encloses it expects something else at the same place.
    if (this.reportedAt === token.from) return;
    this.reportedAt = token.from;
    const expected = [...expectedAt(this.slot)];
    const found = token.kind === "end" ? "the end of the filter" : token.text;
    this.report("unexpected_token", token, `Expected ${listed(expected)}, found ${excerpt(found)}`, { expected, found, ...suggestion(didYouMean) });
  }
}
