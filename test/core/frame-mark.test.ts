// What our exports write beside a frame's name, and what reading it does with anything else.
import fc from "fast-check";
import { expect, test } from "vitest";
import { type FrameMark, frameMark, frameMarkText, profileTypeText, readFrameMark, readFrameMarkText, readProfileTypeText } from "#core/frame-mark.ts";
import { frameKindNames, profileTypeNames } from "#schema/frame-kinds.ts";

const plain: FrameMark = { kind: "gpu_kernel", file: "", line: 0, mapping: "", modulePath: "", moduleClass: "", modelKey: "" };

test("only what is set is written", () => {
  expect(frameMarkText(plain)).toBe('lamella:{"kind":"gpu_kernel"}');
  expect(frameMark({ ...plain, kind: "layer", modulePath: "h.0", line: 3 })).toEqual({ kind: "layer", modulePath: "h.0", line: 3 });
});

test("round trip of random marks", () => {
  const text = fc.string({ unit: "binary", maxLength: 9 });
  fc.assert(fc.property(fc.record({ kind: fc.constantFrom(...frameKindNames), file: text, line: fc.nat(2 ** 32 - 1), mapping: text, modulePath: text, moduleClass: text, modelKey: text }), (mark) => {
    expect(readFrameMarkText(frameMarkText(mark))).toEqual(mark);
    expect(readFrameMark(frameMark(mark))).toEqual(mark);
  }));
  for (const type of profileTypeNames) expect(readProfileTypeText(profileTypeText(type))).toBe(type);
});

test.each(["", "_Z4gemmv", "lamella:", "lamella:{", "lamella:null", "lamella:[]", "lamella:{}", 'lamella:{"kind":"root"}', 'lamella:{"kind":1}', 'lamella:{"kind":"__proto__"}'])("%j is no mark", (text) => {
  expect(readFrameMarkText(text)).toBeUndefined();
});

test("of a mark with wrong types only what is right is taken", () => {
  expect(readFrameMark({ kind: "layer", file: 1, line: -3, modulePath: ["x"], moduleClass: "Net", more: true })).toEqual({ ...plain, kind: "layer", moduleClass: "Net" });
  for (const line of [1.5, 2 ** 32, "7", null]) expect(readFrameMark({ kind: "op", line })).toEqual({ ...plain, kind: "op" });
  for (const text of ["", "cuda", "lamella profile type: heat", "lamella profile type: toString"]) expect(readProfileTypeText(text)).toBeUndefined();
});
