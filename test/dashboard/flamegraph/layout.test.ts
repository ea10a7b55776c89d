import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { indexTree } from "#core/flamegraph/tree-index.ts";
import { nodeAt } from "#dashboard/pages/flamegraph/hit-test.ts";
import { layoutBoxes, layoutMarkers, rowHeight, type Screen } from "#dashboard/pages/flamegraph/layout.ts";
import { wholeView, type View } from "#dashboard/pages/flamegraph/view.ts";
import { answerOf, grow, nameOf, nodeNamed } from "./answer.ts";

const answer = answerOf(`
  layer:model 800
    python:forward 500
      gpu_kernel:gemm 500
    python:sample 100
  gpu_kernel:nccl 200
`);
const index = indexTree(answer.nodes);
const total = answer.nodes.total;
const screen: Screen = { width: 1000, height: 400, top: 0, ratio: 1 };

function drawn(view: View, on: Screen = screen): string[] {
  const boxes = layoutBoxes(index, total, view, on);
  return boxes.node.map(
    (node, box) => `${node < 0 ? "(merged)" : nameOf(answer, node) || "root"} row ${boxes.row[box]} ${boxes.left[box]}–${boxes.right[box]}`,
  );
}

describe("boxes of a view", () => {
  test("one value unit is one pixel here, heaviest first from the left", () => {
    expect(drawn(wholeView(1000))).toEqual([
      "root row 0 0–1000",
      "model row 1 0–800",
      "forward row 2 0–500",
      "gemm row 3 0–500",
      "sample row 2 500–600",
      "nccl row 1 800–1000",
    ]);
  });

  test("focus on a frame: its ancestors stay as full rows, everything beside it is gone", () => {
    expect(drawn({ left: 0, right: 500 })).toEqual(["root row 0 0–1000", "model row 1 0–1000", "forward row 2 0–1000", "gemm row 3 0–1000"]);
  });

  test("rows scrolled away are left out, and what is below them is not", () => {
    expect(drawn(wholeView(1000), { ...screen, top: 2 * rowHeight, height: rowHeight })).toEqual(["forward row 2 0–500", "sample row 2 500–600"]);
  });

  test("device pixels: twice as many on a screen of ratio 2", () => {
    expect(drawn(wholeView(1000), { ...screen, ratio: 2 })[1]).toBe("model row 1 0–1600");
  });

  test("frames below half a pixel are not descended into; together they are one merged box", () => {
    const thin = answerOf(`python:a 997\n${Array.from({ length: 30 }, (_, i) => `native:t${i} 1\n  gpu_kernel:k${i} 1`).join("\n")}`);
    const boxes = layoutBoxes(indexTree(thin.nodes), thin.nodes.total, wholeView(thin.total), { ...screen, width: 300 });
    expect(boxes.node.map((node, box) => [node < 0 ? "(merged)" : nameOf(thin, node), boxes.row[box], boxes.left[box], boxes.right[box]])).toEqual([
      ["", 0, 0, 300],
      ["a", 1, 0, 291],
      ["(merged)", 1, 291, 300],
    ]);
  });
});

describe("search markers", () => {
  test("a match below two pixels gets one, one per pixel", () => {
    const view = wholeView(1_000_000);
    const thin = answerOf(`python:a 999990\nnative:x 5\nnative:y 5`);
    const matches = [nodeNamed(thin, "a"), nodeNamed(thin, "x"), nodeNamed(thin, "y")];
    expect(layoutMarkers(indexTree(thin.nodes), thin.nodes.total, matches, view, screen)).toEqual([{ left: 998, row: 1 }]);
  });
});

describe("any tree, any view", () => {
  const tree = fc.array(fc.double({ min: 0.05, max: 0.98, noNaN: true }), { minLength: 3, maxLength: 60 }).map((shares) => grow(shares, 100_000));
  const anyScreen = fc.record({
    width: fc.integer({ min: 50, max: 2000 }),
    height: fc.integer({ min: 20, max: 600 }),
    top: fc.integer({ min: 0, max: 200 }),
    ratio: fc.constantFrom(1, 1.25, 1.5, 2),
  });
  const anyView = fc
    .tuple(fc.double({ min: 0, max: 0.9, noNaN: true }), fc.double({ min: 0.01, max: 1, noNaN: true }))
    .map(([left, width]) => ({ left: left * 100_000, right: Math.min(1, left + width) * 100_000 }));

  test("boxes of one row never overlap and stay on the canvas", () => {
    fc.assert(
      fc.property(tree, anyView, anyScreen, ({ index: any, total: totals }, view, on) => {
        const boxes = layoutBoxes(any, totals, view, on);
        const rows = new Map<number, [number, number][]>();
        boxes.node.forEach((_, box) =>
          rows.set(boxes.row[box] as number, [
            ...(rows.get(boxes.row[box] as number) ?? []),
            [boxes.left[box] as number, boxes.right[box] as number],
          ]),
        );
        for (const spans of rows.values()) {
          spans.sort((a, b) => a[0] - b[0]);
          spans.forEach(([left, right], at) => {
            expect(right).toBeGreaterThan(left);
            expect(left).toBeGreaterThanOrEqual(at === 0 ? 0 : (spans[at - 1] as [number, number])[1]);
            expect(right).toBeLessThanOrEqual(Math.round(on.width * on.ratio));
          });
        }
      }),
    );
  });

  test("the frame under the middle of a box is the frame that was drawn there", () => {
    fc.assert(
      fc.property(tree, anyView, anyScreen, ({ index: any, total: totals }, view, on) => {
        const boxes = layoutBoxes(any, totals, view, on);
        boxes.node.forEach((node, box) => {
          const [left, right] = [boxes.left[box] as number, boxes.right[box] as number];
          if (node < 0 || right - left < 3) return; // an edge may be half a pixel off
          const y = (boxes.row[box] as number) * rowHeight + rowHeight / 2 - on.top;
          expect(nodeAt(any, totals, view, on, (left + right) / 2 / on.ratio, y)).toBe(node);
        });
      }),
    );
  });

  test("every frame at least a pixel wide is drawn", () => {
    fc.assert(
      fc.property(tree, anyScreen, ({ index: any, total: totals }, on) => {
        const whole = totals[0] as number;
        const boxes = new Set(layoutBoxes(any, totals, wholeView(whole), { ...on, top: 0, height: 5000 }).node);
        for (let node = 0; node < any.size; node++) if (((totals[node] as number) / whole) * on.width >= 1) expect(boxes.has(node)).toBe(true);
      }),
    );
  });
});

describe("empty ground", () => {
  test("below the tree, over self time and right of the root there is no frame", () => {
    const view = wholeView(1000);
    expect(nodeAt(index, total, view, screen, 700, 2 * rowHeight + 5)).toBeUndefined(); // self time of model
    expect(nodeAt(index, total, view, screen, 100, 9 * rowHeight)).toBeUndefined();
    expect(nodeAt(index, total, { left: 0, right: 2000 }, screen, 900, 5)).toBeUndefined();
  });
});
