// What a page computes of the requests it got: all of them, some of them, what each did when, the trend and the threshold of a scatter.
import { expect, test } from "vitest";
import type { WorkloadRequests } from "#schema/api/workloads.ts";
import { computeFigures } from "#core/workload/compute-figures.ts";
import { verdictOf } from "#core/workload/limits-missed.ts";
import { queueThreshold } from "#core/workload/queue-threshold.ts";
import { requestsOfColumns } from "#core/workload/requests-of-columns.ts";
import { requestSegments } from "#core/workload/request-segments.ts";
import { requestColumns } from "#core/workload/requests.ts";
import { selectRequests } from "#core/workload/select-requests.ts";
import { trendLine } from "#core/workload/trend-line.ts";
import { simulatedRows } from "#test/rig/simulated-workload.ts";

const { NaN: none } = Number;

test("pages of the API are one run again, with the figures of its file", () => {
  const requests = requestColumns(simulatedRows(300));
  const numbers = (column: Float64Array, from: number, to: number) => Array.from(column.subarray(from, to), (value) => (Number.isNaN(value) ? null : value));
  const page = (from: number, to: number): Pick<WorkloadRequests, "columns" | "errors" | "spikes"> => {
    const errors = ["", ...new Set(requests.errors.slice(from, to).filter((error) => error !== ""))];
    const spikes = Array.from(requests.gaps.spikes.request, (_, spike) => spike).filter((spike) => requests.gaps.spikes.request[spike]! >= from && requests.gaps.spikes.request[spike]! < to);
    const of = (column: Float64Array) => numbers(column, from, to);
    const { startUs, clientQueueUs, queueUs, prefillUs, ttftUs, decodeUs, tpotUs, latencyUs, inputTokens, outputTokens, gaps, failed } = requests;
    return {
      errors,
      columns: {
        request: Array.from({ length: to - from }, (_, row) => from + row), startUs: of(startUs), clientQueueUs: of(clientQueueUs), queueUs: of(queueUs), prefillUs: of(prefillUs), ttftUs: of(ttftUs), decodeUs: of(decodeUs),
        tpotUs: of(tpotUs), latencyUs: of(latencyUs), inputTokens: of(inputTokens), outputTokens: of(outputTokens), itlCount: [...gaps.count.subarray(from, to)], itlP50Us: of(gaps.p50Us), itlP90Us: of(gaps.p90Us),
        itlP99Us: of(gaps.p99Us), itlMaxUs: of(gaps.maxUs), failed: Array.from(failed.subarray(from, to), (flag) => flag === 1), error: requests.errors.slice(from, to).map((error) => errors.indexOf(error)),
      },
      spikes: { row: spikes.map((spike) => requests.gaps.spikes.request[spike]! - from), atUs: spikes.map((spike) => requests.gaps.spikes.atUs[spike]!), gapUs: spikes.map((spike) => requests.gaps.spikes.gapUs[spike]!) },
    };
  };
  const again = requestsOfColumns([page(0, 120), page(120, 300)], false);
  expect(again).toEqual({ ...requests, gaps: { ...requests.gaps, all: undefined, spikeThresholdUs: none } });
  expect(computeFigures(again, undefined)).toEqual({ ...computeFigures(requests, undefined), itlUs: undefined });
  expect(again.gaps.spikes.request.length, "the simulated run has gaps that stand out").toBeGreaterThan(10);
});

