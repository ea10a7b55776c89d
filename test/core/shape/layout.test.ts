import { expect, test } from "vitest";
import { mergeLayouts } from "#core/shape/layout.ts";

const first = { tpSize: 4, ppSize: 2, epSize: 1, dpSize: 1, sharded: [{ path: "layers.0.w", dim: 0 }, { path: "embed.w", dim: 1 }] };
const last = { tpSize: 4, ppSize: 2, epSize: 8, dpSize: 1, sharded: [{ path: "head.w", dim: 0 }, { path: "embed.w", dim: 1 }] };

test("the stages' layouts are one, and one text in whatever order they come", () => {
  const whole = {
    tpSize: 4,
    ppSize: 2,
    epSize: 8,
    dpSize: 1,
    sharded: [
      { path: "embed.w", dim: 1 },
      { path: "head.w", dim: 0 },
      { path: "layers.0.w", dim: 0 },
    ],
  };
  expect(mergeLayouts([first, last])).toEqual(whole);
  expect(JSON.stringify(mergeLayouts([last, first]))).toBe(JSON.stringify(whole));
});

test("nothing known is one rank", () => {
  expect(mergeLayouts([])).toEqual({ tpSize: 1, ppSize: 1, epSize: 1, dpSize: 1, sharded: [] });
});
