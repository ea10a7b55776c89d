// Which answer stands in for another: one of the same selection that is not too old and not cut.
import { expect, test } from "vitest";
import { answerAtHand, type Known } from "#dashboard/pages/flamegraph/answer-at-hand.ts";
import type { Flamegraph } from "#schema/api/flamegraph.ts";
import { answerOf } from "./answer.ts";

const answer = answerOf(`
  layer:net 50
    python:forward 50
`);
const range = { from: "-1h", to: "now" };
const known = (ageMs: number, query: object = range, data: Flamegraph = answer): Known => ({ queryKey: ["flamegraph", "acme", query], state: { data }, isStaleByTime: (ms) => ageMs >= ms });
const asked = { ...range, layers: "hide" } as const;
const atHand = (one: Known) => answerAtHand([one], 60_000, asked);

test("a kind goes from a fresh answer at hand; from one of minutes ago, which nobody looks at any more, it does not", () => {
  expect(atHand(known(1_000))?.nodes.total).toEqual([50, 50]);
  expect(atHand(known(120_000))).toBeUndefined();
});

test("another range, and what was cut, are asked anew", () => {
  expect(atHand(known(1_000, { from: "-2h", to: "now" }))).toBeUndefined();
  expect(atHand(known(1_000, range, { ...answer, truncated: { nodes: 1, total: 1 } }))).toBeUndefined();
});
