// The values of a condition: one in quotes, or a list of them.
import { limits } from "#schema/limits.ts";
import type { Operator, Span } from "./filter.ts";
import type { Token } from "./lexer.ts";
import { quote } from "./printer.ts";
import { suggestion } from "./problem.ts";
import { isSymbol, isWord, keywordOf, type TokenStream } from "./token-stream.ts";

export type Value = Span & { readonly value: string };

// Undefined after a problem.
export function readValue(stream: TokenStream, field: string, operator: Operator): Value | undefined {
  const token = stream.peek({ kind: "value", field, operator });
  if (token.kind === "string") return stream.next();
  if (!beginsBare(stream, token)) {
    const listOperator = operator === "==" ? "in" : operator === "!=" ? "not in" : undefined;
    stream.unexpected(isSymbol(token, "[") ? listOperator : undefined);
    if (isSymbol(token, "(", "[")) skipBracketsOf(stream);
    return undefined;
  }
  // A bare word runs on to the next space or bracket: node-7, env:prod, 48213.
  let last = stream.next();
  for (let more = stream.ahead(0); more.from === last.to && (isBare(more) || more.kind === "string"); more = stream.ahead(0)) last = stream.next();
  const written = stream.text.slice(token.from, last.to);
  // r"…", `…` and their like of other languages: what stands in the quotes is meant.
  const value = last.kind === "string" && /^[rbuf]{1,2}$/i.test(token.text) && token.to === last.from ? last.value : written.replace(/^`([^`]*)`$/, "$1");
  const at = { from: token.from, to: last.to };
  stream.report("value_unquoted", at, "Values stand in quotes", { expected: ["a quoted value"], found: written, ...suggestion(quote(value)) });
  return { value, ...at };
}

// Undefined after a problem.
export function readList(stream: TokenStream, field: string): Value[] | undefined {
  const open = stream.peek({ kind: "list", field });
  if (!isSymbol(open, "[")) {
    stream.unexpected(isSymbol(open, "(") ? "[" : open.kind === "string" && open.closed ? `[${quote(open.value)}]` : undefined);
    if (isSymbol(open, "(", "{")) skipBracketsOf(stream);
    return undefined;
  }
  stream.next();
  const close = stream.peek({ kind: "value", field, operator: "in" });
  if (stream.take("]")) {
    stream.report("empty_list", { from: open.from, to: close.to }, "A list holds at least one value", { expected: ["a quoted value"], found: "[]" });
    return undefined;
  }
  const values: Value[] = [];
  for (;;) {
    const value = readValue(stream, field, "in");
    if (value === undefined) return void stream.skipBracketed("]");
    values.push(value);
    stream.peek({ kind: "separator", field });
    if (stream.take("]")) break;
    if (!stream.take(",")) {
      stream.unexpected();
      return void stream.skipBracketed("]");
    }
  }
  if (values.length > limits.filterListMax) {
    const over = { from: values[limits.filterListMax]!.from, to: values.at(-1)!.to };
    stream.report("list_too_long", over, `A list holds at most ${limits.filterListMax} values, this one has ${values.length}`);
    return undefined;
  }
  return values;
}

const brackets = ["(", ")", "[", "]", ",", "&&", "||"];
const operators = ["==", "=", "!=", "!", "===", "!==", "=~", "!~", "~", "<", ">", "<=", ">=", "<>", ":", "&", "|"];

function isBare(token: Token): boolean {
  return token.kind === "name" || (token.kind === "symbol" && !isSymbol(token, ...brackets));
}

// `and` is a value only where nothing follows that it could connect.
function beginsBare(stream: TokenStream, token: Token): boolean {
  const connects = ["and", "or"].includes(keywordOf(token) ?? "") && (isWord(stream.ahead(1)) || isSymbol(stream.ahead(1), "!", "("));
  return isBare(token) && !isSymbol(token, ...operators) && !connects;
}

function skipBracketsOf(stream: TokenStream): void {
  const open = stream.next();
  stream.skipBracketed(open.text === "[" ? "]" : open.text === "{" ? "}" : ")");
}
