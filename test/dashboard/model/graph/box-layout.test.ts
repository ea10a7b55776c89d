// Where boxes lie: inside what holds them, beside and below one another and never over one another, in registration order.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { boxSize, layoutBoxes } from "#dashboard/pages/model/graph/box-layout.ts";
import { boxesIn, rectOf, type Rect } from "#dashboard/pages/model/graph/camera.ts";
import { moduleNodes, shapeFacts, type ModuleNode } from "#dashboard/pages/model/module-nodes.ts";
import { toggle, treeAtFirst, unfold } from "#dashboard/pages/model/tree-state.ts";
import { qwen3 } from "#test/core/shape/qwen3-32b.ts";

const facts = shapeFacts(qwen3());
const everything = moduleNodes(facts, "m", { ...treeAtFirst, all: true });

const inside = (a: Rect, b: Rect) => a.x >= b.x && a.y >= b.y && a.x + a.width <= b.x + b.width && a.y + a.height <= b.y + b.height;
const apart = (a: Rect, b: Rect) => a.x + a.width <= b.x || b.x + b.width <= a.x || a.y + a.height <= b.y || b.y + b.height <= a.y;

function check(nodes: readonly ModuleNode[], sparked: (node: ModuleNode) => boolean = () => false): void {
  const layout = layoutBoxes(nodes, sparked);
  const siblings = Map.groupBy(nodes.keys(), (at) => layout.parent[at]!);
  for (const [parent, children] of siblings) {
    if (parent < 0) continue;
    for (const [i, child] of children.entries()) {
      const box = rectOf(layout, child);
      expect(inside(box, rectOf(layout, parent))).toBe(true);
      expect(box.y).toBeGreaterThanOrEqual(layout.y[parent]! + boxSize.header);
      for (const other of children.slice(0, i)) {
        expect(apart(box, rectOf(layout, other))).toBe(true);
        expect(layout.y[other]! < box.y || (layout.y[other] === box.y && layout.x[other]! < box.x)).toBe(true);
      }
    }
  }
}

test("of Qwen3-32B, closed and with every section open", () => {
  check(moduleNodes(facts, "m", treeAtFirst));
  check(everything);
  check(everything, (node) => node.copies > 1);
});

test("whatever is opened and unfolded", () => {
  const paths = everything.map(({ path }) => path);
  fc.assert(fc.property(fc.subarray(paths), fc.array(fc.nat(70), { maxLength: 5 }), (toggled, layers) => {
    check(moduleNodes(facts, "m", layers.reduce((state, layer) => unfold(state, `model.layers.${layer}`), toggle(treeAtFirst, toggled))));
  }), { numRuns: 100 });
});

test("opening a module moves nothing that comes before it and is not in its row", () => {
  const closed = moduleNodes(facts, "m", treeAtFirst);
  const open = moduleNodes(facts, "m", toggle(treeAtFirst, ["model.layers.0"]));
  const [before, after] = [layoutBoxes(closed, () => false), layoutBoxes(open, () => false)];
  for (const path of ["", "model", "model.embed_tokens", "model.layers", "model.layers.0"]) {
    const [a, b] = [closed, open].map((nodes) => nodes.findIndex((node) => node.path === path));
    expect([path, after.x[b!], after.y[b!]]).toEqual([path, before.x[a!], before.y[a!]]);
  }
});

describe("what is in sight", () => {
  const layout = layoutBoxes(everything, () => false);
  test("is every box that meets the rectangle, and no other", () => {
    const whole = rectOf(layout, 0);
    fc.assert(fc.property(fc.double({ min: -0.2, max: 1, noNaN: true }), fc.double({ min: -0.2, max: 1, noNaN: true }), fc.double({ min: 0.01, max: 1.5, noNaN: true }), (x, y, size) => {
      const rect = { x: whole.x + x * whole.width, y: whole.y + y * whole.height, width: size * whole.width, height: size * whole.height };
      expect(boxesIn(layout, rect)).toEqual([...everything.keys()].filter((at) => !apart(rectOf(layout, at), rect)));
    }));
  });
});
