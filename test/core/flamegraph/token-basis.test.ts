// Spans drawn as "intervals: tokens".
import { expect, test } from "vitest";
import { noTokens, reportedTokens, shareOutside, stepTokens, type TokenBasis } from "#core/flamegraph/compare/token-basis.ts";
import { drawnStep } from "#test/rig/draw-record.ts";

const drawn = ({ spanOf, bySpan }: TokenBasis) => [...bySpan].map(([span, count]) => `${[...spanOf].filter(([, of]) => of === span).map(([interval]) => interval).join(" ")}: ${count}`);
const report = (interval: number, tokens: number, series = 2, began = false) => ({ interval, tokens, series, began });

test("steps have the tokens of their marks, those of prompts and of decode; a mark that leaves some out has none", () => {
  const found = stepTokens([
    drawnStep(1, { prefillRequests: 1, prefillTokens: 888 }), drawnStep(2, { decodeRequests: 2, decodeTokens: 2 }), drawnStep(3, { prefillRequests: 1, prefillTokens: 100, decodeRequests: 3, decodeTokens: 9 }),
    drawnStep(4), drawnStep(5, { prefillRequests: 15 }), drawnStep(6, { prefillRequests: 1, prefillTokens: 7, decodeRequests: 3 }), drawnStep(7, { prefillTokens: 64 }),
  ]);
  expect(drawn(found)).toEqual(["1: 888", "2: 2", "3: 109", "7: 64"]);
  expect(stepTokens([])).toEqual(noTokens);
});

test("scraped every interval: each has its tokens, but for the first, whose tokens are of an unknown time", () => {
  expect(drawn(reportedTokens([report(10, 5), report(11, 60), report(12, 120)], 2))).toEqual(["11: 60", "12: 120"]);
  expect(drawn(reportedTokens([report(12, 120), report(10, 5), report(11, 60)], 2))).toEqual(["11: 60", "12: 120"]);
});

test("dumped half an hour apart: one span between the dumps", () => {
  const found = reportedTokens([report(5, 0), report(35, 3_000)], 2);
  expect(found.bySpan).toEqual(new Map([[35, 3_000]]));
  expect([...found.spanOf.keys()]).toEqual(Array.from({ length: 30 }, (_, i) => 6 + i));
});

test("an interval in which a series is silent, or nothing was counted, belongs to the next span; after the last there is none", () => {
  expect(drawn(reportedTokens([report(0, 9, 1), report(1, 9), report(2, 10, 1), report(3, 10), report(4, 0), report(5, 0), report(6, 7), report(7, 5, 1), report(8, 0)], 2))).toEqual(["2 3: 20", "4 5 6: 7", "7 8: 5"]);
  expect(drawn(reportedTokens([report(1, 9), report(2, 0), report(3, 4, 1)], 2))).toEqual([]);
});

test("where a series begins nobody knows since when its tokens are: no span ends there, and the next goes on from it", () => {
  expect(drawn(reportedTokens([report(1, 0, 2, true), report(2, 60), report(3, 40, 2, true), report(4, 50), report(5, 7)], 2))).toEqual(["2: 60", "4: 50", "5: 7"]);
  expect(drawn(reportedTokens([report(1, 0, 1, true), report(2, 40, 1, true), report(3, 80), report(4, 90)], 2))).toEqual(["4: 90"]);
});

test("series that are never there together, one dump, none", () => {
  for (const reports of [[report(1, 9, 1), report(2, 9, 1), report(3, 9, 1)], [report(1, 9)], []]) expect(reportedTokens(reports, 2)).toEqual(noTokens);
});

test("what lies in no span is a share of the whole", () => {
  const found = reportedTokens([report(10, 5), report(11, 60)], 2);
  expect(shareOutside(found, new Map([[9, 10], [10, 20], [11, 70]]))).toBe(0.3);
  expect(shareOutside(found, new Map([[11, 70]]))).toBe(0);
  expect(shareOutside(found, new Map())).toBe(0);
});
