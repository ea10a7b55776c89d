import { expect, test } from "vitest";
import { withoutCommon } from "#dashboard/pages/flamegraph/short-paths.ts";

test.each([
  [["model.layers.0.mlp", "model.layers.17.mlp"], ["…0.mlp", "…17.mlp"]],
  [["model", "model.layers.0"], ["model", "model.layers.0"]],
  [["model.norm"], ["model.norm"]],
  [["a.b", "a.b"], ["…b", "…b"]],
  [["", "a.b"], ["", "a.b"]],
])("%j → %j", (paths, shown) => {
  expect(paths.map(withoutCommon(paths))).toEqual(shown);
});
