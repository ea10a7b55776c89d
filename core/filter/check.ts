// A parsed filter against the fields of a page: unsupported fields, unknown frame types, patterns RE2 refuses.
// Invariant: a filter that passes can be compiled.
import { frameKindNames } from "#schema/frame-kinds.ts";
import { type FieldName, fieldsOfPage, type Page } from "#schema/fields.ts";
import { limits } from "#schema/limits.ts";
import { regexFault } from "#core/regex.ts";
import { err, ok, type Result } from "#core/result.ts";
import { nearest, onlyWithParts } from "./edit-distance.ts";
import { type Condition, conditionsOf, type Filter, type ParsedFilter, type Span } from "./filter.ts";
import { parse } from "./parser.ts";
import { regexSteps, stepsText } from "../regex-steps.ts";
import { quote } from "./printer.ts";
import { excerpt, type FilterProblem, ordered, type Report, suggestion, unsupportedField, utf8Bytes } from "./problem.ts";

// The way in for a request: text and page → a filter that may select rows, or every problem in reading order.
export function readFilter(text: string, page: Page): Result<Filter, readonly FilterProblem[]> {
  const { filter, problems, broken } = parse(text);
  const checked = check(filter, page);
  const all = [...problems, ...(checked.ok ? [] : checked.error)];
  const allowed = fieldsOfPage(page);
  for (const field of broken) if (!isAllowed(field.text, allowed)) unsupported(field.text, field, allowed, (kind, at, message, more) => all.push({ kind, message, from: at.from, to: at.to, ...more }));
  return checked.ok && all.length === 0 ? checked : err(ordered(all));
}

export function check(filter: ParsedFilter, page: Page): Result<Filter, readonly FilterProblem[]> {
  const problems: FilterProblem[] = [];
  const report: Report = (kind, at, message, more = {}) => problems.push({ kind, message, from: at.from, to: at.to, ...more });
  const allowed = fieldsOfPage(page);
  for (const condition of conditionsOf(filter)) checkCondition(condition, allowed, report);
  return problems.length === 0 ? ok(filter as Filter) : err(ordered(problems));
}

const nowhere = { from: 0, to: 0 };

function checkCondition({ field, operator, values, at }: Condition<string>, allowed: readonly FieldName[], report: Report): void {
  if (!isAllowed(field, allowed)) return unsupported(field, at?.field ?? nowhere, allowed, report);
  values.forEach((value, index) => {
    const place = at?.values[index] ?? nowhere;
    if (field === "profile.frame.type" && ["==", "!=", "in"].includes(operator) && !(frameKindNames as string[]).includes(value)) {
      const didYouMean = nearest(value, frameKindNames);
      report("value_unknown", place, `${field} has no value ${excerpt(quote(value))}`, { expected: [...frameKindNames], found: value, ...suggestion(didYouMean) });
    }
    if (operator !== "matches") return;
    if (utf8Bytes(value) > limits.filterRegexBytesMax) {
      report("regex_too_long", place, `A pattern is at most ${limits.filterRegexBytesMax} bytes of UTF-8`);
      return;
    }
    const fault = regexFault(value);
    if (fault !== undefined) {
      report("regex_invalid", place, `Not an RE2 pattern: ${fault}`, { found: value });
      return;
    }
    const steps = regexSteps(value);
    if (steps <= limits.filterRegexStepsMax) return;
    const message = `With its repetitions written out the pattern has ${stepsText(steps)}, at most ${limits.filterRegexStepsMax} are taken; count less in {…}, or split it`;
    report("regex_too_heavy", place, message, { found: value });
  });
}

function isAllowed(field: string, allowed: readonly string[]): boolean {
  return allowed.includes(field);
}

function unsupported(field: string, at: Span, allowed: readonly FieldName[], report: Report): void {
  const didYouMean = nearest(field, allowed) ?? onlyWithParts(field, allowed);
  report("field_unsupported", at, unsupportedField, { expected: [...allowed], found: field, ...suggestion(didYouMean) });
}
