// One condition: field operator value · field [not] in [values] · field.method(value) · has(field).
import { limits } from "#schema/limits.ts";
import { nearest } from "./edit-distance.ts";
import { type Condition, methods, type Operator, type Span } from "./filter.ts";
import type { Token } from "./lexer.ts";
import { quote } from "./printer.ts";
import { listed, suggestion } from "./problem.ts";
import { isSymbol, keywordOf, type TokenStream } from "./token-stream.ts";

type Field = Span & { readonly text: string };
type Value = Span & { readonly value: string };
export type ConditionRead = { readonly term: Condition<string>; readonly negated: boolean };

export const operatorWords = ["==", "!=", "in", "not in", ...methods.map((method) => `.${method}(`)];

// What other systems write, and what it is here.
const foreignOperators: Readonly<Record<string, string>> = {
  "===": "==", "!==": "!=", "<>": "!=", ":": "==", "=~": ".matches(", "~": ".matches(",
};

// Undefined after a problem; the stream then stands at a connective, a closing parenthesis or the end.
export function parseCondition(stream: TokenStream): ConditionRead | undefined {
  const read = readCondition(stream);
  if (read === undefined) stream.skipCondition();
  return read;
}

function readCondition(stream: TokenStream): ConditionRead | undefined {
  const first = stream.peek({ kind: "field" });
  if (first.kind !== "name" || keywordOf(first) !== undefined) return fail(stream, ["a field", "!", "("]);
  stream.next();
  const next = stream.peek({ kind: "operator", field: first.text });
  if (isSymbol(next, "(")) return first.text === "has" ? readHas(stream) : readCall(stream, ...splitCall(first));
  if (stream.take(".")) {
    const method = stream.peek();
    if (method.kind !== "name") return fail(stream, methods);
    stream.next();
    return readCall(stream, first, method);
  }
  return readComparison(stream, first);
}

function fail(stream: TokenStream, expected: readonly string[], didYouMean?: string): undefined {
  stream.unexpected(expected, didYouMean);
}

// `host.name.contains` before "(" is the field host.name and the method contains.
function splitCall(name: Token): [Field | undefined, Field] {
  const dot = name.text.lastIndexOf(".");
  const method = { text: name.text.slice(dot + 1), from: name.from + dot + 1, to: name.to };
  return [dot === -1 ? undefined : { text: name.text.slice(0, dot), from: name.from, to: name.from + dot }, method];
}

function readHas(stream: TokenStream): ConditionRead | undefined {
  stream.next();
  const field = stream.peek({ kind: "field" });
  if (field.kind !== "name" || keywordOf(field) !== undefined) return failInCall(stream, ["a field"]);
  stream.next();
  stream.peek({ kind: "close" });
  if (!stream.take(")")) return failInCall(stream, [")"]);
  return condition(field, "has", []);
}

function readCall(stream: TokenStream, field: Field | undefined, method: Field): ConditionRead | undefined {
  const known = methods.find((one) => one === method.text);
  if (field === undefined || known === undefined) {
    const choices: readonly string[] = field === undefined ? ["has"] : methods;
    const message = field === undefined
      ? `${method.text}(…) is not a function; the only one is has(field)`
      : `Fields have no method ${method.text}; they have ${listed(methods)}`;
    stream.report("unknown_method", method, message, { expected: [...choices], found: method.text, ...suggestion(nearest(method.text, choices)) });
    skipCall(stream);
    return undefined;
  }
  if (!stream.take("(")) return fail(stream, ["("]);
  const value = readValue(stream, field, known);
  if (value === undefined) return failInCall(stream);
  stream.peek({ kind: "close" });
  if (!stream.take(")")) return failInCall(stream, [")"]);
  return condition(field, known, [value]);
}

// Inside a call the closing parenthesis is the call's own, not one that skipCondition must stop at.
function failInCall(stream: TokenStream, expected?: readonly string[]): undefined {
  if (expected !== undefined) stream.unexpected(expected);
  stream.skipCondition();
  stream.take(")");
}

function skipCall(stream: TokenStream): void {
  if (!stream.take("(")) return;
  for (let open = 1; open > 0 && stream.peek().kind !== "end";) {
    const token = stream.next();
    if (isSymbol(token, "(")) open++;
    else if (isSymbol(token, ")")) open--;
  }
}

