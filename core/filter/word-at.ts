// The word at a cursor: where it begins, the slot it stands in, and how far it goes on behind the cursor.
import { lex, type Token } from "./lexer.ts";
import type { Parse } from "./parser.ts";
import type { Slot } from "./slot.ts";
import { isSymbol, keywordOf } from "./token-stream.ts";

export type Word = { readonly slot: Slot; readonly from: number; readonly typed: string };

// `before` is the parse of the text up to the cursor.
export function wordAt({ tokens, slots, slot: slotAtEnd }: Parse, cursor: number, fields: readonly string[]): Word {
  const at = tokens.length - 2; // the last is the end
  const last = tokens[at];
  const nothing: Word = { slot: slotAtEnd, from: cursor, typed: "" };
  if (last === undefined || last.to !== cursor) return nothing;
  const slot = slots[at] ?? slotAtEnd;
  if (last.kind === "string") return last.closed ? nothing : { slot: slot.kind === "separator" ? { kind: "value", field: slot.field, operator: "in" } : slot, from: last.from, typed: last.value };

  // A bare value is a run of tokens that touch: env:pr, /opt/serve.
  for (let i = at; i >= 0 && tokens[i]!.to === (i === at ? cursor : tokens[i + 1]!.from) && tokens[i]!.kind !== "string"; i--) {
    const own = slots[i];
    if (own?.kind === "value" && !isSymbol(tokens[i]!, ...brackets) && slots[i - 1]?.kind !== "value") return { slot: own, from: tokens[i]!.from, typed: textOf(tokens.slice(i, at + 1)) };
  }
  const before = tokens[at - 1];
  if (isSymbol(last, ".") && slot.kind === "operator" && before?.to === last.from && fields.some((field) => field.startsWith(`${before.text}.`))) {
    return { slot: { kind: "field" }, from: before.from, typed: `${before.text}.` }; // k8s.
  }
  if (isSymbol(last, ".") && slot.kind === "operator") return { slot, from: last.from, typed: "." };
  if (slot.kind === "method" && before !== undefined) return { slot: { kind: "operator", field: slot.field }, from: before.from, typed: `.${last.text}` };
  const field = slot.kind === "field" && last.kind === "name" ? fields.find((one) => last.text.startsWith(`${one}.`)) : undefined;
  if (field !== undefined) return { slot: { kind: "operator", field }, from: last.from + field.length, typed: last.text.slice(field.length) }; // host.name.con
  const begun = (slot.kind === "operator" && isSymbol(last, "=", "!")) || (slot.kind === "connective" && isSymbol(last, "&", "|"));
  return last.kind === "name" || begun ? { slot, from: last.from, typed: last.text } : nothing;
}

const brackets = ["(", ")", "[", "]", ",", "&&", "||", "==", "=", "!=", "!"];

function textOf(tokens: readonly Token[]): string {
  return tokens.map(({ text }) => text).join("");
}

// The place behind what an option replaces: the rest of the word the cursor stands in, and never the next word.
export function endOfWord(text: string, { slot, from, typed }: Word, cursor: number, fields: readonly string[]): number {
  if (from === cursor) return cursor;
  const { tokens } = lex(text, () => {});
  const at = tokens.findIndex((token) => token.to > from);
  const token = tokens[at];
  if (token === undefined || token.kind === "end") return cursor;
  if (token.kind === "string") return token.closed && mayFollowValue(tokens[at + 1]!) ? token.to : cursor + restOf(text, cursor);
  if (slot.kind === "value") return cursor + restOf(text, cursor);
  if (slot.kind === "operator" && typed.startsWith(".")) {
    const to = Math.max(cursor, token.text === "." && tokens[at + 1]?.kind === "name" ? tokens[at + 1]!.to : token.to);
    return text[to] === "(" ? to + 1 : to; // the option brings its own
  }
  return Math.max(cursor, slot.kind === "field" ? token.from + fieldPart(token, text[token.to], fields) : token.to);
}

// A quote behind the cursor closes this value only if something follows that may; else it opens the next one.
function mayFollowValue(next: Token): boolean {
  return next.kind === "end" || isSymbol(next, "&&", "||", ")", "]", ",") || keywordOf(next) === "and" || keywordOf(next) === "or";
}

function restOf(text: string, cursor: number): number {
  return /^[^\s"'()[\],&|]*/.exec(text.slice(cursor))![0].length;
}

// Of host.name.contains( the field is host.name.
function fieldPart({ text }: Token, next: string | undefined, fields: readonly string[]): number {
  const field = fields.find((one) => text.startsWith(`${one}.`));
  if (field !== undefined) return field.length;
  return next === "(" && text.includes(".") ? text.lastIndexOf(".") : text.length;
}
