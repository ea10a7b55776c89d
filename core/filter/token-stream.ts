// The parser's place in the tokens, its problems, and what would be right at the end of the text: the slot that completion asks for.
// Invariant: it only moves forward, so the parser's work is at most linear in the tokens.
import type { FilterProblem, Report } from "./problem.ts";
import { listed, suggestion } from "./problem.ts";
import { lex, type Token } from "./lexer.ts";
import type { Operator } from "./filter.ts";

// What may stand at a place. `separator`: "," or "]" inside a list; `close`: a closing parenthesis; `connective`: after a whole condition.
export type Slot =
  | { readonly kind: "field" | "connective" | "separator" | "close" }
  | { readonly kind: "operator"; readonly field: string }
  | { readonly kind: "value"; readonly field: string; readonly operator: Operator };

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

export class TokenStream {
  readonly problems: FilterProblem[] = [];
  readonly text: string;
  slotAtEnd: Slot | undefined;
  steps: number;
  private readonly tokens: readonly Token[];
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
    const token = this.tokens[this.place]!;
    if (token.kind === "end") this.slotAtEnd ??= slot;
    return token;
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

  // A mistake leaves the rest of its condition unread: go on at the next connective or closing parenthesis.
  skipCondition(): void {
    for (let token = this.peek(); token.kind !== "end" && !isSymbol(token, "&&", "||", ")"); token = this.peek()) {
      const keyword = keywordOf(token);
      if (keyword === "and" || keyword === "or") return;
      this.next();
    }
  }

  readonly report: Report = (kind, at, message, more = {}) => {
    this.problems.push({ kind, message, from: at.from, to: at.to, ...more });
  };

  // The next token is not what belongs here.
  unexpected(expected: readonly string[], didYouMean?: string): void {
    const token = this.peek();
    // The missing quote was reported: what it swallowed is not missing a second time.
    if (!token.closed || (token.kind === "end" && this.previous()?.closed === false)) return;
    // One mistake, one problem: what encloses it expects something else at the same place.
    if (this.reportedAt === token.from) return;
    this.reportedAt = token.from;
    const found = token.kind === "end" ? "the end of the filter" : token.text;
    this.report("unexpected_token", token, `Expected ${listed(expected)}, found ${found}`, { expected: [...expected], found, ...suggestion(didYouMean) });
  }
}