test("some requests are a run of their own", () => {
  const all = requestColumns([
    { startUs: 1e12, ttftUs: 100, latencyUs: 300, inputTokens: 10, outputTokens: 3, gapsUs: [10, 10, 10, 90], failed: false },
    { startUs: 1e12 + 50, failed: true, error: "refused" },
    { startUs: 1e12 + 90, ttftUs: 200, latencyUs: 900, inputTokens: 20, outputTokens: 8, gapsUs: [10, 10, 10, 80], failed: false },
  ]);
  const some = selectRequests(all, [1, 2]);
  expect(some).toMatchObject({ n: 2, errors: ["refused", ""], failed: Uint8Array.of(1, 0), startUs: Float64Array.of(50, 90), ttftUs: Float64Array.of(none, 200) });
  expect(some.gaps.spikes).toEqual({ request: Uint32Array.of(), atUs: Float64Array.of(), gapUs: Float64Array.of() });
  expect(selectRequests(all, [0]).gaps.spikes).toEqual({ request: Uint32Array.of(0), atUs: Float64Array.of(220), gapUs: Float64Array.of(90) });
  // 8 tokens of one request that was answered, over the 2 s of the whole run.
  expect(computeFigures(some, 2)).toMatchObject({ completed: 1, failed: 1, outputTokens: 8, outputTokensPerS: 4, ttftUs: { n: 1, mean: 200 } });
});

test.each([
  ["all told", { queueUs: 10, prefillUs: 30, ttftUs: 50, latencyUs: 90 }, "queue 0-10, prefill 10-40, first 40-50, decode 50-90"],
  ["no parts", { ttftUs: 50, latencyUs: 90 }, "first 0-50, decode 50-90"],
  ["no wait", { queueUs: 0, ttftUs: 50, latencyUs: 90 }, "first 0-50, decode 50-90"],
  ["parts longer than the whole", { queueUs: 40, prefillUs: 30, ttftUs: 50, latencyUs: 90 }, "queue 0-40, prefill 40-50, decode 50-90"],
  ["no TTFT", { queueUs: 40, latencyUs: 90 }, "queue 0-40, first 40-90"],
  ["no latency", { ttftUs: 50 }, "first 0-50"],
  ["nothing", {}, ""],
])("what a request did: %s", (_, times, drawn) => {
  const segments = requestSegments(requestColumns([{ ...times, failed: false }]), 0);
  expect(segments.map(({ kind, fromUs, toUs }) => `${kind} ${fromUs}-${toUs}`).join(", ")).toBe(drawn);
});

test("the trend is the line most points are on, wherever the others lie", () => {
  const x = [1, 2, 3, 4, 5, 6, 7, 8, 9, none, 11];
  const y = [12, 14, 16, 18, 20, 22, 24, 900, 1_000, 5, none];
  expect(trendLine(x, y)).toEqual({ slope: 2, intercept: 10, n: 9, from: 1, to: 9 });
  expect(trendLine([5, 5], [1, 2]), "no two x").toBeUndefined();
  expect(trendLine([], [])).toBeUndefined();
  // Ten thousand points: the same line, from some of the pairs.
  const many = Array.from({ length: 10_000 }, (_, at) => (at * 7_919) % 10_000);
  const line = trendLine(many, many.map((value, at) => 3 * value + 5 + (at % 5 === 0 ? 1e6 : 0)))!;
  expect([line.slope, line.intercept, line.n]).toEqual([expect.closeTo(3, 6), expect.closeTo(5, 2), 10_000]);
});

test("a verdict on each request: which limits it is over, or why it has none", () => {
  const requests = requestColumns([
    { ttftUs: 100, latencyUs: 500, outputTokens: 5, failed: false },
    { ttftUs: 300, latencyUs: 1_900, outputTokens: 5, failed: false },
    { ttftUs: 100, latencyUs: 500, outputTokens: 1, failed: false },
    { latencyUs: 500, failed: false },
    { latencyUs: 2_500, failed: false },
    { failed: true, error: "refused" },
  ]);
  const limits = { ttftUs: 200, tpotUs: 100, latencyUs: 2_000 };
  expect(Array.from({ length: 6 }, (_, row) => verdictOf(requests, row, limits))).toEqual(["good", ["ttftUs", "tpotUs"], "good", "not judged", ["latencyUs"], "failed"]);
  expect(verdictOf(requests, 3, {})).toBe("good");
});

test("an unusual queue time is one above Tukey's fence, else one of the slowest tenth", () => {
  // Quartiles 2 and 4: 4 + 1.5 × 2.
  expect(queueThreshold([1, 2, 3, 4, 100, none])).toBe(7);
  expect(queueThreshold([0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100])).toBe(90);
  expect(queueThreshold([none])).toBeUndefined();
});
