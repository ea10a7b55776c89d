// The widest boxes on screen as JSON on the canvas: where each frame is drawn, for tests and tools that cannot see pixels.
import type { Flamegraph } from "#schema/api/flamegraph.ts";
import { narrowestLabel } from "./label.ts";
import { rowHeight, type Layout, type Screen } from "./layout.ts";

const boxesMax = 400;

export type DrawnBox = {
  readonly node: number;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly kind: string;
  readonly name: string;
};

// x, y, width in CSS px from the canvas's top left corner; only boxes wide enough for a label, at most 400, in drawing order.
export function listBoxes(graph: Flamegraph, layout: Layout, screen: Screen): DrawnBox[] {
  const boxes: DrawnBox[] = [];
  for (let box = 0; box < layout.node.length && boxes.length < boxesMax; box++) {
    const node = layout.node[box] as number;
    const width = ((layout.right[box] as number) - (layout.left[box] as number)) / screen.ratio;
    if (node < 0 || width < narrowestLabel) continue;
    const frame = graph.nodes.frame[node] as number;
    boxes.push({
      node,
      x: (layout.left[box] as number) / screen.ratio,
      y: (layout.row[box] as number) * rowHeight - screen.top,
      width,
      kind: graph.frames.kind[frame] as string,
      name: graph.frames.name[frame] as string,
    });
  }
  return boxes;
}

export function describeBoxes(graph: Flamegraph, layout: Layout, screen: Screen): string {
  return JSON.stringify(listBoxes(graph, layout, screen));
}
