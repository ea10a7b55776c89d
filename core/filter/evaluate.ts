// What a filter means, in a few lines: the reference that clickhouse/where.ts is tested against, and the filter of local folds.
// A field that is absent is "". Fields with several values per row (user.tag, and frame fields: one value per frame of the stack) match when an element does;
// `!=` is always the negation of `==`: no element equals.
import { type FieldName, fields } from "#schema/fields.ts";
import { javascriptRegex } from "#core/regex.ts";
import type { Condition, Filter } from "./filter.ts";

// What is filtered: one text per string field, a list per list or frame field.
export type Subject = Partial<Readonly<Record<FieldName, string | readonly string[]>>>;

// Undefined when a pattern has no JavaScript twin (see core/regex.ts): such a filter cannot be answered here.
export function predicate(filter: Filter): ((subject: Subject) => boolean) | undefined {
  switch (filter.kind) {
    case "everything": return () => true;
    case "condition": return conditionPredicate(filter);
    case "not": {
      const operand = predicate(filter.operand);
      return operand && ((subject) => !operand(subject));
    }
    case "and":
    case "or": {
      const operands = filter.operands.map((operand) => predicate(operand)).filter((operand) => operand !== undefined);
      if (operands.length < filter.operands.length) return undefined;
      return filter.kind === "and" ? (subject) => operands.every((operand) => operand(subject)) : (subject) => operands.some((operand) => operand(subject));
    }
  }
}

function conditionPredicate({ field, operator, values }: Condition): ((subject: Subject) => boolean) | undefined {
  const [value = ""] = values;
  const regex = operator === "matches" ? javascriptRegex(value) : undefined;
  if (operator === "matches" && regex === undefined) return undefined;
  const tests = {
    "==": (text: string) => text === value,
    "!=": (text: string) => text === value,
    in: (text: string) => values.includes(text),
    contains: (text: string) => text.includes(value),
    startsWith: (text: string) => text.startsWith(value),
    endsWith: (text: string) => text.endsWith(value),
    matches: (text: string) => regex!.test(text),
    has: (text: string) => text !== "",
  };
  const some = (subject: Subject): boolean => {
    const found = subject[field] ?? (fields[field].kind === "string" ? "" : []);
    return typeof found === "string" ? tests[operator](found) : found.some(tests[operator]);
  };
  return operator === "!=" ? (subject) => !some(subject) : some;
}
