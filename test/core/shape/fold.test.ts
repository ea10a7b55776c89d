import { expect, test } from "vitest";
import { foldChildren, unfoldRuns } from "#core/shape/fold.ts";
import type { ShapeBody } from "#schema/api/models.ts";
import { drawShape } from "./draw-shape.ts";

function foldsOf(body: ShapeBody): string[] {
  const { children } = body.modules[body.root]!;
  return foldChildren(children).map(({ first, last, count }) => (count === 1 ? first : `${first}..${last} ×${count}`));
}

test("equal layers are one run", () => {
  const body = drawShape(`
    ModuleList
      0..63 Layer w:float32[4]`);
  expect(foldsOf(body)).toEqual(["0..63 ×64"]);
});

test("a layer that differs splits the run: by structure, never by class", () => {
  const body = drawShape(`
    ModuleList
      0..2 Layer w:float32[4]
      3 Layer w:float8_e4m3fn[4]
      4..63 Layer w:float32[4]`);
  expect(foldsOf(body)).toEqual(["0..2 ×3", "3", "4..63 ×60"]);
});

test("only what stands side by side and is numbered one after the other", () => {
  const alternating = drawShape(`
    Sequential
      0 Linear w:float32[4]
      1 ReLU
      2 Linear w:float32[4]
      3 ReLU`);
  expect(foldsOf(alternating)).toEqual(["0", "1", "2", "3"]);
  const gap = drawShape(`
    Sequential
      0..1 Linear w:float32[4]
      3..4 Linear w:float32[4]`);
  expect(foldsOf(gap)).toEqual(["0..1 ×2", "3..4 ×2"]);
});

test("attributes keep their names: k_proj and v_proj are equal and still two", () => {
  const body = drawShape(`
    Attention
      q_proj Linear w:float32[8,4]
      k_proj Linear w:float32[2,4]
      v_proj Linear w:float32[2,4]`);
  expect(foldsOf(body)).toEqual(["q_proj", "k_proj", "v_proj"]);
});

test("the same class with another attribute below differs", () => {
  const body = drawShape(`
    ModuleList
      0 Layer
        mlp MLP w:float32[4]
      1 Layer
        moe MLP w:float32[4]`);
  expect(foldsOf(body)).toEqual(["0", "1"]);
});

test("unfolding gives the children back", () => {
  const { modules, root } = drawShape(`
    ModuleList
      0..2 A
      3 B
      4..6 A
      norm A`);
  expect(unfoldRuns(foldChildren(modules[root]!.children))).toEqual(modules[root]!.children);
});

test("nothing folds to nothing", () => {
  expect(foldChildren([])).toEqual([]);
});
