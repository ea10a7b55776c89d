import { expect, test } from "vitest";
import { parseMoment, parseTimeRange } from "#core/time-range.ts";

const nowS = 1_764_426_720; // 2025-11-29T14:32:00Z

test.each([
  ["now", nowS],
  ["-90s", nowS - 90],
  ["-2h", nowS - 7_200],
  ["-1w", nowS - 604_800],
  ["1764426720", nowS],
  ["2025-11-29T14:32:00Z", nowS],
  ["2025-11-29T15:32+01:00", nowS],
  ["2025-11-29T14:32:00.999Z", nowS],
  ["2025-11-29", 1_764_374_400],
  ["2024-02-29", 1_709_164_800],
])("%s is a moment", (text, seconds) => {
  expect(parseMoment(text, nowS)).toBe(seconds);
});

test.each(["", "yesterday", "-1y", "2025-11-29T14:32", "2025-13-01", "2025-02-29", "2026-02-31T00:00:00Z", "2025-11-31", "1e9", "-0x1h"])("%j is no moment", (text) => {
  expect(parseMoment(text, nowS)).toBeNull();
});

test("a range runs forward and has a bound", () => {
  expect(parseTimeRange("-1h", "now", nowS)).toEqual({ ok: true, value: { fromS: nowS - 3_600, toS: nowS } });
  expect(parseTimeRange("now", "-1h", nowS)).toMatchObject({ ok: false, error: "`from` (now) is not before `to` (-1h)." });
  expect(parseTimeRange("-91d", "now", nowS)).toMatchObject({ ok: false, error: expect.stringContaining("timeRangeDaysMax") });
  expect(parseTimeRange("2026-02-31", "now", nowS)).toMatchObject({ ok: false, error: expect.stringContaining('`from` is "2026-02-31"') });
});
