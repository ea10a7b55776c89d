import fc from "fast-check";
import { expect, test } from "vitest";
import { flamegraphColumns } from "#core/flamegraph/columns.ts";
import { nameTotals } from "#core/flamegraph/name-totals.ts";
import { drawProfile, foldedRowsOf, randomProfile } from "#test/rig/stacks.ts";

test("recursion adds nothing, places add up, kinds are told apart", () => {
  const tree = flamegraphColumns(foldedRowsOf(drawProfile(`
    a       a       b       a:native
    b       b       c       5
    a       7       20
    100
  `)), "cuda");
  const { nameOf, total, nodes } = nameTotals(tree);
  const of = (kind: string, name: string) => {
    const row = tree.frames.name.findIndex((one, frame) => one === name && tree.frames.kind[frame] === kind);
    return [total[nameOf[row]!], nodes[nameOf[row]!]];
  };
  expect([of("python", "a"), of("python", "b"), of("python", "c"), of("native", "a")]).toEqual([[107, 2], [127, 2], [20, 1], [5, 1]]);
});

test("of each name: the value of the stacks it is in, counted stack by stack", () => {
  fc.assert(fc.property(randomProfile, (profile) => {
    const tree = flamegraphColumns(foldedRowsOf(profile), "cuda");
    const { nameOf, total } = nameTotals(tree);
    const expected = new Map<string, number>();
    for (const { frames, value } of profile.stacks)
      for (const key of new Set(frames.map((frame) => `${profile.frames[frame]!.kind} ${profile.frames[frame]!.name}`))) expected.set(key, (expected.get(key) ?? 0) + Number(value));
    tree.frames.name.forEach((name, frame) => {
      const kind = tree.frames.kind[frame]!;
      if (kind !== "root" && kind !== "other") expect(total[nameOf[frame]!]).toBe(expected.get(`${kind} ${name}`));
    });
  }));
});
