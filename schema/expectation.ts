// What a schema takes and what a value is, in words: for refusals that a person reads. zod's own speak of types ("expected number, received NaN").

// Of JSON Schema, what the schemas of the contract use.
export type Described = {
  readonly type?: string; readonly enum?: readonly unknown[]; readonly const?: unknown; readonly anyOf?: readonly Described[]; readonly minimum?: number; readonly maximum?: number; readonly exclusiveMinimum?: number;
  readonly minLength?: number; readonly maxLength?: number; readonly minItems?: number; readonly properties?: Readonly<Record<string, Described>>; readonly items?: Described; readonly default?: unknown; readonly examples?: readonly unknown[];
};

// "a whole number from 1 to 500, e.g. 100"
export function expectation(of: Described): string {
  if (of.anyOf !== undefined) return of.anyOf.map(expectation).join(" or ");
  if (of.enum !== undefined) return of.enum.length === 1 ? String(of.enum[0]) : `one of ${of.enum.join(", ")}`;
  if (of.const !== undefined) return String(of.const);
  const example = of.examples?.[0] ?? of.default;
  const eg = example === undefined || example === "" ? "" : `, e.g. ${String(example)}`;
  switch (of.type) {
    case "integer": return `a whole number${between(of)}${eg}`;
    case "number": return `a number${between(of)}${eg}`;
    case "string": return `a text${of.maxLength === undefined ? "" : ` of ${of.minLength ?? 0} to ${of.maxLength} characters`}${eg}`;
    case "boolean": return "true or false";
    case "null": return "null";
    case "array": return `a list${(of.minItems ?? 0) > 0 ? " with at least one" : ""}, each ${expectation(of.items ?? {})}`;
    default: return "an object";
  }
}

function between({ minimum, maximum, exclusiveMinimum }: Described): string {
  if (exclusiveMinimum !== undefined) return ` above ${exclusiveMinimum}${maximum === undefined ? "" : `, at most ${maximum}`}`;
  return minimum === undefined || maximum === undefined ? "" : ` from ${minimum} to ${maximum}`;
}

const shownMax = 60; // characters of a text

// A value as it was sent, cut.
export function shown(value: unknown): string {
  if (value === undefined) return "missing";
  if (typeof value === "object" && value !== null) return Array.isArray(value) ? (value.length === 0 ? "an empty list" : "a list") : "an object";
  if (typeof value !== "string" || value.length <= shownMax) return JSON.stringify(value);
  return `${JSON.stringify(value.slice(0, shownMax)).slice(0, -1)}…" (${value.length} characters)`;
}
