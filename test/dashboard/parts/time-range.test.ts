import { expect, test } from "vitest";
import { inputOfMoment, momentOfInput, rangeLabel, rangeOf } from "#dashboard/parts/time-range.ts";

const asIs = (iso: string) => iso;

test("without a range in the URL the last day is shown", () => expect(rangeLabel(rangeOf({}), asIs)).toBe("Last 24 hours"));
test("a distance that is no preset is named", () => expect(rangeLabel({ from: "-3d", to: "now" }, asIs)).toBe("Last 3 days"));
test("a range that ends before now is named by both ends", () => {
  expect(rangeLabel({ from: "-48h", to: "-47h" }, asIs)).toBe("48 hours ago – 47 hours ago");
  expect(rangeLabel({ from: "a", to: "now" }, asIs)).toBe("a – now");
});
test("moments are named by both ends", () => expect(rangeLabel({ from: "a", to: "b" }, asIs)).toBe("a – b"));
test("what an input holds comes back from the URL", () =>
  expect(inputOfMoment(momentOfInput("2026-11-29T12:04") as string)).toBe("2026-11-29T12:04"));
test("an empty input is no moment, and a distance fills no input", () => {
  expect(momentOfInput("")).toBeUndefined();
  expect(inputOfMoment("-1h")).toBe("");
});
