// Completion at the cursor: which slot it stands in, the text being typed there, what an accepted option replaces, and the words the language itself offers.
// Values of fields come from the caller (they are data); only the closed ones are known here. The same parser decides, on the text before the cursor; what stands
// after it only says how far the word goes on. Invariants: never throws, whatever the text and the cursor; work is linear in the text.
import { frameKindNames } from "#schema/frame-kinds.ts";
import { fieldsOfPage, type Page } from "#schema/fields.ts";
import { limits } from "#schema/limits.ts";
import { methods, type Operator, type Span } from "./filter.ts";
import { patternOf } from "./literal-pattern.ts";
import { parse } from "./parser.ts";
import { quote } from "./printer.ts";
import { utf8Bytes } from "./problem.ts";
import { operatorWords, type Slot } from "./slot.ts";
import { endOfWord, wordAt } from "./word-at.ts";

export type Completion = {
  readonly slot: Slot;
  readonly replace: Span; // what an accepted option takes the place of
  readonly typed: string; // the word so far; of a value: what its quotes hold
  readonly options: readonly string[]; // ready to put in; empty for the values of an open field
};

// `cursor` in UTF-16 code units; one outside the text is its nearest end. To a text over its bound nothing is offered: it would only grow.
export function complete(text: string, cursor: number, page: Page): Completion {
  const place = placeIn(text, cursor);
  if (text.length > limits.filterBytesMax || utf8Bytes(text) > limits.filterBytesMax) return { slot: { kind: "field" }, replace: { from: place, to: place }, typed: "", options: [] };
  const fields = fieldsOfPage(page);
  const word = wordAt(parse(text.slice(0, place)), place, fields);
  return { slot: word.slot, replace: { from: word.from, to: endOfWord(text, word, place, fields) }, typed: word.typed, options: options(word.slot, word.typed, fields) };
}

// A value of the caller's, ready to put in: in quotes, and as a pattern where the operator takes one.
export function valueOption(operator: Operator, value: string, head: "" | "^" = ""): string {
  return quote(operator === "matches" ? head + patternOf(value) : value);
}

function placeIn(text: string, cursor: number): number {
  const place = Math.min(Math.max(0, Math.trunc(cursor) || 0), text.length);
  // Never between the halves of a character.
  return /^[\ud800-\udbff][\udc00-\udfff]$/.test(text.slice(place - 1, place + 1)) ? place + 1 : place;
}

function options(slot: Slot, typed: string, fields: readonly string[]): string[] {
  const lower = typed.toLowerCase();
  const fitting = (words: readonly string[]): string[] => {
    const hits = words.filter((word) => word.toLowerCase().includes(lower));
    return [...hits.filter((word) => word.toLowerCase().startsWith(lower)), ...hits.filter((word) => !word.toLowerCase().startsWith(lower))];
  };
  switch (slot.kind) {
    // The words for !, && and || are offered to those who type them.
    case "field": return fitting([...fields, "!", "(", "has(", ...(typed === "" ? [] : ["not"])]);
    case "argument": return fitting(fields);
    case "operator": return fitting(operatorWords);
    case "method": return fitting(methods.map((method) => `${method}(`));
    case "in": return fitting(["in"]);
    case "list": return fitting(["["]);
    case "call": return fitting(["("]);
    case "connective": return fitting(["&&", "||", ...(slot.open ? [")"] : []), ...(typed === "" ? [] : ["and", "or"])]);
    case "separator": return fitting([",", "]"]);
    case "close": return fitting([")"]);
    case "value": return slot.field === "profile.frame.type" ? fitting(frameKindNames).map(quote) : [];
  }
}
