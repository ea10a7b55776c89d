// What no fixture line can show: bounds, round trips of random filters, hostile texts, and the amount of work.
import fc from "fast-check";
import { expect, test } from "vitest";
import { fieldNames } from "#schema/fields.ts";
import { limits } from "#schema/limits.ts";
import { readFilter } from "#core/filter/check.ts";
import { conditionsOf, type Filter, type Term } from "#core/filter/filter.ts";
import { parse } from "#core/filter/parser.ts";
import { print } from "#core/filter/printer.ts";
import { errorCodeOf } from "#core/filter/problem.ts";
import { filterOver } from "#test/rig/filters.ts";

const kindsOf = (text: string): string[] => {
  const read = readFilter(text, "flamegraph");
  return read.ok ? [] : read.error.map(({ kind }) => kind);
};
const tagged = (value: string): string => `job.tag == "${value}"`; // 13 bytes around the value
const conditions = (count: number): string => Array.from({ length: count }, () => "has(job.tag)").join("||");

// The filter without the places it was read from.
function bare(filter: Filter<string>): unknown {
  if (filter.kind === "everything") return filter;
  const term = (one: Term<string>): unknown =>
    one.kind === "condition" ? { field: one.field, operator: one.operator, values: one.values }
    : one.kind === "not" ? { not: term(one.operand) }
    : { [one.kind]: one.operands.map(term) };
  return term(filter);
}

test.each([
  ["bytes", tagged("a".repeat(limits.filterBytesMax - 13)), tagged("a".repeat(limits.filterBytesMax - 12)), "filter_too_long"],
  ["bytes, not characters", tagged(`a${"é".repeat((limits.filterBytesMax - 14) / 2)}`), tagged("é".repeat((limits.filterBytesMax - 12) / 2)), "filter_too_long"],
  ["conditions", conditions(limits.filterConditionsMax), conditions(limits.filterConditionsMax + 1), "too_many_conditions"],
  ["values", `job.tag in [${Array(limits.filterListMax).fill('"a"').join()}]`, `job.tag in [${Array(limits.filterListMax + 1).fill('"a"').join()}]`, "list_too_long"],
  ["nots", `${"!".repeat(limits.filterNestingMax)}has(job.tag)`, `${"!".repeat(limits.filterNestingMax + 1)}has(job.tag)`, "nested_too_deep"],
  ["groups", nested(limits.filterNestingMax), nested(limits.filterNestingMax + 1), "nested_too_deep"],
  ["pattern", `job.tag.matches("${"a".repeat(limits.filterRegexBytesMax)}")`, `job.tag.matches("${"a".repeat(limits.filterRegexBytesMax + 1)}")`, "regex_too_long"],
])("the bound on %s holds exactly", (_name, within, over, kind) => {
  expect(kindsOf(within)).toEqual([]);
  expect(kindsOf(over)).toEqual([kind]);
  const read = readFilter(over, "flamegraph");
  expect(read.ok ? "" : errorCodeOf(read.error)).toBe("limit_exceeded");
});

// Alternating && and ||, so that every group is a level of its own.
function nested(levels: number): string {
  let text = "has(job.tag)";
  for (let level = 0; level < levels; level++) text = level % 2 === 0 ? `(${text} && has(gpu.name))` : `(${text} || has(gpu.name))`;
  return text;
}

test("redundant parentheses are free up to the bound of the recursion", () => {
  const depth = 4 * limits.filterNestingMax;
  expect(kindsOf("(".repeat(depth) + "has(job.tag)" + ")".repeat(depth))).toEqual([]);
  expect(kindsOf("(".repeat(depth + 1) + "has(job.tag)" + ")".repeat(depth + 1))).toEqual(["nested_too_deep"]);
  expect(kindsOf("(".repeat(4000))).toEqual(["nested_too_deep"]);
});

test("past the bound, the last problem says how many more there are", () => {
  const read = readFilter(Array.from({ length: 60 }, (_, index) => `nofield${index} == "a"`).join(" && "), "flamegraph");
  const problems = read.ok ? [] : read.error;
  expect(problems).toHaveLength(limits.filterProblemsMax);
  expect(problems.at(-1)).toMatchObject({ kind: "more_problems", message: `${60 - limits.filterProblemsMax + 1} more problems from here on` });
});

test("places are UTF-16 code units of the text as written", () => {
  const { filter } = parse('  gpu.name == "😀\\n" && user.tag in ["a", \'b\']');
  expect(conditionsOf(filter).map(({ at }) => at)).toEqual([
    { field: { from: 2, to: 10 }, values: [{ from: 14, to: 20 }] },
    { field: { from: 24, to: 32 }, values: [{ from: 37, to: 40 }, { from: 42, to: 45 }] },
  ]);
});

test("what is printed of ten thousand filters reads back as the same filter", () => {
  fc.assert(fc.property(filterOver(), (filter) => {
    const read = readFilter(print(filter), "flamegraph");
    expect(read.ok ? bare(read.value) : read.error).toEqual(bare(filter));
  }), { numRuns: 10_000 });
});

