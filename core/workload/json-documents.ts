// The JSON documents of a file: one, or one a line, since benchmark tools append run after run.
import { parseJson } from "#core/json-text.ts";
import { ok, type Result } from "#core/result.ts";
import { isRecord } from "./json-record.ts";

export type JsonDocuments = { values: unknown[]; notes: string[] };

// The error says why the text is no JSON.
export function jsonDocuments(text: string): Result<JsonDocuments, string> {
  const whole = parseJson(text);
  if (whole.ok) return ok({ values: [whole.value], notes: [] });
  const values: unknown[] = [];
  const broken: number[] = [];
  let line = 0;
  for (const written of linesOf(text)) {
    line++;
    if (written.trim() === "") continue;
    const parsed = parseJson(written);
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
