// Completion at the cursor: which slot it stands in, the text being typed there, and the words the language itself offers. Values of fields come from the
// caller (they are data); only the closed ones are known here. The same parser decides, on the text before the word being typed.
import { frameKindNames } from "#schema/frame-kinds.ts";
import { fieldNames, fieldsOfPage, type Page } from "#schema/fields.ts";
import type { Span } from "./filter.ts";
import { lex } from "./lexer.ts";
import { operatorWords } from "./parse-condition.ts";
import { parse } from "./parser.ts";
import { quote } from "./printer.ts";
import type { Slot } from "./token-stream.ts";

export type Completion = {
  readonly slot: Slot;
  readonly replace: Span; // what an accepted option takes the place of
  readonly typed: string; // the word so far; of a value: what its quotes hold
  readonly options: readonly string[]; // ready to put in; empty for the values of an open field
};

export function complete(text: string, cursor: number, page: Page): Completion {
  const before = text.slice(0, cursor);
  const { tokens } = lex(before, () => {});
  const last = tokens.at(-2);
  const touching = last !== undefined && last.to === cursor ? last : undefined;

  if (touching?.kind === "string" && !touching.closed) return at(touching.from, touching.value);
  if (touching?.kind === "name") {
    const dotted = dottedMethod(touching.text);
    return dotted === undefined ? at(touching.from, touching.text) : operatorAt(touching.from, dotted.field, dotted.method);
  }
  if (touching?.text === "." && tokens.at(-3)?.kind === "name" && tokens.at(-3)!.to === touching.from && (fieldNames as string[]).includes(tokens.at(-3)!.text)) {
    return operatorAt(tokens.at(-3)!.from, tokens.at(-3)!.text, "");
  }
  return at(cursor, "");

  function at(from: number, typed: string): Completion {
    const { slot } = parse(text.slice(0, from));
    return { slot, replace: { from, to: cursor }, typed, options: options(slot, typed, page) };
  }

  // host.name.con: the method being typed, from its dot on.
  function operatorAt(from: number, field: string, method: string): Completion {
    const slot = { kind: "operator", field } as const;
    const dot = from + field.length;
    return { slot, replace: { from: dot, to: cursor }, typed: `.${method}`, options: options(slot, `.${method}`, page) };
  }
}

function dottedMethod(name: string): { field: string; method: string } | undefined {
  const field = fieldNames.find((one) => name.startsWith(`${one}.`));
  return field && { field, method: name.slice(field.length + 1) };
}

function options(slot: Slot, typed: string, page: Page): string[] {
  const lower = typed.toLowerCase();
  const fitting = (words: readonly string[]): string[] => {
    const hits = words.filter((word) => word.toLowerCase().includes(lower));
    return [...hits.filter((word) => word.toLowerCase().startsWith(lower)), ...hits.filter((word) => !word.toLowerCase().startsWith(lower))];
  };
  switch (slot.kind) {
    case "field": return fitting(fieldsOfPage(page));
    case "operator": return fitting(operatorWords);
    case "connective": return fitting(["&&", "||"]);
    case "separator": return fitting([",", "]"]);
    case "close": return fitting([")"]);
    case "value": return slot.field === "profile.frame.type" ? fitting(frameKindNames).map(quote) : [];
  }
}
