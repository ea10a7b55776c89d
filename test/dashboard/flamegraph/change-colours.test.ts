// Less, the same and more must be told apart by everyone, and labels must be read on each.
import { describe, expect, test } from "vitest";
import { changeColours, changeStep, coloursByChange, unchanged } from "#dashboard/pages/flamegraph/change-colours.ts";
import { labelColour } from "#dashboard/pages/flamegraph/frame-colours.ts";
import { contrast, deltaE2000, seenBy, visions } from "../colour-vision.ts";

describe.each(visions)("%s vision", (vision) => {
  const apart = (a: string, b: string) => deltaE2000(seenBy(vision, a), seenBy(vision, b));

  test("a third more or less differs from the same and from the other sign by ΔE2000 ≥ 10", () => {
    const [less, more] = [changeColours.slice(0, 3), changeColours.slice(-3)];
    for (const one of less) for (const other of more) expect([one, other, apart(one, other) >= 10]).toEqual([one, other, true]);
    for (const one of [...less, ...more]) expect([one, apart(one, changeColours[unchanged]) >= 10]).toEqual([one, true]);
  });
});

test("labels are readable on every step (4.5:1)", () => {
  for (const colour of [...changeColours, ...coloursByChange({ nodes: undefined as never, figures: [] }).pale]) expect(contrast(colour, labelColour)).toBeGreaterThanOrEqual(4.5);
});

test.each([
  [{ a: 10, b: 10.2, relative: 0.02 }, 4],
  [{ a: 10, b: 10.5, relative: 0.05 }, 5],
  [{ a: 10, b: 9.5, relative: -0.05 }, 3],
  [{ a: 10, b: 12, relative: 0.2 }, 6],
  [{ a: 10, b: 15, relative: 0.5 }, 7],
  [{ a: 10, b: 25, relative: 1.5 }, 8],
  [{ a: 10, b: 4, relative: -0.6 }, 0],
  [{ a: 10, b: 0, relative: -1 }, 0],
  [{ a: 0, b: 3, relative: null }, 8],
  [{ a: 0, b: 0, relative: null }, 4],
  [{ a: null, b: null, relative: null }, 4],
])("%j is step %i", (figures, step) => {
  expect(changeStep({ ...figures, countA: 1, countB: 1 })).toBe(step);
});
