// Patterns on their way to the store and to JavaScript.
import { expect, test } from "vitest";
import { asciiPattern, javascriptRegex, regexFault } from "#core/regex.ts";

test.each([
  ["abc", "abc"],
  ["é*|漢|😀", "\\x{e9}*|\\x{6f22}|\\x{1f600}"],
  ["[é-ü]", "[\\x{e9}-\\x{fc}]"],
  ["\\Qa.é+\\Eb*", "a\\.\\x{e9}\\+b*"],
  ["\\Q(*", "\\(\\*"], // no \E: to the end
  ["\\\\Qa.b", "\\\\Qa.b"], // an escaped backslash before a Q
  ["\\Q\\d\\E", "\\\\d"],
])("%s is sent as %s", (pattern, ascii) => {
  expect(asciiPattern(pattern)).toBe(ascii);
});

test.each([
  ["\\x{e9}", "é", true],
  ["[[:upper:]]{2}", "aBC", true],
  ["a\\-b\\_c", "a-b_c", true],
  ["\\Aab\\z", "ab", true],
  ["\\Aab\\z", "ab\n", false],
  ["(?i)É", "é", true],
  ["^.$", "\n", true],
  ["^.$", "😀", true],
  ["\\Q.\\E", "a", false],
  ["^{lambda\\(\\)#1}$", "{lambda()#1}", true], // a brace that repeats nothing
  ["^a{,2}$", "a{,2}", true],
  ["^[]a]{2}$", "]a", true], // a ] that comes first
  ["^[^]]$", "]", false],
  ["^[[:digit:]]]$", "7]", true],
  ["^[\\s,]+$", " ,\t", true],
  ["^[\\s,]+$", "\v", false], // RE2's \s has no vertical tab
  ["^\\S$", "\v", true],
  ["^\\p{Lu}{2}$", "ÄB", true],
])("%s on %j is %s in JavaScript", (pattern, text, expected) => {
  expect(javascriptRegex(pattern)!.test(text)).toBe(expected);
});

test.each(["", "a|b", "(?i)a", "(?i:a)b", "(?P<x>a)", "(?<x>a)", "[]a]", "[^]]", "[[:alpha:]]", "a{2}", "{", "a{", "a{,2}", "()*", "^*", "a(?i)*", "a*(?i)+", "\\Q(*\\E", "\\pL+", "a*?"])("%s has no fault", (pattern) => {
  expect(regexFault(pattern)).toBe(undefined);
});
test.each(["(", ")", "[", "[]", "*", "|*", "(*", "(?i)*", "a**", "a*+", "a{2}{3}", "{2}", "\\", "\\1", "\\é", "(?=a)", "(?>a)", "(?"])("%s has one", (pattern) => {
  expect(regexFault(pattern)).not.toBe(undefined);
});
