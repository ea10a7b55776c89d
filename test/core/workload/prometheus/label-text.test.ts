import fc from "fast-check";
import { expect, test } from "vitest";
import { labelsOf, labelText } from "#core/workload/prometheus/label-text.ts";

test.each([
  [[], ""],
  [[["b", "2"], ["a", "1"]], "a=1,b=2"],
  [[["path", "/a,b=c%d"]], "path=/a%2Cb%3Dc%25d"],
  [[["a", ""]], "a="],
] as const)("%j is %j", (labels, text) => {
  expect(labelText(labels)).toBe(text);
  expect(labelsOf(text)).toEqual([...labels].sort());
});

test.each(["a", "a=1,", "=1", "a=1=2", ",a=1"])("%j is none", (text) => expect(labelsOf(text)).toBeNull());

test("any labels come back", () => {
  const word = fc.string({ unit: fc.constantFrom("a", "%", "=", ",", "2", "5", "C", "é"), minLength: 1, maxLength: 6 });
  fc.assert(fc.property(fc.uniqueArray(fc.tuple(word, word), { selector: ([key]) => key, maxLength: 4 }), (labels) => {
    const text = labelText(labels);
    expect(new Map(labelsOf(text))).toEqual(new Map(labels));
    // What the store does: a comma always separates.
    if (labels.length > 0) expect(text.split(",")).toHaveLength(labels.length);
  }));
});
