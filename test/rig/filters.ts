// Random filters for property tests. Values come from small pools, so that a random filter often matches a random row, and from texts that try to break out.
import fc from "fast-check";
import { type FieldName, fields } from "#schema/fields.ts";
import { frameKindNames } from "#schema/frame-kinds.ts";
import { type Condition, everything, type Filter, join, type Operator, operators, type Term } from "#core/filter/filter.ts";

export const words = ["", "a", "b", "ab", "abc", "A", "é", "漢字", "😀a", "a.b", "a b", "layers.1", "layers.17"] as const;
export const hostile = [
  "' OR 1=1 --", "') OR tenant_id != ('", "\\", "\\'", "a\\", "\"", "`", "{p0:String}", "{tenant:String}", "%", "_", "*", "\n", "\t", "\r\n", "\0", "a\0b", "/*", ";DROP TABLE samples;",
  "\\N", "NULL", "[]", "['a','b']", "\u2028", "\ufeff", "\u007f", "$$", "a && b",
] as const;

export const value: fc.Arbitrary<string> = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...words) },
  { weight: 2, arbitrary: fc.constantFrom(...hostile) },
  { weight: 1, arbitrary: fc.string({ unit: "grapheme", maxLength: 12 }) },
);

// Patterns that mean the same in RE2 and in JavaScript.
const atom = fc.constantFrom("a", "b", ".", "[ab]", "[^a]", "é", "漢", "\\.", "\\d", "\\w", "layers", "1", "😀", "(?:a|b)", "[é漢]", "\\x{e9}", "\\Q.\\Eb");
const piece = fc.tuple(atom, fc.constantFrom("", "", "", "*", "+", "?", "{1,2}", "*?")).map(([one, repeat]) => one + repeat);
export const pattern: fc.Arbitrary<string> = fc
  .tuple(fc.constantFrom("", "", "^"), fc.array(fc.array(piece, { maxLength: 3 }).map((pieces) => pieces.join("")), { minLength: 1, maxLength: 2 }), fc.constantFrom("", "", "$"))
  .map(([start, branches, end]) => `${start}(${branches.join("|")})${end}`);

function conditionOf(field: FieldName): fc.Arbitrary<Condition> {
  const one = field === "profile.frame.type" ? fc.constantFrom(...frameKindNames) : value;
  const make = (operator: Operator, values: fc.Arbitrary<string[]>): fc.Arbitrary<Condition> => values.map((all) => ({ kind: "condition", field, operator, values: all }));
  return fc.constantFrom(...operators).chain((operator) => {
    switch (operator) {
      case "has": return make(operator, fc.constant([]));
      case "in": return make(operator, fc.array(one, { minLength: 1, maxLength: 4 }));
      case "matches": return make(operator, fc.tuple(pattern));
      case "==": case "!=": return make(operator, fc.tuple(one));
      default: return make(operator, fc.tuple(value));
    }
  });
}

// Any filter over `names`, up to three levels deep.
export function filterOver(names: readonly FieldName[] = Object.keys(fields) as FieldName[]): fc.Arbitrary<Filter> {
  const condition: fc.Arbitrary<Term> = fc.constantFrom(...names).chain(conditionOf);
  const { term } = fc.letrec<{ term: Term }>((tie) => ({
    term: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      { weight: 3, arbitrary: condition },
      { weight: 1, arbitrary: tie("term").map((operand): Term => ({ kind: "not", operand })) },
      { weight: 2, arbitrary: fc.tuple(fc.constantFrom("and" as const, "or" as const), fc.array(tie("term"), { minLength: 2, maxLength: 3 })).map(([kind, terms]) => join(kind, terms)!) },
    ),
  }));
  return fc.oneof({ weight: 30, arbitrary: term }, { weight: 1, arbitrary: fc.constant(everything) });
}
