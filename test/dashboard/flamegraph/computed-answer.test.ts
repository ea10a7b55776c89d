// A hidden kind shows at once, made of the answer at hand; nothing that is hidden comes back that way.
import { expect, test } from "vitest";
import { computedAnswer, isComputed } from "#dashboard/pages/flamegraph/computed-answer.ts";
import { columnsText } from "#test/rig/stacks.ts";
import { answerOf } from "./answer.ts";

const answer = answerOf(`
  layer:net 50
    python:forward 50
      layer:a 30
        python:call 30
      layer:b 20
        python:call 20
`);

test("layers out: their calls are one", () => {
  const hidden = computedAnswer(answer, {}, { layers: "hide" })!;
  expect(columnsText(hidden)).toBe(`all 50/0 ×1
  forward 50/0 ×1
    call 50/50 ×2`);
  expect([isComputed(hidden), isComputed(answer)]).toEqual([true, false]);
  expect(computedAnswer(answer, {}, { layers: "hide" })).toBe(hidden); // once
});

test.each([
  ["shown again", { layers: "hide" }, {}],
  ["folded", {}, { layers: "fold" }],
  ["one for another", { hide: "python" }, { layers: "hide" }],
  ["unfolded", { layers: "fold" }, { hide: "python" }],
] as const)("%s: the server's answer is waited for", (_, before, after) => {
  expect(computedAnswer(answer, before, after)).toBeUndefined();
});

test("folded layers stay folded without Python", () => {
  expect(computedAnswer(answer, { layers: "fold" }, { layers: "fold", hide: "python" })).toBeDefined();
});

test("around a frame of a kind that is hidden the server is asked: kinds go first, so no stack has it", () => {
  const frame = answer.frames.id[answer.frames.name.indexOf("net")]!;
  expect(computedAnswer(answer, { frame }, { frame, layers: "hide" })).toBeUndefined();
  expect(computedAnswer(answer, { frame }, { frame, hide: "python" })).toBeDefined();
});
