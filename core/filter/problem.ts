// What can be wrong with a filter: the closed list of kinds, each with the error code the API answers with. Invariant: nothing is dropped in silence; past
// the bound one last problem says how many more there are.
import type { TextProblem } from "#schema/api/problem.ts";
import type { ErrorCode } from "#schema/errors.ts";
import { limits } from "#schema/limits.ts";
import { printable } from "#core/printable.ts";
import { encodeUtf8 } from "#core/utf8.ts";
import type { Span } from "./filter.ts";

export const problemKinds = {
  unexpected_token: "filter_syntax",
  unterminated_string: "filter_syntax",
  unknown_escape: "filter_syntax",
  lone_surrogate: "filter_syntax",
  typographic_quotes: "filter_syntax",
  value_unquoted: "filter_syntax",
  unknown_operator: "filter_syntax",
  unknown_method: "filter_syntax",
  empty_list: "filter_syntax",
  value_unknown: "filter_syntax",
  more_problems: "filter_syntax",
  filter_too_long: "limit_exceeded",
  too_many_conditions: "limit_exceeded",
  nested_too_deep: "limit_exceeded",
  list_too_long: "limit_exceeded",
  regex_too_long: "limit_exceeded",
  regex_too_heavy: "limit_exceeded",
  field_unsupported: "filter_field_unsupported",
  regex_invalid: "filter_regex_invalid",
} as const satisfies Record<string, ErrorCode>;

export type ProblemKind = keyof typeof problemKinds;
export type FilterProblem = TextProblem & { readonly kind: ProblemKind };
export type Report = (kind: ProblemKind, at: Span, message: string, more?: Pick<TextProblem, "expected" | "found" | "didYouMean">) => void;

// The head of every unsupported-field problem, word for word.
export const unsupportedField = "Unsupported filter field";

// In reading order, at most limits.filterProblemsMax.
export function ordered(problems: readonly FilterProblem[]): FilterProblem[] {
  const sorted = [...problems].sort((left, right) => left.from - right.from || left.to - right.to);
  if (sorted.length <= limits.filterProblemsMax) return sorted;
  const shown = sorted.slice(0, limits.filterProblemsMax - 1);
  const rest = sorted.slice(shown.length);
  const message = `${rest.length} more problems from here on`;
  return [...shown, { kind: "more_problems", message, from: rest[0]!.from, to: Math.max(...rest.map(({ to }) => to)) }];
}

// The code of the whole answer: a text that cannot be read says nothing certain about its fields, so syntax comes first.
export function errorCodeOf(problems: readonly FilterProblem[]): ErrorCode {
  const codes = new Set<ErrorCode>(problems.map((problem) => problemKinds[problem.kind]));
  const order: readonly ErrorCode[] = ["filter_syntax", "limit_exceeded", "filter_field_unsupported", "filter_regex_invalid"];
  return order.find((code) => codes.has(code)) ?? "filter_syntax";
}

// The optional part of a problem.
export function suggestion(didYouMean: string | undefined): { didYouMean?: string } {
  return didYouMean === undefined ? {} : { didYouMean };
}

// `"a", "b" or "c"`
export function listed(words: readonly string[]): string {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`;
}

// What was found, fit for a sentence: short, and nothing in it unseen. The problem's `found` has it as it was.
export function excerpt(text: string): string {
  const characters = Array.from(text.slice(0, 2 * excerptMax));
  return printable(characters.length <= excerptMax && text.length <= 2 * excerptMax ? text : `${characters.slice(0, excerptMax).join("")}…`);
}

const excerptMax = 60;

export function utf8Bytes(text: string): number {
  return encodeUtf8(text).length;
}
