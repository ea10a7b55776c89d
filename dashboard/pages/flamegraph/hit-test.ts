// The frame under a point of the canvas, from the tree itself: as exact as the data, whatever was culled from the drawing.
import { childAt, type TreeIndex } from "#core/flamegraph/tree-index.ts";
import { rowHeight, type Screen } from "./layout.ts";
import type { View } from "./view.ts";

// x and y are CSS px from the canvas's top left corner. Undefined over empty ground: below the tree or over a frame's own self time.
export function nodeAt(index: TreeIndex, total: readonly number[], view: View, screen: Screen, x: number, y: number): number | undefined {
  const row = Math.floor((y + screen.top) / rowHeight);
  if (index.size === 0 || row < 0 || row > index.deepest) return undefined;
  const value = view.left + (x / screen.width) * (view.right - view.left);
  if (value < 0 || value >= (total[0] as number)) return undefined;
  let node: number | undefined = 0;
  while (node !== undefined && (index.depth[node] as number) < row) node = childAt(index, total, node, value);
  return node;
}
