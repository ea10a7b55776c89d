// Text → tokens. Invariant: every code unit of the text is in exactly one token or is white space; never throws; one pass.
// What no rule knows becomes a `symbol` of its own, so that the parser, which knows what would have been right there, says so.
import { quote } from "./printer.ts";
import type { Span } from "./filter.ts";
import { excerpt, type Report } from "./problem.ts";

export type Token = Span & {
  readonly kind: "name" | "string" | "symbol" | "end";
  readonly text: string; // as written; a name holds its dots
  readonly value: string; // of a string: what it stands for; else as `text`
  readonly closed: boolean; // false: a string whose closing quote is missing
};

const space = /\s+/y;
const name = /[\p{L}\p{N}_][\p{L}\p{N}_-]*(?:\.[\p{L}\p{N}_][\p{L}\p{N}_-]*)*/uy;
// The language's own, and what people write out of habit from other systems; longest first.
const symbol = /&&|\|\||===|!==|==|!=|=~|!~|=|!|\(|\)|\[|\]|,|\.|<=|>=|<>|[<>~:&|]/y;
const unknown = /[^\s\p{L}\p{N}_"'“”„‘’«»&|=!()[\],.<>~:]+/uy;

const escapes: Readonly<Record<string, string>> = { '"': '"', "'": "'", "\\": "\\", n: "\n", r: "\r", t: "\t" };
// Opening quote of a word processor → what closes it.
const typographic: Readonly<Record<string, string>> = { "“": "”“", "”": "”“", "„": "“”", "‘": "’‘", "’": "’‘", "«": "»", "»": "«" };
const escapeWords = ['\\"', "\\'", "\\\\", "\\n", "\\r", "\\t", "\\uXXXX"];

// `steps` counts the code units looked at: the measure of work in the linear-time test.
export function lex(text: string, report: Report): { tokens: Token[]; steps: number } {
  const tokens: Token[] = [];
  let at = 0;
  let steps = 0;

  const match = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.[0];
    steps += 1 + (found?.length ?? 0);
    return found;
  };
  const push = (kind: Token["kind"], to: number, value?: string, closed = true): void => {
    const written = text.slice(at, to);
    tokens.push({ kind, text: written, value: value ?? written, closed, from: at, to });
    at = to;
  };

  while (at < text.length) {
    const first = text[at]!;
    if (first === '"' || first === "'" || typographic[first] !== undefined) {
      const read = readString(text, at, report);
      steps += read.to - at;
      push("string", read.to, read.value, read.closed);
      continue;
    }
    const blank = match(space);
    if (blank !== undefined) at += blank.length;
    else {
      const word = match(name);
      if (word !== undefined) push("name", at + word.length);
      else push("symbol", at + (match(symbol) ?? match(unknown) ?? first).length);
    }
  }
  push("end", text.length);
  return { tokens, steps };
}

// A string ends at its quote, or, when that is missing, at the end of its line.
function readString(text: string, from: number, report: Report): { to: number; value: string; closed: boolean } {
  const open = text[from]!;
  const closers = typographic[open] ?? open;
  let value = "";
  let at = from + 1;
  while (at < text.length && text[at] !== "\n" && text[at] !== "\r") {
    const one = text[at]!;
    if (closers.includes(one)) return finish(at + 1, true);
    if (one !== "\\") {
      value += one;
      at++;
      continue;
    }
    const next = text[at + 1] ?? "";
    const hex = next === "u" ? /^[0-9a-fA-F]{4}/.exec(text.slice(at + 2, at + 6))?.[0] : undefined;
    const known = Object.hasOwn(escapes, next) ? escapes[next] : hex === undefined ? undefined : String.fromCharCode(Number.parseInt(hex, 16));
    const foreign = known === undefined ? foreignEscape(text, at) : undefined;
    if (foreign !== undefined) {
      report("unknown_escape", { from: at, to: at + foreign.written.length }, `${foreign.written} is not an escape; a character by its number is \\uXXXX`, { expected: escapeWords, found: foreign.written, didYouMean: foreign.ours });
      value += foreign.character;
      at += foreign.written.length;
      continue;
    }
    if (known === undefined && next !== "" && next !== "\n" && next !== "\r") {
      const written = text.slice(at, at + 1 + String.fromCodePoint(text.codePointAt(at + 1)!).length);
      const message = next === "u" ? "\\u takes four hex digits" : `${excerpt(written)} is not an escape; a backslash itself is written \\\\`;
      report("unknown_escape", { from: at, to: at + written.length }, message, { expected: escapeWords, found: written, didYouMean: `\\${written}` });
    }
    value += known ?? `\\${hex === undefined ? next : ""}`;
    at += hex !== undefined ? 6 : next === "\n" || next === "\r" ? 1 : 2;
  }
  return finish(Math.min(at, text.length), false);

  function finish(to: number, closed: boolean): { to: number; value: string; closed: boolean } {
    const span = { from, to };
    const found = text.slice(from, to);
    if (!closed) report("unterminated_string", span, `The value has no closing ${closers[0]}`, { expected: [closers[0]!], found });
    else if (typographic[open] !== undefined) {
      report("typographic_quotes", span, "Values stand in straight quotes", { expected: ['"', "'"], found, didYouMean: quote(value) });
    }
    if (/\p{Surrogate}/u.test(value)) report("lone_surrogate", span, "The value holds half of a surrogate pair, which no stored text can hold", { found });
    return { to, value, closed };
  }
}

// \x41, \u{1f600}, \U0001f600, as other languages have them.
function foreignEscape(text: string, at: number): { written: string; character: string; ours: string } | undefined {
  const found = /^\\(?:x([0-9a-f]{2})|u\{0*([0-9a-f]{1,6})\}|U([0-9a-f]{8}))/i.exec(text.slice(at, at + 20));
  const number = Number.parseInt(found?.[1] ?? found?.[2] ?? found?.[3] ?? "", 16);
  if (found === null || !(number <= 0x10ffff)) return undefined;
  const character = String.fromCodePoint(number);
  const ours = Array.from({ length: character.length }, (_, unit) => `\\u${character.charCodeAt(unit).toString(16).padStart(4, "0")}`).join("");
  return { written: found[0], character, ours };
}
