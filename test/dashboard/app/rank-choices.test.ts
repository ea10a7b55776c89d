import { expect, test } from "vitest";
import { rankChoices } from "#dashboard/app/palette/rank-choices.ts";

const ranked = (typed: string, ...texts: string[]) => rankChoices(texts.map((text) => ({ text })), typed).map(({ text }) => text);

test("the start of the text, then of a word, then anywhere, then letters in order from the start of a word", () =>
  expect(ranked("mod", "Commodity", "Feature models", "Models", "my old desk", "Status")).toEqual(["Models", "Feature models", "Commodity", "my old desk"]));

test("every word must be found, in any order and case", () => {
  expect(ranked("32b QWEN", "Qwen/Qwen3-32B", "Qwen/Qwen3-8B", "meta/Llama-32B")).toEqual(["Qwen/Qwen3-32B"]);
  expect(ranked("qwen zzz", "Qwen/Qwen3-32B")).toEqual([]);
});

test("of equal fits the shorter text comes first, then the order as given", () => {
  expect(ranked("last", "Last 30 days", "Last hour", "Last week")).toEqual(["Last hour", "Last week", "Last 30 days"]);
  expect(ranked("a", "ab", "ac")).toEqual(["ab", "ac"]);
});

test("letters in order do not begin inside a word", () => {
  expect(ranked("fgr", "Flamegraph", "afgar")).toEqual(["Flamegraph"]);
  expect(ranked("lgr", "Flamegraph")).toEqual([]);
});

test("nothing typed keeps all in their order", () => expect(ranked(" ", "b", "a")).toEqual([]));
