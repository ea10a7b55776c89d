// What is open and unfolded, as text of the URL and back.
import fc from "fast-check";
import { expect, test } from "vitest";
import { pathOf, searchOfPath, searchOfState, treeStateOf } from "#dashboard/pages/model/structure-state.ts";
import { treeAtFirst } from "#dashboard/pages/model/tree-state.ts";

test("reads as paths divided by commas, the root as a dot", () => {
  expect(searchOfState({ toggled: new Set(["", "model.layers.0"]), unfolded: new Set(["model.layers.*"]), all: true })).toEqual({ toggled: ".,model.layers.0", unfold: "model.layers.*", expand: "all" });
  expect(searchOfState(treeAtFirst)).toEqual({ toggled: undefined, unfold: undefined, expand: undefined });
  expect(treeStateOf({ toggled: ",,model,", unfold: undefined, expand: undefined })).toEqual({ ...treeAtFirst, toggled: new Set(["model"]) });
});

test("comes back as it was, whatever the names hold", () => {
  const name = fc.string({ minLength: 1, maxLength: 6, unit: fc.constantFrom("a", ",", "~", "é", " ", "*") });
  const path = fc.array(name, { minLength: 1, maxLength: 3 }).map((steps) => steps.join("."));
  fc.assert(fc.property(fc.uniqueArray(fc.oneof(path, fc.constant(""))), fc.uniqueArray(path), fc.boolean(), (toggled, unfolded, all) => {
    const state = { toggled: new Set(toggled), unfolded: new Set(unfolded), all };
    const search = searchOfState(state);
    expect(treeStateOf({ toggled: search.toggled, unfold: search.unfold, expand: search.expand })).toEqual(state);
  }));
});

test("the selected module: none, the root, any other", () => {
  for (const path of [undefined, "", "model.layers.17"]) expect(pathOf(searchOfPath(path))).toBe(path);
});
