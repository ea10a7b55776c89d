// Fills by role, block and self time: apart for every eye, readable, and of the module a frame runs in.
import { describe, expect, test } from "vitest";
import { coloursByMode, layerScale, outsideFill, roleFills, selfScale, type ColourMode } from "#dashboard/pages/flamegraph/colour-modes.ts";
import { drawnGraph } from "#dashboard/pages/flamegraph/drawn-graph.ts";
import { labelColour } from "#dashboard/pages/flamegraph/frame-colours.ts";
import { contrast, deltaE2000, seenBy, visions } from "../colour-vision.ts";
import { answerOf, nodeNamed } from "./answer.ts";

describe.each(visions)("%s vision", (vision) => {
  test("any two roles, and what is in no module, differ by ΔE2000 ≥ 10", () => {
    const fills = [...Object.values(roleFills), outsideFill];
    for (const a of fills) for (const b of fills) if (a < b) expect([a, b, deltaE2000(seenBy(vision, a), seenBy(vision, b)) >= 10]).toEqual([a, b, true]);
  });

  test("the ends of a scale differ by ΔE2000 ≥ 10, and lightness only falls", () => {
    for (const scale of [layerScale, selfScale]) {
      expect(deltaE2000(seenBy(vision, scale[0]!), seenBy(vision, scale.at(-1)!))).toBeGreaterThanOrEqual(10);
      const lightness = scale.map((colour) => seenBy(vision, colour)[0]);
      expect(lightness.every((one, at) => at === 0 || one <= lightness[at - 1]! + 0.2)).toBe(true);
    }
  });
});

test("labels are readable on every fill (4.5:1)", () => {
  for (const colour of [...Object.values(roleFills), outsideFill, ...layerScale, ...selfScale]) expect(contrast(colour, labelColour)).toBeGreaterThanOrEqual(4.5);
});

const answer = answerOf(`
  python:main 100
    layer:Net model 100
      layer:Layer layers.1 60
        layer:SimAttention self_attn 60
          gpu_kernel:flash 60
      layer:Layer layers.0 40
        gpu_kernel:gemm 40
`);
const at = (name: string) => answer.frames.name.indexOf(name);
for (const [name, path, className] of [["Net model", "", "Net"], ["Layer layers.1", "model.layers.1", "Layer"], ["Layer layers.0", "model.layers.0", "Layer"], ["SimAttention self_attn", "model.layers.1.self_attn", "SimAttention"]] as const) {
  answer.frames.modulePath[at(name)] = path;
  answer.frames.moduleClass[at(name)] = className;
}
const fill = (mode: ColourMode, name: string, search = {}) => {
  const { of, full } = coloursByMode(drawnGraph(answer, search), mode);
  return full[of[nodeNamed(answer, name)]!];
};

test("a kernel has the role of the module that launched it, and the block's colour; above the model there is none", () => {
  expect([fill("role", "flash"), fill("role", "gemm"), fill("role", "main")]).toEqual([roleFills.Attention, roleFills.Other, outsideFill]);
  expect([fill("layer", "flash"), fill("layer", "gemm"), fill("layer", "Net model")]).toEqual([layerScale.at(-1), layerScale[0], outsideFill]);
});

test("by self time the most is darkest, and what ends nowhere is lightest", () => {
  expect([fill("self", "flash"), fill("self", "main")]).toEqual([selfScale.at(-1), selfScale[0]]);
});

test("where the leaf comes first only layers themselves are known", () => {
  expect([fill("role", "flash", { invert: "1" }), fill("role", "SimAttention self_attn", { invert: "1" })]).toEqual([outsideFill, roleFills.Attention]);
});
