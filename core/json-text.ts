// JSON as Python writes it: NaN and Infinity, which JSON does not have. NaN reads as null (absent), Infinity as infinite (a request rate without limit).
import { err, ok, type Result } from "./result.ts";

// The error says why the text is no JSON.
export function parseJson(text: string): Result<unknown, string> {
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

// One past the quote that ends the string whose first character is at `from`; the length of the text when none does.
export function closingQuote(text: string, from: number): number {
  for (let at = text.indexOf('"', from); at >= 0; at = text.indexOf('"', at + 1)) {
    let escapes = at;
    while (escapes > from && text[escapes - 1] === "\\") escapes--;
    if ((at - escapes) % 2 === 0) return at + 1;
  }
  return text.length;
}
