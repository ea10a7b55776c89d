// The copies a folded module stands for, one by one, without unfolding the tree.
import { expect, test } from "vitest";
import { canonicalShape } from "#core/shape/canonical.ts";
import { copiesAt, copyAt, type Copies } from "#core/shape/copies.ts";
import { drawShape } from "./draw-shape.ts";

const { body } = canonicalShape(drawShape(`
  Moe
    layers ModuleList
      0 Dense
      1..3 Layer
        experts ModuleList
          0..3 Expert weight:bfloat16[4,4]
        gate Linear weight:bfloat16[4,8]
`));

test("counts through every level that is folded, in the order of the model", () => {
  const copies = copiesAt(body, "layers.2.experts.1") as Copies;
  expect(copies.count).toBe(12);
  expect(Array.from({ length: 12 }, (_, i) => copyAt(copies, i).path)).toEqual([1, 2, 3].flatMap((layer) => [0, 1, 2, 3].map((expert) => `layers.${layer}.experts.${expert}`)));
  expect(copyAt(copies, 6)).toEqual({ path: "layers.2.experts.2", folded: ["layers.2", "layers.2.experts.2"] });
});

test("of a module that stands for itself is itself", () => {
  expect(copyAt(copiesAt(body, "layers.0") as Copies, 0)).toEqual({ path: "layers.0", folded: [] });
  expect(copyAt(copiesAt(body, "") as Copies, 0)).toEqual({ path: "", folded: [] });
});
