import { describe, expect, test } from "vitest";
import { callStatistics, outliers } from "#core/trace/call-statistics.ts";

test("n, min, median, max, and which call was the slowest; calls without a time of this kind are not counted", () => {
  expect(callStatistics([30, 10, Number.NaN, 40, 20])).toEqual({ n: 4, min: 10, median: 25, max: 40, slowest: 4 });
  expect(callStatistics([7])).toEqual({ n: 1, min: 7, median: 7, max: 7, slowest: 1 });
  expect(callStatistics([Number.NaN])).toEqual({ n: 0, min: 0, median: 0, max: 0, slowest: 0 });
});

describe("outliers: further from the median than three median distances", () => {
  test.each([
    ["one slow layer", [100, 102, 98, 101, 99, 100, 160], [6]],
    ["a fast one", [100, 102, 98, 101, 99, 100, 20], [6]],
    ["spread out, none", [10, 20, 30, 40, 50], []],
    ["all equal but one, which differs by more than a tenth", [100, 100, 100, 100, 111], [4]],
    ["all equal but one, by less", [100, 100, 100, 100, 105], []],
    ["three are too few to say", [1, 1, 100], []],
  ])("%s", (_, values, expected) => expect(outliers(values)).toEqual(expected));
});
