// What a pattern has to be stepped through: classes, and whatever is repeated by a count. Plain text is free.
import { expect, test } from "vitest";
import { readFilter } from "#core/filter/check.ts";
import { errorCodeOf } from "#core/filter/problem.ts";
import { regexSteps } from "#core/regex-steps.ts";
import { limits } from "#schema/limits.ts";

test.each([
  ["", 0], ["abc", 0], ["^flash_fwd|gemm$", 0], ["(((a)))", 0], ["x".repeat(512), 0], ["\\.\\*", 0],
  ["a.c", 1], ["[abc]\\d\\S", 3], ["[]a]", 1], ["[^]a]", 1], ["[[:alpha:]]", 1],
  ["a*", 1], ["(ab)+c?", 3], ["a.*", 1],
  ["[0-9a-f]{64}", 64], ["a{250}", 250], ["a{2,4}", 4], ["a{3,}", 4], ["a{0}", 1], ["a{,3}", 0], ["{2}", 0],
  ["(a|b){10}", 20], ["(?:ab){3}", 6], ["(?i:a){3}", 3], ["(?P<x>a.){5}", 10], ["(?i)a{3}", 3], ["((a{10}){10}){10}", 1_000], ["(a{2}b){3}|c{4}", 13],
  ["GPU-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", 35],
  ["\\pL", 20], ["\\p{Greek}{3}", 60], ["[\\pL\\d]", 20], ["\\x{3b1}{3}", 3], ["\\Qa.b\\E", 0],
])("%s has %i", (pattern, steps) => {
  expect(regexSteps(pattern)).toBe(steps);
});

test("the bound holds exactly, and says what to do", () => {
  const kinds = (pattern: string) => {
    const read = readFilter(`host.name.matches("${pattern}")`, "flamegraph");
    return read.ok ? [] : [read.error[0]!.kind, errorCodeOf(read.error), read.error[0]!.message];
  };
  expect(kinds(`.{${limits.filterRegexStepsMax}}c`)).toEqual([]);
  expect(kinds(`.{${limits.filterRegexStepsMax}}[cd]`)).toEqual(["regex_too_heavy", "limit_exceeded", "With its repetitions written out the pattern has 129 steps, at most 128 are taken; count less in {…}, or split it"]);
  expect(kinds("(((a{1000}){1000}){1000}){1000}")[2]).toContain("over a million steps");
  expect(kinds("(")[0]).toBe("regex_invalid"); // what is no pattern has no steps
});
