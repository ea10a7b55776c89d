// docs/filters.md says what the contract says.
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { readFilter } from "#core/filter/check.ts";
import { fieldNames, fields, fieldsOfPage, pages } from "#schema/fields.ts";
import { frameKindNames } from "#schema/frame-kinds.ts";
import { limits } from "#schema/limits.ts";
import { caretLines } from "#cli/carets.ts";

const text = readFileSync(new URL("../../../docs/filters.md", import.meta.url), "utf8");

test("the table of fields is the table of the contract", () => {
  const words = { string: "one", list: "several", frame: "of frames" };
  expect(text).toContain(`| field | example | values | ${pages.join(" | ")} |`);
  const rows = fieldNames.map((name) => `| \`${name}\` | \`${fields[name].example}\` | ${words[fields[name].kind]} | ${pages.map((page) => (fieldsOfPage(page).includes(name) ? "yes" : "no")).join(" | ")} |`);
  expect(text.split("\n").filter((line) => /^\| `[a-z0-9]+\.[a-z0-9.]+` \|/.test(line))).toEqual(rows);
  for (const kind of frameKindNames) expect(text).toContain(`\`${kind}\``);
});

test("the bounds are those in force", () => {
  const said = (words: string) => Number(new RegExp(`^\\| ${words} \\| ([\\d,]+)`, "m").exec(text)![1]!.replace(",", ""));
  expect([said("the whole filter"), said("conditions"), said("levels of .*?"), said("values of one list"), said("one pattern"), said("mistakes told")]).toEqual(
    [limits.filterBytesMax, limits.filterConditionsMax, limits.filterNestingMax, limits.filterListMax, limits.filterRegexBytesMax, limits.filterProblemsMax]);
  expect(text).toContain(`${limits.filterRegexStepsMax} steps with its repetitions written out`);
  expect(text).toContain(`at most ${limits.fieldValuesMax}`);
  expect(text).toContain(`up to ${limits.valueHoursMax} hours`);
  expect(text).toContain(`the last ${limits.frameValueHoursMax};`);
});

test("the mistakes drawn there are drawn so", () => {
  const [, filter, drawn] = /\$ lamella filter '(.*)'\n([\s\S]*?)\n```/.exec(text)!;
  const read = readFilter(filter!, "flamegraph");
  expect(caretLines(filter!, read.ok ? [] : read.error).join("\n")).toBe(drawn);
});

test("the example at the top is a filter", () => {
  expect(readFilter(/```\n(.*)\n```/.exec(text)![1]!, "flamegraph").ok).toBe(true);
});
