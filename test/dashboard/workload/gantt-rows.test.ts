import { expect, test } from "vitest";
import { requestColumns } from "#core/workload/requests.ts";
import { ganttRows, panWindow, parseWindow, printWindow, windowOf, zoomWindow } from "#dashboard/pages/workload/gantt-rows.ts";

const s = 1_000_000;
const requests = requestColumns([
  { startUs: 1e12 + 5 * s, ttftUs: s, latencyUs: 2 * s, failed: false },
  { startUs: 1e12, ttftUs: s, latencyUs: 9 * s, failed: false },
  { ttftUs: s, latencyUs: 3 * s, failed: false },
  { startUs: 1e12 + 5 * s, failed: true },
]);
const all = Uint32Array.of(0, 1, 2, 3);

test("rows by start, or the slowest first; those without the number last, equal ones in the order of the file", () => {
  expect([...ganttRows(requests, all, "start")]).toEqual([1, 0, 3, 2]);
  expect([...ganttRows(requests, all, "latency")]).toEqual([1, 2, 0, 3]);
  expect([...ganttRows(requests, Uint32Array.of(2, 3), "start")]).toEqual([3, 2]);
});

test("the stretch of time that some rows take, with a little room", () => {
  const within = ({ fromUs, toUs }: { fromUs: number; toUs: number }) => [fromUs / s, toUs / s];
  expect(within(windowOf(requests, all, 0, 1, true))).toEqual([expect.closeTo(4.98, 6), expect.closeTo(7.04, 6)]);
  expect(within(windowOf(requests, all, 0, 9, true))).toEqual([0, expect.closeTo(9.18, 6)]);
  expect(within(windowOf(requests, all, 2, 4, false)), "each since it was sent").toEqual([0, expect.closeTo(3.06, 6)]);
  expect(windowOf(requests, all, 2, 3, true).toUs, "no start at all: still a stretch").toBeGreaterThan(0);
});

test("a chosen time is written as it is read, zoomed around a moment and kept inside the run", () => {
  expect(parseWindow("1.5-20")).toEqual({ fromUs: 1.5 * s, toUs: 20 * s });
  expect([parseWindow("20-1.5"), parseWindow(undefined), parseWindow("x")]).toEqual([null, null, null]);
  expect(printWindow({ fromUs: 1.5 * s, toUs: 20 * s })).toBe("1.5-20");
  expect(zoomWindow({ fromUs: 10 * s, toUs: 20 * s }, 0.5, 0.5, 100 * s)).toEqual({ fromUs: 12.5 * s, toUs: 17.5 * s });
  expect(zoomWindow({ fromUs: 10 * s, toUs: 20 * s }, 100, 0.5, 60 * s)).toEqual({ fromUs: 0, toUs: 60 * s });
  expect(panWindow({ fromUs: 10 * s, toUs: 20 * s }, -2, 60 * s)).toEqual({ fromUs: 0, toUs: 10 * s });
  expect(panWindow({ fromUs: 10 * s, toUs: 20 * s }, 9, 60 * s)).toEqual({ fromUs: 50 * s, toUs: 60 * s });
});
