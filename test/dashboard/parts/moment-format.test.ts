import { expect, test } from "vitest";
import { formatClock, formatDistance, formatExactMoment } from "#dashboard/parts/moment-format.ts";

const now = Date.parse("2026-11-29T12:04:00Z");

test.each([
  [0, "just now"],
  [42_000, "42 s ago"],
  [4 * 60_000, "4 min ago"],
  [5 * 3_600_000, "5 h ago"],
  [3 * 86_400_000, "3 days ago"],
  [-81 * 86_400_000, "in 81 days"],
])("%d ms ago reads %s", (ago, text) => expect(formatDistance(now - ago, now)).toBe(text));

test("a moment of today is a clock time, any other has its date", () => {
  expect(formatClock(now - 60_000, now, "UTC")).toBe("12:03");
  expect(formatClock(now - 86_400_000, now, "UTC")).toBe("2026-11-28 12:04");
});

test("the exact moment names its zone and its ISO form", () =>
  expect(formatExactMoment(now, "UTC")).toBe("2026-11-29 12:04:00 UTC · 2026-11-29T12:04:00.000Z"));
