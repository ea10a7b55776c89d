// The JSON documents of a file: one, or one a line, since benchmark tools append run after run. Python writes NaN and Infinity, which JSON does not have:
// NaN reads as null (absent), Infinity as infinite (a request rate without limit).
import { err, ok, type Result } from "#core/result.ts";
import { isRecord } from "./json-record.ts";

export type JsonDocuments = { values: unknown[]; notes: string[] };

// The error says why the text is no JSON.
export function jsonDocuments(text: string): Result<JsonDocuments, string> {
  const whole = parse(text);
  if (whole.ok) return ok({ values: [whole.value], notes: [] });
  const values: unknown[] = [];
  const broken: number[] = [];
  let line = 0;
  for (const written of linesOf(text)) {
    line++;
    if (written.trim() === "") continue;
    const parsed = parse(written);
    if (parsed.ok && isRecord(parsed.value)) values.push(parsed.value);
    else broken.push(line);
    if (values.length === 0) return whole; // a document over many lines that is broken somewhere
  }
  if (values.length === 0) return whole;
  const notes = broken.length === 0 ? [] : [`Lines that are no JSON object, left out: ${broken.length.toLocaleString("en-US")}, the first is line ${broken[0]!.toLocaleString("en-US")}`];
  return ok({ values, notes });
}

function* linesOf(text: string): Generator<string> {
  for (let at = 0; at < text.length; ) {
    const end = text.indexOf("\n", at);
    yield text.slice(at, end < 0 ? text.length : end);
    at = end < 0 ? text.length : end + 1;
  }
}

function parse(text: string): Result<unknown, string> {
  try {
    return ok(JSON.parse(text));
  } catch (strict) {
    try {
      return ok(JSON.parse(withJsonNumbers(text)));
    } catch {
      return err((strict as Error).message);
    }
  }
}

// Outside strings: NaN → null, Infinity → a number too large for a double, which parses as infinite.
function withJsonNumbers(text: string): string {
  const pieces: string[] = [];
  for (let at = 0; at < text.length; ) {
    const quote = text.indexOf('"', at);
    const between = text.slice(at, quote < 0 ? text.length : quote);
    pieces.push(/[iI]nf|[nN]a[nN]/.test(between) ? between.replace(/-?\bnan\b/gi, "null").replace(/\binf(inity)?\b/gi, "1e999") : between);
    if (quote < 0) break;
    const end = closingQuote(text, quote + 1);
    pieces.push(text.slice(quote, end));
    at = end;
  }
  return pieces.join("");
}

// One past the quote that ends the string whose first character is at `from`.
function closingQuote(text: string, from: number): number {
  for (let at = text.indexOf('"', from); at >= 0; at = text.indexOf('"', at + 1)) {
    let escapes = at;
    while (escapes > from && text[escapes - 1] === "\\") escapes--;
    if ((at - escapes) % 2 === 0) return at + 1;
  }
  return text.length;
}
