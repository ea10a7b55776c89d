// What a comparison says of two layouts, held to the plainest reading of them: every tensor that both models have, looked up by its path and by its pattern.
import fc from "fast-check";
import { expect, test } from "vitest";
import { canonicalShape } from "#core/shape/canonical.ts";
import { compareShapes } from "#core/shape/compare/compare.ts";
import { singleRank } from "#core/shape/layout.ts";
import type { ShapeLayout } from "#core/shape/part.ts";
import type { ShapeBody } from "#schema/api/models.ts";
import { modelObject, shapeOf } from "./shared-objects.ts";

function tensorPaths({ modules, root }: ShapeBody): string[] {
  const below = (path: string, name: string): string => (path === "" ? name : `${path}.${name}`);
  const visit = (row: number, path: string): string[] => [
    ...modules[row]!.tensors.map(({ name }) => below(path, name)), ...modules[row]!.children.flatMap(({ name, module }) => visit(module, below(path, name))),
  ];
  return visit(root, "");
}

const patternOf = (path: string): string => path.replaceAll(/(?<=^|\.)\d+(?=\.|$)/g, "*");

type Fact = { tensor: number; asPattern: boolean; replicas: number | null; dim: number };
const facts = fc.array(fc.record({ tensor: fc.nat(), asPattern: fc.boolean(), replicas: fc.constantFrom(null, null, 0, 1, 2, 3), dim: fc.integer({ min: 0, max: 2 }) }), { maxLength: 8 });

function layoutWith(paths: readonly string[], drawn: readonly Fact[]): ShapeLayout {
  const layout = singleRank();
  for (const { tensor, asPattern, replicas, dim } of paths.length === 0 ? [] : drawn) {
    const own = paths[tensor % paths.length]!;
    const path = asPattern ? patternOf(own) : own;
    const known = [...layout.sharded, ...layout.replicated].some((one) => one.path === path && ("dim" in one ? one.dim === dim : replicas !== null));
    if (known) continue;
    if (replicas === null) layout.sharded.push({ path, dim });
    else layout.replicated.push({ path, replicas });
  }
  return layout;
}

function heldAs({ sharded, replicated }: ShapeLayout, path: string): string {
  const said = <One extends { path: string }>(all: readonly One[]): One[] => all.filter((one) => one.path === path || one.path === patternOf(path));
  return JSON.stringify([said(sharded).map(({ dim }) => dim).sort(), Math.max(1, ...said(replicated).map(({ replicas }) => replicas))]);
}

test("each tensor that both have and hold otherwise is in one change, from the first such place to the last, and no other tensor is in any", () => {
  let told = 0;
  fc.assert(fc.property(modelObject(true), modelObject(true), fc.boolean(), facts, facts, (one, other, same, factsOfA, factsOfB) => {
    const a = canonicalShape(shapeOf(one)).body;
    const b = same ? a : canonicalShape(shapeOf(other)).body;
    const [inA, inB] = [tensorPaths(a), tensorPaths(b)];
    fc.pre(Math.max(inA.length, inB.length) <= 300);
    const [before, after] = [layoutWith(inA, factsOfA), layoutWith(inB, factsOfB)];
    const expected = new Map<string, string[]>(); // by pattern and change: its places, in the order of A
    const both = new Set(inB);
    for (const path of inA.filter((name) => both.has(name))) {
      const [was, is] = [heldAs(before, path), heldAs(after, path)];
      const key = `${patternOf(path)} ${was} ${is}`;
      if (was !== is) expected.set(key, [...(expected.get(key) ?? []), path]);
    }
    const found = compareShapes({ body: a, layout: before }, { body: b, layout: after }, 1_000);
    if (!found.ok) throw new Error(found.error);
    const said = found.value.changes.flatMap((change) => {
      if (change.kind !== "sharding_changed") return [];
      const [was, is] = [change.before, change.after].map(({ sharded, replicas }) => JSON.stringify([sharded, replicas])) as [string, string];
      return [[`${patternOf(change.first)} ${was} ${is}`, change.copies, change.first, change.last]];
    });
    told += said.length;
    expect(said.sort()).toEqual([...expected].map(([key, paths]) => [key, paths.length, paths[0], paths.at(-1)]).sort());
  }), { numRuns: 500 });
  expect(told).toBeGreaterThan(100);
});
