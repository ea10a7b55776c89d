// Puts a chosen completion into the filter's text, with the spaces and brackets that lead on to the next word.
import type { Completion } from "#core/filter/complete.ts";

export type Typed = { readonly text: string; readonly cursor: number };

// `option` is ready to put in: a field, an operator word, a quoted value, a connective, a separator or a bracket.
export function acceptCompletion(text: string, { slot, replace }: Completion, option: string): Typed {
  const before = text.slice(0, replace.from);
  // A method follows its field directly; every other word stands apart from what is before it.
  const head = option.startsWith(".") ? before.trimEnd() : slot.kind === "operator" || slot.kind === "connective" ? apart(before) : before;
  const put = head + option + tail(slot, option);
  return { text: put + text.slice(replace.to), cursor: put.length };
}

function apart(text: string): string {
  return text === "" || /\s$/.test(text) ? text : `${text} `;
}

function tail(slot: Completion["slot"], option: string): string {
  if (slot.kind === "operator") return option.startsWith(".") ? "" : option.endsWith("in") ? " [" : " ";
  if (slot.kind === "value") return slot.operator === "==" || slot.operator === "!=" ? " " : slot.operator === "in" ? "" : ") ";
  return " ";
}
