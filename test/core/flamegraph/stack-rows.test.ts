// Rows of the store → tree, without a store: rows made of random stacks, against the plain fold.
import fc from "fast-check";
import { expect, test } from "vitest";
import { ownStacks } from "#core/flamegraph/export/profile-tree.ts";
import { treeOfStackRows } from "#core/flamegraph/stack-rows.ts";
import { foldStacks } from "#core/flamegraph/tree.ts";
import { profileTreeOf, profileTreeText, stackRowsOf } from "#test/rig/profile-tree.ts";
import { drawProfile, randomProfile, treeText } from "#test/rig/stacks.ts";

test("of random stacks, in whatever order the rows come", () => {
  fc.assert(fc.property(randomProfile.chain((profile) => fc.record({ profile: fc.constant(profile), rows: fc.shuffledSubarray(stackRowsOf(profile), { minLength: stackRowsOf(profile).length }) })), ({ profile, rows }) => {
    const tree = treeOfStackRows(rows, "cuda");
    expect(profileTreeText(tree)).toBe(treeText(foldStacks(profile), profile.frames));
    expect(profileTreeText(profileTreeOf(profile))).toBe(profileTreeText(tree));
  }), { numRuns: 300 });
});

test("a frame that the dictionary lacks is shown as what it is", () => {
  const rows = stackRowsOf(drawProfile("a:gpu_kernel\n1")).map((row) => ({ ...row, name: "" }));
  expect(treeOfStackRows(rows, "cuda").frames).toMatchObject([{ kind: "gpu_kernel", name: "(frame 15 is not stored)" }]);
});

test("stacks that have something of their own, in drawing order", () => {
  const tree = profileTreeOf(drawProfile(`
    main   main   main   idle
    a      a      3      0/2
    b      5
    7
  `));
  expect(Array.from(ownStacks(tree), ({ node, path }) => `${path.map((frame) => tree.frames[frame]!.name).join(";")} ${tree.self[node]}/${tree.selfCount[node]}`)).toEqual(["main 3/3", "main;a 5/5", "main;a;b 7/7", "idle 0/2"]);
});
