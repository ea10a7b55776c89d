// Executions beside each other: each in its own unit, and set against another only where both measure the same.
import { expect, test } from "vitest";
import { measuresOf, unlikeMeasures } from "#dashboard/pages/execution/unlike-measures.ts";

test("what measures the same compares", () => {
  expect(measuresOf(["cuda", "cuda", "cuda"])).toEqual({ units: ["ns", "ns", "ns"], alike: true });
  expect(unlikeMeasures([{ label: "Fast", profileType: "cuda" }, { label: "Slow", profileType: "cuda" }])).toBe("");
});

test("GPU time beside samples: a unit each, nothing compares, and it is said", () => {
  expect(measuresOf(["cuda", "samples"])).toEqual({ units: ["ns", "count"], alike: false });
  expect(unlikeMeasures([{ label: "a", profileType: "cuda" }, { label: "b", profileType: "samples" }])).toBe("a measures GPU time, b measures Samples: their values do not compare, calls and structure do");
});

test("one unit is not one measure: GPU time and CPU time do not compare", () => {
  expect(measuresOf(["cuda", "cpu"])).toEqual({ units: ["ns", "ns"], alike: false });
});
