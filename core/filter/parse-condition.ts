// One condition: field operator value · field [not] in [values] · field.method(value) · has(field).
import { nearest } from "./edit-distance.ts";
import { type Condition, methods, type Operator, type Span } from "./filter.ts";
import type { Token } from "./lexer.ts";
import { quote } from "./printer.ts";
import { excerpt, listed, suggestion } from "./problem.ts";
import { readList, readValue, type Value } from "./read-value.ts";
import { operatorWords } from "./slot.ts";
import { isSymbol, isWord, keywordOf, type TokenStream } from "./token-stream.ts";

type Field = Span & { readonly text: string };
export type ConditionRead = { readonly term: Condition<string>; readonly negated: boolean };

// The field of a condition that broke off behind its operator: its name can be wrong as well.
const fieldOnly = (field: Field): Field => ({ text: field.text, from: field.from, to: field.to });

// What other systems write, and what it is here.
const foreignOperators: Readonly<Record<string, string>> = {
  "===": "==", "!==": "!=", "<>": "!=", ":": "==", "=~": ".matches(", "~": ".matches(", is: "==", eq: "==", equals: "==", ne: "!=",
  like: ".contains(", ilike: ".contains(", regexp: ".matches(", rlike: ".matches(",
};

// Undefined after a problem; the stream then stands at a connective, a closing parenthesis or the end.
export function parseCondition(stream: TokenStream): ConditionRead | undefined {
  const read = readCondition(stream);
  if (read === undefined) stream.skipCondition();
  else stream.peek(stream.connective());
  return read;
}

function readCondition(stream: TokenStream): ConditionRead | undefined {
  const first = stream.peek({ kind: "field" });
  if (!isWord(first)) return void stream.unexpected(reversed(stream, first));
  stream.next();
  const next = stream.peek({ kind: "operator", field: first.text });
  if (first.text.toLowerCase() === "has" && !isSymbol(next, "(")) {
    stream.peek({ kind: "call" });
    return void stream.unexpected(isWord(next) ? `has(${next.text})` : undefined);
  }
  if (isSymbol(next, "(")) return first.text === "has" ? readHas(stream) : readCall(stream, ...splitCall(first));
  if (stream.take(".")) {
    const method = stream.peek({ kind: "method", field: first.text });
    if (method.kind !== "name") return void stream.unexpected();
    stream.next();
    return readCall(stream, first, method);
  }
  return readComparison(stream, first);
}

// `"a" == host.name` and `"a" in user.tag`, as CEL has it: the field comes first here.
function reversed(stream: TokenStream, first: Token): string | undefined {
  if (first.kind !== "string") return undefined;
  const [operator, field] = [stream.ahead(1), stream.ahead(2)];
  if (!isWord(field) || !(isSymbol(operator, "==", "=", "!=") || keywordOf(operator) === "in")) return undefined;
  return `${field.text} ${operator.text === "!=" ? "!=" : "=="} ${quote(first.value)}`;
}

// `host.name.contains` before "(" is the field host.name and the method contains.
function splitCall(name: Token): [Field | undefined, Field] {
  const dot = name.text.lastIndexOf(".");
  const method = { text: name.text.slice(dot + 1), from: name.from + dot + 1, to: name.to };
  return [dot === -1 ? undefined : { text: name.text.slice(0, dot), from: name.from, to: name.from + dot }, method];
}

function readHas(stream: TokenStream): ConditionRead | undefined {
  stream.next();
  const field = stream.peek({ kind: "argument" });
  if (!isWord(field)) return failInCall(stream, true);
  stream.next();
  stream.peek({ kind: "close" });
  if (!stream.take(")")) return failInCall(stream, true);
  return condition(field, "has", []);
}

function readCall(stream: TokenStream, field: Field | undefined, method: Field): ConditionRead | undefined {
  const known = methods.find((one) => one === method.text);
  stream.peek({ kind: "call" });
  if (field === undefined || known === undefined) {
    const choices: readonly string[] = field === undefined ? ["has"] : methods;
    const message = field === undefined
      ? `${excerpt(method.text)}(…) is not a function; the only one is has(field)`
      : `Fields have no method ${excerpt(method.text)}; they have ${listed(methods)}`;
    stream.report("unknown_method", method, message, { expected: [...choices], found: method.text, ...suggestion(nearest(method.text, choices)) });
    skipCall(stream, field);
    return undefined;
  }
  if (!stream.take("(")) return void stream.unexpected();
  const value = readValue(stream, field.text, known);
  if (value === undefined) {
    stream.broken.push(fieldOnly(field));
    return failInCall(stream, false);
  }
  stream.peek({ kind: "close" });
  if (!stream.take(")")) return failInCall(stream, true);
  return condition(field, known, [value]);
}

// Inside a call the closing parenthesis is the call's own, not one that skipCondition must stop at.
function failInCall(stream: TokenStream, told: boolean): undefined {
  if (told) stream.unexpected();
  stream.skipBracketed(")");
}

function skipCall(stream: TokenStream, field: Field | undefined): void {
  if (!stream.take("(")) return;
  stream.peek(field === undefined ? { kind: "argument" } : { kind: "value", field: field.text, operator: "contains" });
  if (stream.ahead(0).kind === "string") stream.next();
  stream.peek({ kind: "close" });
  stream.skipBracketed(")");
}

function readComparison(stream: TokenStream, field: Token): ConditionRead | undefined {
  const token = stream.peek();
  const keyword = keywordOf(token);
  if (isSymbol(token, "==", "=", "!=")) {
    stream.next();
    const operator: Operator = token.text === "!=" ? "!=" : "==";
    const value = readValue(stream, field.text, operator);
    if (value === undefined) stream.broken.push(fieldOnly(field));
    return value && condition(field, operator, [value]);
  }
  if (keyword === "in" || keyword === "not") {
    stream.next();
    if (keyword === "not") {
      if (keywordOf(stream.peek({ kind: "in", field: field.text })) !== "in") return void stream.unexpected();
      stream.next();
    }
    const values = readList(stream, field.text);
    if (values === undefined) stream.broken.push(fieldOnly(field));
    return values && condition(field, "in", values, keyword === "not");
  }
  if (methods.some((method) => field.text.endsWith(`.${method}`))) {
    stream.peek({ kind: "call" });
    return void stream.unexpected();
  }
  if (token.kind === "end" || isSymbol(token, "(", ")", "[", "]", ",", "&&", "||", "!") || token.kind === "string" || keyword !== undefined) {
    return void stream.unexpected(isSymbol(token, "[") ? `${field.text} == "key:value"` : undefined);
  }
  const word = token.text.toLowerCase();
  const method = nearest(token.text, methods);
  const isNot = word === "is" && keywordOf(stream.ahead(1)) === "not";
  const foreign = isNot ? undefined : token.text === "!~" ? `!${field.text}.matches(` : Object.hasOwn(foreignOperators, word) ? foreignOperators[word] : undefined;
  const didYouMean = method === undefined ? foreign : `.${method}(`;
  stream.report("unknown_operator", token, `${excerpt(token.text)} is not an operator; write ${didYouMean ?? listed(operatorWords)}`,
    { expected: [...operatorWords], found: token.text, ...suggestion(didYouMean) });
  stream.next();
  stream.peek({ kind: "value", field: field.text, operator: "==" });
  return undefined;
}

function condition(field: Field, operator: Operator, values: readonly Value[], negated = false): ConditionRead {
  const span = ({ from, to }: Span): Span => ({ from, to });
  const at = { field: span(field), values: values.map(span) };
  return { term: { kind: "condition", field: field.text, operator, values: values.map(({ value }) => value), at }, negated };
}
