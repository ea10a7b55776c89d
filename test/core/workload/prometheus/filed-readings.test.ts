import { describe, expect, test } from "vitest";
import { filedReadings } from "#core/workload/prometheus/filed-readings.ts";
import type { MetricsFile } from "#core/workload/prometheus/reading.ts";

const nowS = 1_764_426_720;
const dayS = 86_400;
const file = (times: MetricsFile["times"], ...at: (number | null)[]): MetricsFile => ({ times, readings: at.map((atS) => ({ atS, samples: [] })), ownNames: [], notes: [] });

// The moments at which the readings are filed, in seconds from now.
function filed(...files: [MetricsFile, number][]) {
  const result = filedReadings(files.map(([one, savedAtS]) => ({ file: one, savedAtS })), nowS);
  if (!result.ok) throw new Error(result.error);
  return { at: result.value.readings.map(({ atS }) => atS! + result.value.shiftS - nowS), notes: result.value.notes };
}

describe("a moment is kept where it is known and not too old, else the last reading is now", () => {
  test.each([
    ["a dump saved an hour ago", [[file("none", null), nowS - 3_600]], [-3_600]],
    ["two dumps, the later one first", [[file("none", null), nowS - 60], [file("none", null), nowS - 120]], [-120, -60]],
    ["a dump saved a year ago", [[file("none", null), nowS - 365 * dayS]], [0]],
    ["two dumps saved a year ago", [[file("none", null), nowS - 365 * dayS], [file("none", null), nowS - 365 * dayS + 60]], [-60, 0]],
    ["a dump from a clock that is ahead", [[file("none", null), nowS + 3_600]], [0]],
    ["moments in the file", [[file("unix", nowS - 200, nowS - 100), 0]], [-200, -100]],
    ["a time series from an unknown start", [[file("relative", 0.25, 10.5, 20), nowS - 900]], [-19.75, -9.5, 0]],
  ] as [string, [MetricsFile, number][], number[]][])("%s", (_, files, expected) => expect(filed(...files)).toEqual({ at: expected, notes: [] }));

  test("what is over a week before the last reading cannot be sent, and is counted", () => {
    const { at, notes } = filed([file("unix", nowS - 8 * dayS, nowS - 7 * dayS, nowS - dayS), 0]);
    expect(at).toEqual([-dayS]);
    expect(notes).toEqual(["Readings more than 7 days old (sampleAgeDaysMax), not sent: 2"]);
  });

  test("several time series have no common start", () => {
    expect(filedReadings([{ file: file("relative", 0), savedAtS: nowS }, { file: file("relative", 0), savedAtS: nowS }], nowS)).toMatchObject({ ok: false, error: expect.stringContaining("import time series one by one") });
  });
});