function readComparison(stream: TokenStream, field: Token): ConditionRead | undefined {
  const token = stream.peek();
  const keyword = keywordOf(token);
  if (isSymbol(token, "==", "=", "!=")) {
    stream.next();
    const operator: Operator = token.text === "!=" ? "!=" : "==";
    const value = readValue(stream, field, operator);
    return value && condition(field, operator, [value]);
  }
  if (keyword === "in" || keyword === "not") {
    stream.next();
    if (keyword === "not") {
      if (keywordOf(stream.peek()) !== "in") return fail(stream, ["in"]);
      stream.next();
    }
    const values = readList(stream, field);
    return values && condition(field, "in", values, keyword === "not");
  }
  if (methods.some((method) => field.text.endsWith(`.${method}`))) return fail(stream, ["("]);
  if (token.kind === "end" || isSymbol(token, "(", ")", "[", "]", ",", "&&", "||", "!") || token.kind === "string" || keyword !== undefined) {
    return fail(stream, operatorWords, isSymbol(token, "[") ? `${field.text} == "key:value"` : undefined);
  }
  const method = nearest(token.text, methods);
  const foreign = token.text === "!~" ? `!${field.text}.matches(` : Object.hasOwn(foreignOperators, token.text) ? foreignOperators[token.text] : undefined;
  const didYouMean = method === undefined ? foreign : `.${method}(`;
  stream.report("unknown_operator", token, `${token.text} is not an operator; write ${didYouMean ?? listed(operatorWords)}`,
    { expected: operatorWords, found: token.text, ...suggestion(didYouMean) });
  stream.next();
  return undefined;
}

function readList(stream: TokenStream, field: Token): Value[] | undefined {
  const open = stream.peek({ kind: "value", field: field.text, operator: "in" });
  if (!isSymbol(open, "[")) {
    fail(stream, ["["], isSymbol(open, "(") ? "[" : undefined);
    if (isSymbol(open, "(")) skipCall(stream);
    return undefined;
  }
  stream.next();
  const close = stream.peek();
  if (stream.take("]")) {
    stream.report("empty_list", { from: open.from, to: close.to }, "A list holds at least one value", { expected: ["a quoted value"], found: "[]" });
    return undefined;
  }
  const values: Value[] = [];
  for (;;) {
    const value = readValue(stream, field, "in");
    if (value === undefined) return undefined;
    values.push(value);
    stream.peek({ kind: "separator" });
    if (stream.take("]")) break;
    if (!stream.take(",")) return fail(stream, [",", "]"]);
  }
  if (values.length > limits.filterListMax) {
    const over = { from: values[limits.filterListMax]!.from, to: values.at(-1)!.to };
    stream.report("list_too_long", over, `A list holds at most ${limits.filterListMax} values, this one has ${values.length}`);
    return undefined;
  }
  return values;
}

function readValue(stream: TokenStream, field: Field, operator: Operator): Value | undefined {
  const token = stream.peek({ kind: "value", field: field.text, operator });
  if (token.kind === "string") return stream.next();
  if (!isBare(token) || isSymbol(token, "!") || keywordOf(token) === "and" || keywordOf(token) === "or") {
    const listOperator = operator === "==" ? "in" : operator === "!=" ? "not in" : undefined;
    return fail(stream, ["a quoted value"], isSymbol(token, "[") ? listOperator : undefined);
  }
  // A bare word runs on to the next space or bracket: node-7, env:prod, 48213.
  let to = stream.next().to;
  for (let more = stream.peek(); more.from === to && isBare(more); more = stream.peek()) to = stream.next().to;
  const value = stream.text.slice(token.from, to);
  stream.report("value_unquoted", { from: token.from, to }, "Values stand in quotes", { expected: ["a quoted value"], found: value, didYouMean: quote(value) });
  return { value, from: token.from, to };
}

function isBare(token: Token): boolean {
  return token.kind === "name" || (token.kind === "symbol" && !isSymbol(token, "(", ")", "[", "]", ",", "&&", "||"));
}

function condition(field: Field, operator: Operator, values: readonly Value[], negated = false): ConditionRead {
  const span = ({ from, to }: Span): Span => ({ from, to });
  const at = { field: span(field), values: values.map(span) };
  return { term: { kind: "condition", field: field.text, operator, values: values.map(({ value }) => value), at }, negated };
}
