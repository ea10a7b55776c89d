// What is asked of the requests of a run: concurrency, goodput, gaps between tokens, representatives.
import { describe, expect, test } from "vitest";
import { computeFigures } from "#core/workload/compute-figures.ts";
import { concurrencyOf } from "#core/workload/concurrency.ts";
import { goodputOf } from "#core/workload/goodput.ts";
import { representativesOf } from "#core/workload/representatives.ts";
import { limits } from "#schema/limits.ts";
import { ms, requestsOf, whole } from "./benchmark-text.ts";

test("numbers that cannot be are absent and counted", () => {
  const requests = requestsOf({ ttft: -1, latency: 10, output: 5 }, { ttft: 20, latency: 10, output: 5 }, { ttft: 1, latency: 1e300, output: 1e12, gaps: [5, -5] });
  expect([ms(requests.ttftUs), ms(requests.latencyUs), ms(requests.tpotUs), whole(requests.outputTokens), [...requests.gaps.count]]).toEqual([["–", 20, 1], [10, 10, "–"], ["–", "–", "–"], [5, 5, "–"], [0, 0, 1]]);
  expect(requests.impossible).toBe(5);
});

describe("concurrency", () => {
  // a ├──────┤        0–10
  // b    ├──────┤     5–15
  // c         ├──┤    10–20, starts as a ends
  test("steps, peak and mean over time", () => {
    const { atUs, running, peak, mean, leftOut } = concurrencyOf(requestsOf({ start: 0, latency: 10 }, { start: 5, latency: 10 }, { start: 10, latency: 10 }, { start: 3 }))!;
    expect([ms(atUs), [...running]]).toEqual([[0, 5, 10, 15, 20], [1, 2, 2, 1, 0]]);
    expect([peak, mean, leftOut]).toEqual([2, 1.5, 1]);
  });

  test("none without start times", () => expect(concurrencyOf(requestsOf({ latency: 10 }))).toBeUndefined());
});

describe("goodput", () => {
  const requests = requestsOf(
    { ttft: 100, latency: 500, output: 5 }, // TPOT 100
    { ttft: 300, latency: 700, output: 5 },
    { ttft: 100, latency: 900, output: 5 }, // TPOT 200
    { ttft: 100, latency: 400, output: 1 },
    { latency: 400, output: 5 },
    { error: "refused" },
  );

  test("a request must keep every limit; a failed one keeps none; one that cannot be judged is counted apart", () => {
    expect(goodputOf(requests, { ttftUs: 200_000, tpotUs: 150_000 }, 2)).toEqual({ good: 2, failed: 1, notJudged: 1, missed: { ttftUs: 1, tpotUs: 1, latencyUs: 0 }, share: 2 / 5, goodPerS: 1 });
    expect(goodputOf(requests, { latencyUs: 600_000 }, undefined)).toEqual({ good: 3, failed: 1, notJudged: 0, missed: { ttftUs: 0, tpotUs: 0, latencyUs: 2 }, share: 0.5, goodPerS: undefined });
  });

  test("a limit is kept at its value", () => expect(goodputOf(requests, { ttftUs: 100_000 }, undefined).good).toBe(3));
  test("without limits every answered request is good", () => expect(goodputOf(requests, {}, undefined).good).toBe(5));
  test("of nothing there is no share", () => expect(goodputOf(requestsOf(), {}, undefined).share).toBeNaN());
});

describe("gaps between tokens", () => {
  const even = new Array<number>(200).fill(10);

  test("quantiles a request, statistics of the run without failed ones", () => {
    const { gaps } = requestsOf({ ttft: 5, gaps: [10, 20, 30] }, { ttft: 5 }, { ttft: 5, gaps: [1000], error: "cut" });
    expect([[...gaps.count], ms(gaps.p50Us), ms(gaps.maxUs)]).toEqual([[3, 0, 1], [20, "–", 1000], [30, "–", 1000]]);
    expect(gaps.all).toMatchObject({ n: 3, mean: 20_000 });
  });

  test("a spike stands where its gap ended", () => {
    const { gaps } = requestsOf({ ttft: 5, gaps: [...even, 400, 10] });
    expect([[...gaps.spikes.request], ms(gaps.spikes.atUs), ms(gaps.spikes.gapUs)]).toEqual([[0], [2405], [400]]);
  });

  test("an even run has none", () => expect(requestsOf({ ttft: 5, gaps: even }).gaps.spikes.request).toHaveLength(0));

  test("at most so many a request, the longest, in order of time", () => {
    const gaps = [...new Array<number>(2000).fill(10), 100, 300, 200, 600, 500, 400, 10];
    const { spikes } = requestsOf({ ttft: 5, gaps }).gaps;
    expect(ms(spikes.gapUs)).toEqual([300, 600, 500, 400]);
    expect(spikes.request).toHaveLength(limits.itlSpikesPerRequestMax);
  });
});

describe("figures", () => {
  test("sums only when every request gives its number; rates only with a time span", () => {
    const figures = computeFigures(requestsOf({ latency: 10, output: 5 }, { latency: 10 }), undefined);
    expect(figures).toMatchObject({ completed: 2, failed: 0, outputTokens: undefined, requestsPerS: undefined, durationS: undefined, peakConcurrency: undefined });
  });

  test("without a stated duration: first start to last end", () => expect(computeFigures(requestsOf({ start: 0, latency: 500 }, { start: 1000, latency: 1000 }), undefined)).toMatchObject({ durationS: 2, requestsPerS: 1 }));
});

describe("representatives", () => {
  test("the 1st, 5th and 9th of ten by latency, failed ones aside", () => {
    const latencies = [900, 100, 500, 300, 700, 200, 1000, 400, 800, 600];
    const chosen = representativesOf(requestsOf({ latency: 1, error: "x" }, ...latencies.map((latency, i) => ({ latency, ttft: 10, input: i, output: 2 * i }))));
    expect(chosen.map(({ label, percentile, request, latencyUs, inputTokens, outputTokens }) => [label, percentile, request, latencyUs / 1000, inputTokens, outputTokens])).toEqual([
      ["Fast", 10, 2, 100, 1, 2], ["Typical", 50, 3, 500, 2, 4], ["Slow", 90, 1, 900, 0, 0],
    ]);
  });

  test("one request stands for all three, none for none", () => {
    expect(representativesOf(requestsOf({ latency: 5 })).map(({ request, ttftUs }) => [request, ttftUs])).toEqual(["Fast", "Typical", "Slow"].map(() => [0, Number.NaN]));
    expect(representativesOf(requestsOf({ ttft: 5 }))).toEqual([]);
  });
});
