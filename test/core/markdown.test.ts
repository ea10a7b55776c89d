import { expect, test } from "vitest";
import { codeSpan, escapeMarkdown, markdownTable } from "#core/markdown.ts";

test.each([
  ["gemm<128>", "`gemm<128>`"],
  ["a|b", "`a\\|b`"],
  ["a`b", "``a`b``"],
  ["`a``b`", "``` `a``b` ```"],
  [" a", "`  a `"],
  ["\u001b[2J", "`\\u{1b}[2J`"],
  ["", ""],
])("a name as code: %j", (text, expected) => expect(codeSpan(text)).toBe(expected));

test("our own words: what could be markup is escaped", () => {
  expect(escapeMarkdown("A <b> *x* _y_ [z](u) @me #1 a|b ~c~ \\ !")).toBe("A \\<b\\> \\*x\\* \\_y\\_ \\[z\\](u) \\@me \\#1 a\\|b \\~c\\~ \\\\ \\!");
});

test("a table says which columns are figures", () => {
  expect(markdownTable(["what", "n"], [["`a`", "1"]], [1])).toBe("| what | n |\n| --- | ---: |\n| `a` | 1 |");
});
