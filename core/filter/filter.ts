// The filter as a value: what the text means, with nothing of how it was written. `Filter` holds only fields of schema/fields.ts; the parser, which knows no
// fields, yields `ParsedFilter`, and check.ts turns one into the other. Invariant: and/or have at least two operands, none of them of their own kind.
import type { FieldName } from "#schema/fields.ts";

// UTF-16 code units: first, and one past the last.
export type Span = { readonly from: number; readonly to: number };

// The strict operators. `not in` is not among them: it is `!(field in [...])`. `has` takes no value: the field is present.
export const operators = ["==", "!=", "in", "contains", "startsWith", "endsWith", "matches", "has"] as const;
export type Operator = (typeof operators)[number];

export const methods = ["contains", "startsWith", "endsWith", "matches"] as const satisfies readonly Operator[];
export type Method = (typeof methods)[number];

export type Condition<Field extends string = FieldName> = {
  readonly kind: "condition";
  readonly field: Field;
  readonly operator: Operator;
  readonly values: readonly string[]; // none for has, at least one for in, else exactly one
  readonly at?: { readonly field: Span; readonly values: readonly Span[] }; // where it stood; absent in a filter that was built, not parsed
};

export type Term<Field extends string = FieldName> =
  | Condition<Field>
  | { readonly kind: "not"; readonly operand: Term<Field> }
  | { readonly kind: "and" | "or"; readonly operands: readonly Term<Field>[] };

// The empty filter is everything; it never stands inside another.
export type Filter<Field extends string = FieldName> = { readonly kind: "everything" } | Term<Field>;
export type ParsedFilter = Filter<string>;

export const everything = { kind: "everything" } as const;

// Joins terms and melts those of the same kind into one list; undefined when there are none.
export function join<Field extends string>(kind: "and" | "or", terms: readonly Term<Field>[]): Term<Field> | undefined {
  const operands = terms.flatMap((term) => (term.kind === kind ? term.operands : [term]));
  return operands.length > 1 ? { kind, operands } : operands[0];
}

// Narrows a filter by another: what "add to filter" does.
export function both<Field extends string>(left: Filter<Field>, right: Filter<Field>): Filter<Field> {
  return join("and", [left, right].filter((filter) => filter.kind !== "everything")) ?? everything;
}

// Every condition, left to right.
export function conditionsOf<Field extends string>(filter: Filter<Field>): Condition<Field>[] {
  switch (filter.kind) {
    case "everything": return [];
    case "condition": return [filter];
    case "not": return conditionsOf(filter.operand);
    case "and":
    case "or": return filter.operands.flatMap((operand) => conditionsOf(operand));
  }
}
