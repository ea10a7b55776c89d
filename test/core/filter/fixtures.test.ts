// Every line of schema/fixtures/filter_valid.txt reads and prints as it says; every case of filter_invalid.txt fails at its marks.
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { fieldsOfPage, type Page } from "#schema/fields.ts";
import { readFilter } from "#core/filter/check.ts";
import { parse } from "#core/filter/parser.ts";
import { print } from "#core/filter/printer.ts";
import { unsupportedField } from "#core/filter/problem.ts";

const lines = (name: string): string[] => readFileSync(new URL(`../../../schema/fixtures/${name}`, import.meta.url), "utf8").split("\n");

const valid = lines("filter_valid.txt").filter((line) => line !== "" && !line.startsWith("#")).map((line) => {
  const tab = line.lastIndexOf("\t");
  return { input: line.slice(0, tab), canonical: line.slice(tab + 1) };
});

type Mark = { from: number; to: number; kind: string; message: string; didYouMean: string | undefined; expected: readonly string[] | undefined };
const operators = ["==", "!=", "in", "not in", ".contains(", ".startsWith(", ".endsWith(", ".matches("];
type Case = { page: Page; input: string; marks: Mark[] };

const blocks = lines("filter_invalid.txt").filter((line) => !line.startsWith("#")).join("\n").split(/\n{2,}/);
const invalid = blocks.map((block) => block.replace(/^\n+|\n+$/g, "")).filter((block) => block !== "")
  .map((block): Case => {
    const all = block.split("\n");
    const page = all[0]!.startsWith("@") ? (all.shift()!.slice(1) as Page) : "flamegraph";
    const input = all.shift()!;
    const marks: Mark[] = [];
    for (const line of all) {
      const listed = /^ *= (.*)$/.exec(line)?.[1];
      if (listed === undefined) marks.push(readMark(line, input));
      else marks.at(-1)!.expected = listed === "the fields of the page" ? fieldsOfPage(page) : listed === "the operators" ? operators : listed.split(" | ");
    }
    return { page, input, marks };
  });

function readMark(line: string, input: string): Mark {
  const parts = /^( *)(\^+) (\w+): (.*?)(?: -> (.*))?$/.exec(line);
  if (parts === null) throw new Error(`not a mark: ${line}`);
  const [, blanks, carets, kind, message, didYouMean] = parts;
  const from = blanks!.length;
  return { from, to: from === input.length ? from : from + carets!.length, kind: kind!, message: message!, didYouMean, expected: undefined };
}

test("the lists are long enough to mean something", () => {
  expect(valid.length).toBeGreaterThanOrEqual(150);
  expect(invalid.length).toBeGreaterThanOrEqual(150);
  expect(new Set(valid.map(({ input }) => input)).size).toBe(valid.length);
  expect(new Set(invalid.map(({ page, input }) => page + input)).size).toBe(invalid.length);
});

test.each(valid)("reads $input", ({ input, canonical }) => {
  const read = readFilter(input, "flamegraph");
  expect(read.ok ? print(read.value) : read.error).toBe(canonical);
  // Canonical is a fixed point.
  const again = parse(canonical);
  expect(again.problems).toEqual([]);
  expect(print(again.filter)).toBe(canonical);
});

test.each(invalid)("refuses $input on $page", ({ page, input, marks }) => {
  const read = readFilter(input, page);
  const found = read.ok ? [] : read.error.map(({ from, to, kind, message, didYouMean, expected }) => ({ from, to, kind, message, didYouMean, expected }));
  expect(found).toEqual(marks);
});

test("an unsupported field is named beside the head, with what the page allows", () => {
  const read = readFilter('gpu.nam == "a" && host.nam == "b"', "models");
  const problems = read.ok ? [] : read.error;
  expect(problems.map(({ message, found, didYouMean }) => ({ message, found, didYouMean }))).toEqual([
    { message: unsupportedField, found: "gpu.nam", didYouMean: undefined },
    { message: "Unsupported filter field", found: "host.nam", didYouMean: "host.name" },
  ]);
  expect(problems[0]!.expected).toHaveLength(13);
  expect(problems[0]!.expected).not.toContain("gpu.name");
});
