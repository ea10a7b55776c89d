// The path of a module, or of all its copies: `*` stands for any one step (model.layers.*.mlp) and, between brackets, for any number (Qwen2DecoderLayer[*]).
import { javascriptRegex } from "#core/regex.ts";
import { type Result, err, ok } from "#core/result.ts";

export type PathPattern = {
  readonly regex: string; // RE2, of the whole path
  readonly indices: (path: string) => string[]; // what stands for each *; none of a path that does not match
};

export function pathPattern(text: string): Result<PathPattern, string> {
  const parts = text.split(/((?<=^|\.)\*(?=\.|$)|\[\*\])/);
  if (parts.some((part, at) => at % 2 === 0 && part.includes("*"))) return err(`* stands for a whole step or for the number in brackets, as in model.layers.*.mlp and Qwen2DecoderLayer[*]`);
  const escaped = (part: string) => part.replaceAll(/[^A-Za-z0-9_]/gu, (one) => `\\x{${one.codePointAt(0)!.toString(16)}}`);
  const regex = `^${parts.map((part, at) => (at % 2 === 0 ? escaped(part) : part === "*" ? "([^.]+)" : "\\[([0-9]+)\\]")).join("")}$`;
  // Steps end at dots and numbers at brackets, so there is one way to match, whatever the path.
  const compiled = javascriptRegex(regex);
  if (compiled === undefined) throw new Error(`invariant: ${regex} has no JavaScript twin`);
  return ok({ regex, indices: (path) => compiled.exec(path)?.slice(1) ?? [] });
}
