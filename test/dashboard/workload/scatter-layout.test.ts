import { expect, test } from "vitest";
import { requestColumns } from "#core/workload/requests.ts";
import { margin, nearestPoint, nextPoint, scatterLayout, ticksOf } from "#dashboard/pages/workload/scatter-layout.ts";
import { requestFacts, requestWords } from "#dashboard/pages/workload/request-facts.ts";

const requests = requestColumns([
  { inputTokens: 0, outputTokens: 2, ttftUs: 10_000, latencyUs: 20_000, failed: false },
  { inputTokens: 100, outputTokens: 20, ttftUs: 40_000, latencyUs: 80_000, failed: false },
  { inputTokens: 100, outputTokens: 30, ttftUs: 90_000, latencyUs: 95_000, failed: false },
  { inputTokens: 400, failed: true, error: "Traceback\n  refused" },
]);
const rows = Uint32Array.of(0, 1, 2, 3);
const linear = scatterLayout(requests, "ttft", false, 600, 300);

test("points grow to the right and upwards inside the axes; what is not known has none, nor has 0 on a log axis", () => {
  expect([linear.x[0], linear.without]).toEqual([margin.left, 1]);
  expect(linear.x[1]).toBeGreaterThan(linear.x[0]!);
  expect(linear.y[2]).toBeLessThan(linear.y[1]!);
  expect(linear.x.slice(0, 3).every((x) => x >= margin.left && x <= 600 - margin.right)).toBe(true);
  expect(linear.y.slice(0, 3).every((y) => y >= margin.top && y <= 300 - margin.bottom)).toBe(true);
  expect(linear.x[3]).toBeNaN();
  const log = scatterLayout(requests, "ttft", true, 600, 300);
  expect([log.without, Number.isNaN(log.x[0])]).toEqual([2, true]);
});

test("the nearest of the shown points, when it is near enough", () => {
  expect(nearestPoint(linear, rows, linear.x[1]! + 3, linear.y[1]! - 4)).toBe(1);
  expect(nearestPoint(linear, Uint32Array.of(0, 2), linear.x[1]! + 3, linear.y[1]! - 4)).toBeUndefined();
});

test("the arrow keys walk through all points in the order of an axis, equal ones too", () => {
  const walk = (key: "ArrowRight" | "ArrowUp", from: number | null, steps: number) => {
    const found: (number | undefined)[] = [];
    for (let at = from; found.length < steps; at = found.at(-1) ?? null) found.push(nextPoint(linear, rows, at, key));
    return found;
  };
  expect(walk("ArrowRight", null, 3)).toEqual([0, 1, 2]);
  expect(nextPoint(linear, rows, 2, "ArrowRight")).toBeUndefined();
  expect(walk("ArrowUp", null, 3)).toEqual([0, 1, 2]);
  expect(nextPoint(linear, rows, 1, "ArrowDown")).toBe(0);
  expect([nextPoint(linear, rows, 2, "ArrowLeft"), nextPoint(linear, rows, 1, "ArrowLeft"), nextPoint(linear, rows, 0, "ArrowLeft")], "the same way back").toEqual([1, 0, undefined]);
});

test("ticks are numbers a person would write", () => {
  expect(ticksOf(linear.across, 4).map(({ label }) => label)).toEqual(["0", "100", "200", "300", "400"]);
});

test("all that is known of a request, and nothing else", () => {
  expect(requestFacts(requests, 1)).toEqual([
    { label: "Input tokens", value: "100" }, { label: "Output tokens", value: "20" }, { label: "TTFT", value: "40 ms" }, { label: "Decode", value: "40 ms" }, { label: "TPOT", value: "2.105 ms" }, { label: "E2E latency", value: "80 ms" },
  ]);
  expect(requestWords(requests, 3)).toBe("Request 3. Input tokens 400, Failed refused");
});
