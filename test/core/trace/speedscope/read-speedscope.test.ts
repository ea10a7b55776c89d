import { expect, test } from "vitest";
import { readSpeedscope } from "#core/trace/speedscope/read-speedscope.ts";
import { accepted, bytesOf, stackLines } from "../stacks-text.ts";

const frames = [{ name: "main", file: "a.py", line: 3 }, { name: "loop" }, { name: "leaf" }];
const read = (...profiles: object[]) => readSpeedscope(bytesOf(JSON.stringify({ $schema: "https://www.speedscope.app/file-format-schema.json", shared: { frames }, profiles })));
const evented = (...events: [string, number, number][]) => ({ type: "evented", name: "t", unit: "microseconds", startValue: 0, endValue: 10, events: events.map(([type, frame, at]) => ({ type, frame, at })) });

test("between two events the time belongs to the open frames", () => {
  const execution = accepted(read(evented(["O", 0, 1], ["O", 1, 2], ["C", 1, 5], ["O", 2, 5], ["C", 2, 5], ["C", 0, 9])));
  expect(stackLines(execution)).toEqual(["python:main (a.py:3) | 5000 × 2", "python:main (a.py:3) > native:loop | 3000 × 1"]);
  expect(execution).toMatchObject({ profileType: "wall", durationNs: 10_000, events: 6 });
});

test.each([["nanoseconds", 7, 7], ["microseconds", 7, 7_000], ["milliseconds", 1.5, 1_500_000], ["seconds", 0.25, 250_000_000]])("weights in %s", (unit, weight, value) => {
  expect(accepted(read({ type: "sampled", unit, samples: [[0, 1]], weights: [weight] }))).toMatchObject({ profileType: "wall", totals: { value, kernels: 1 } });
});

test("without a unit they are samples; fractions are carried on, so sums stay right", () => {
  const thirds = { type: "sampled", unit: "none", samples: [[0], [0], [0], [1]], weights: [1 / 3, 1 / 3, 1 / 3, 2] };
  const { profileType, totals, notes } = accepted(read(thirds));
  expect([profileType, totals.value]).toEqual(["samples", 3]);
  expect(notes.join()).toContain("Values that are no whole number, rounded (each stack's sum to the nearest): 3");
});

test.each([
  ["bytes", [{ type: "sampled", unit: "bytes", samples: [[0]], weights: [1] }], "measures bytes"],
  ["two units", [evented(["O", 0, 0], ["C", 0, 1]), { type: "sampled", unit: "none", samples: [[0]], weights: [1] }], "measure different things (microseconds, none)"],
  ["weights missing", [{ type: "sampled", unit: "none", samples: [[0], [1]], weights: [1] }], "has 2 stacks but 1 weights"],
  ["a negative weight", [{ type: "sampled", unit: "none", samples: [[0]], weights: [-1] }], "has the weight -1 (row 1)"],
  ["never closed", [evented(["O", 0, 0])], "is incomplete: 1 frames are never closed"],
  ["closed out of order", [evented(["O", 0, 0], ["O", 1, 1], ["C", 0, 2])], "closes a frame that is not the last one opened (event 3)"],
  ["back in time", [evented(["O", 0, 5], ["C", 0, 4])], "goes back in time: 4 after 5 (event 2)"],
  ["no profiles", [], "without profiles"],
])("%s: refused", (_, profiles, reason) => {
  expect(read(...profiles)).toMatchObject({ ok: false, error: { reason: expect.stringContaining(reason) } });
});
