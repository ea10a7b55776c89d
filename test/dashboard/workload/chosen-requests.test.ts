import { expect, test } from "vitest";
import { requestColumns } from "#core/workload/requests.ts";
import { chosenRequests, parseBrush, parseTokenRange, printBrush, printTokenRange } from "#dashboard/pages/workload/chosen-requests.ts";

const requests = requestColumns([
  { inputTokens: 10, outputTokens: 5, ttftUs: 50_000, latencyUs: 90_000, failed: false },
  { inputTokens: 20, outputTokens: 5, ttftUs: 60_000, latencyUs: 200_000, failed: false },
  { inputTokens: 30, failed: true },
  { ttftUs: 60_000, latencyUs: 70_000, failed: false },
]);
const chosen = (input?: string, brush?: string) => [...chosenRequests(requests, parseTokenRange(input), parseBrush(brush))];

test("requests in a range of input tokens, in a rectangle, in both; what is not known is in none", () => {
  expect(chosen()).toEqual([0, 1, 2, 3]);
  expect(chosen("20-")).toEqual([1, 2]);
  expect(chosen("-20")).toEqual([0, 1]);
  expect(chosen("11-20")).toEqual([1]);
  expect(chosen(undefined, "ttft:0,100,50,60")).toEqual([0, 1]);
  expect(chosen(undefined, "decode:5,5,100,140")).toEqual([1]);
  expect(chosen("-15", "ttft:0,100,50,60")).toEqual([0]);
});

test("they are written as they are read", () => {
  for (const range of ["5-", "-7", "5-7"]) expect(printTokenRange(parseTokenRange(range)!)).toBe(range);
  expect([parseTokenRange("-"), parseTokenRange(undefined), printTokenRange({ from: 0, to: Infinity })]).toEqual([null, null, undefined]);
  expect(printBrush(parseBrush("ttft:100,5,0.25,40")!)).toBe("ttft:5,100,0.25,40");
  expect([parseBrush("ttft:1,2,3"), parseBrush("other:1,2,3,4"), parseBrush(undefined)]).toEqual([null, null, null]);
});

test("a rectangle from request to request has both in it, however many digits their times have", () => {
  const fine = requestColumns([
    { inputTokens: 10, ttftUs: 45_430.4321, latencyUs: 90_000, failed: false },
    { inputTokens: 20, ttftUs: 60_000.7654, latencyUs: 90_000, failed: false },
  ]);
  const brush = printBrush({ scatter: "ttft", across: [10, 20], upwardsMs: [45.4304321, 60.0007654] });
  expect(brush).toBe("ttft:10,20,45.43,60.001");
  expect([...chosenRequests(fine, null, parseBrush(brush))]).toEqual([0, 1]);
  expect(printBrush({ scatter: "ttft", across: [0.1 + 0.2, 20], upwardsMs: [1.1, 2.2] })).toBe("ttft:0.3,20,1.1,2.2");
});