const fragments = fc.constantFrom(...fieldNames, " ", "  ", "==", "=", "!=", "!", "&&", "||", "and", "OR", "not", "in", "has(", "(", ")", "[", "]", ",", '"', "'", '"a"', "'b'", "\\", "\\u00e9", "\\u", "“", "”",
  ".", ".contains(", ".matches(", "=~", ":", "&", "a", "1", "😀", "\ud800", "\n", "\0", "\u00a0", "{", "$", "é");
const soup = fc.array(fragments, { maxLength: 60 }).map((parts) => parts.join(""));
const mutated = fc.tuple(filterOver(), fc.array(fc.tuple(fc.nat(), fc.nat(3), fragments), { minLength: 1, maxLength: 5 })).map(([filter, edits]) => {
  let text = print(filter);
  for (const [place, drop, insert] of edits) {
    const at = place % (text.length + 1);
    text = text.slice(0, at) + insert + text.slice(at + drop);
  }
  return text;
});
const anything = fc.oneof(soup, mutated, fc.string({ unit: "binary", maxLength: 200 }), fc.array(fc.nat(0xffff), { maxLength: 100 }).map((units) => String.fromCharCode(...units)));

test("no text throws; problems lie inside the text, in reading order; a filter without problems prints and reads back", () => {
  fc.assert(fc.property(anything, (text) => {
    const read = readFilter(text, "flamegraph");
    if (read.ok) {
      const canonical = print(read.value);
      const again = readFilter(canonical, "flamegraph");
      expect(again.ok ? print(again.value) : again.error).toBe(canonical);
      return;
    }
    expect(read.error.length).toBeGreaterThan(0);
    let before = 0;
    for (const { from, to, message } of read.error) {
      expect(from).toBeGreaterThanOrEqual(before);
      expect(to).toBeGreaterThanOrEqual(from);
      expect(to).toBeLessThanOrEqual(text.length);
      expect(message).not.toBe("");
      before = from;
    }
  }), { numRuns: 10_000 });
});

test("what cannot be seen never reaches a sentence, nor the canonical text", () => {
  const unseen = ["\u202e", "\u2066", "\u200b", "\u200d", "\ufeff", "\0", "\u001b", "\u00a0", "\u3000", "\u{e0041}"];
  const shows = (text: string): boolean => /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]|(?! )\p{Zs}/u.test(text);
  for (const one of unseen) {
    const read = readFilter(`host.name == "a${one}b" || host.name in ['${one}']`, "flamegraph");
    expect(read.ok && shows(print(read.value))).toBe(false);
    expect(read.ok && conditionsOf(read.value).map(({ values }) => values)).toEqual([[`a${one}b`], [one]]);
    for (const broken of [`host.name ${one} "a"`, `ho${one}st.name == "a"`, `host.name == x${one}y`, `host.name.${one}("a")`, `"${one}" == x`, `profile.frame.type == "${one}"`, `host.name == "\\${one}"`, `has${one}(host.name)`]) {
      const refused = readFilter(broken, "flamegraph");
      for (const { message } of refused.ok ? [] : refused.error) expect([broken, /[\p{Cc}\p{Cf}]/u.test(message)]).toEqual([broken, false]);
    }
  }
});

test("a sentence about a long text is short, and the problem has all of it", () => {
  const long = "x".repeat(3_000);
  for (const text of [long, `"${long}"`, `host.name ${long} "a"`, `host.name.${long}("a")`, `${long}("a")`, `host.name == "a" "${long}"`, `profile.frame.type == "${long}"`]) {
    const read = readFilter(text, "flamegraph");
    const problems = read.ok ? [] : read.error;
    expect(problems.length).toBeGreaterThan(0);
    for (const { message } of problems) expect(message.length).toBeLessThan(250);
  }
  const read = readFilter(`host.name ${long} "a"`, "flamegraph");
  expect(read.ok ? "" : read.error[0]!.found).toBe(long);
});

test("work is linear in the text", () => {
  // Each token is looked at a bounded number of times, whatever stands beside it.
  const perUnit = 24;
  fc.assert(fc.property(anything, (text) => {
    expect(parse(text).steps).toBeLessThanOrEqual(perUnit * (text.length + 1));
  }), { numRuns: 2_000 });
  for (const unit of ["(", "!", "not ", "a ", '"', "[", "host.name in [", '"a",', "&& ", "||", "a.", "a == b ", "\\", '"\\', "“", "has(", "a.contains(", "=", ") ", "\ud800", "& ", "(a ", "has(has(", '"a"==', 'a in ["', "a in (", "a == (", "a == [", "a xor ", "x.y x.y ", "`", '"\\u{1f600}', "a.b(", "[(", "or or "]) {
    for (const length of [1_000, 2_000, 4_000]) {
      const text = unit.repeat(Math.floor(length / unit.length));
      expect(parse(text).steps, JSON.stringify(unit)).toBeLessThanOrEqual(perUnit * (text.length + 1));
    }
  }
});
