import fc from "fast-check";
import { expect, test } from "vitest";
import { betweenViews, clampView, panView, wholeView, zoomView } from "#dashboard/pages/flamegraph/view.ts";

const whole = 1_000_000;
const view = fc
  .tuple(fc.integer({ min: 0, max: whole - 1_000 }), fc.integer({ min: 1_000, max: whole }))
  .map(([left, width]) => clampView({ left, right: left + width }, whole));

test("zooming in keeps the value under the pointer where it is", () => {
  fc.assert(
    fc.property(view, fc.double({ min: 1, max: 20, noNaN: true }), fc.double({ min: 0, max: 1, noNaN: true }), (from, factor, at) => {
      const to = zoomView(from, factor, at, whole);
      expect(to.left + (to.right - to.left) * at).toBeCloseTo(from.left + (from.right - from.left) * at, 3);
      expect(to.right - to.left).toBeCloseTo((from.right - from.left) / factor, 3);
    }),
  );
});

test("no gesture leaves the profile", () => {
  fc.assert(
    fc.property(view, fc.double({ min: 0.01, max: 100, noNaN: true }), fc.double({ min: -3, max: 3, noNaN: true }), (from, factor, share) => {
      for (const to of [zoomView(from, factor, 0.3, whole), panView(from, share, whole)]) {
        expect(to.left).toBeGreaterThanOrEqual(0);
        expect(to.right).toBeLessThanOrEqual(whole + 1e-6);
        expect(to.right).toBeGreaterThan(to.left);
      }
    }),
  );
});

test("zooming all the way out shows everything", () =>
  expect(zoomView({ left: 10, right: 20 }, 1e-9, 0.5, whole)).toEqual({ left: 0, right: whole }));
test("an empty profile still has a view", () => expect(wholeView(0).right).toBeGreaterThan(0));
test("a glide starts at one view and ends at the other", () => {
  expect(betweenViews({ left: 0, right: 100 }, { left: 50, right: 60 }, 0)).toEqual({ left: 0, right: 100 });
  expect(betweenViews({ left: 0, right: 100 }, { left: 50, right: 60 }, 1)).toEqual({ left: 50, right: 60 });
});
