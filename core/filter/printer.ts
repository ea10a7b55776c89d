// The one canonical text of a filter: strict CEL form, double quotes, the fewest parentheses. Invariant: parsing what is printed gives the same filter.
import type { Condition, Filter, Term } from "./filter.ts";

export function print(filter: Filter<string>): string {
  return filter.kind === "everything" ? "" : printTerm(filter);
}

function printTerm(term: Term<string>): string {
  switch (term.kind) {
    case "condition": return printCondition(term);
    case "not": return `!${printNegated(term.operand)}`;
    case "and": return term.operands.map((operand) => (operand.kind === "or" ? `(${printTerm(operand)})` : printTerm(operand))).join(" && ");
    case "or": return term.operands.map(printTerm).join(" || ");
  }
}

// In CEL `!` binds tighter than `==` and `in`, so a negated comparison keeps its parentheses; a call needs none.
function printNegated(operand: Term<string>): string {
  const binds = operand.kind === "not" || (operand.kind === "condition" && !["==", "!=", "in"].includes(operand.operator));
  return binds ? printTerm(operand) : `(${printTerm(operand)})`;
}

function printCondition({ field, operator, values }: Condition<string>): string {
  const [value = ""] = values;
  switch (operator) {
    case "==":
    case "!=": return `${field} ${operator} ${quote(value)}`;
    case "in": return `${field} in [${values.map(quote).join(", ")}]`;
    case "has": return `has(${field})`;
    case "contains":
    case "startsWith":
    case "endsWith":
    case "matches": return `${field}.${operator}(${quote(value)})`;
  }
}

const shortEscapes: Readonly<Record<string, string>> = { '"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t" };

// Escapes what would end the string and what cannot be seen or makes a reader see another text: quotes, backslashes, control and format characters (bidi
// controls, zero-width joiners, the byte order mark), line and paragraph separators, every space but the one.
export function quote(value: string): string {
  const escaped = value.replace(/["\\\p{Cc}\p{Cf}\u2028\u2029]|(?! )\p{Zs}/gu, (one) =>
    shortEscapes[one] ?? Array.from({ length: one.length }, (_, at) => `\\u${one.charCodeAt(at).toString(16).padStart(4, "0")}`).join(""));
  return `"${escaped}"`;
}
