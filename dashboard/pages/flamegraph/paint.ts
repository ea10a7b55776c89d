// Draws one picture of the flamegraph. Everything is placed on whole device pixels; rectangles go out grouped by colour, then edges, then labels.
import { labelColour, layerEdge, matchEdge, type DrawnKind } from "./frame-colours.ts";
import { fitLabel, labelPadding, narrowestLabel, type Measure } from "./label.ts";
import { layoutBoxes, layoutMarkers, rowHeight, type Layout, type Screen } from "./layout.ts";
import type { DrawnGraph } from "./drawn-graph.ts";
import type { NodeColours } from "./node-colours.ts";
import type { View } from "./view.ts";

export type Fonts = { readonly plain: string; readonly bold: string; readonly measurePlain: Measure; readonly measureBold: Measure };
export type Ink = { readonly page: string; readonly text: string; readonly match: string; readonly merged: string };

export type Scene = {
  readonly graph: DrawnGraph;
  readonly colours: NodeColours;
  readonly view: View;
  readonly screen: Screen;
  readonly trail: number; // rows above this one belong to the focused frame's ancestors
  readonly matched: Uint8Array | null; // null: no search
  readonly matches: readonly number[];
  readonly selected: number | null;
  readonly hovered: number | null;
  readonly ink: Ink;
  readonly fonts: Fonts;
};

// Answers the boxes it drew, for the list that tests and assistive technology read.
export function paint(context: CanvasRenderingContext2D, scene: Scene): Layout {
  const { graph, screen, view } = scene;
  const { index } = graph;
  const ratio = screen.ratio;
  const layout = layoutBoxes(index, graph.nodes.total, view, screen);
  const gap = Math.max(1, Math.round(ratio));
  const yOf = (row: number) => Math.round((row * rowHeight - screen.top) * ratio);
  const height = Math.round(rowHeight * ratio) - gap;
  context.setTransform(1, 0, 0, 1, 0, 0);
  context.fillStyle = scene.ink.page;
  context.fillRect(0, 0, context.canvas.width, context.canvas.height);

  const edges: number[] = [];
  const byColour = new Map<string, number[]>(); // boxes do not overlap, so their order is free: a change of colour costs as much as some ten rectangles
  for (let box = 0; box < layout.node.length; box++) {
    const node = layout.node[box] as number;
    const colour = node < 0 ? scene.ink.merged : fillOf(scene, node, layout.row[box] as number);
    const boxes = byColour.get(colour);
    if (boxes === undefined) byColour.set(colour, [box]);
    else boxes.push(box);
    if (node >= 0 && kindOf(scene, node) === "layer") edges.push(box);
  }
  for (const [colour, boxes] of byColour) {
    context.fillStyle = colour;
    for (const box of boxes) {
      const left = layout.left[box] as number;
      const width = (layout.right[box] as number) - left;
      context.fillRect(left, yOf(layout.row[box] as number), width > 2 * gap ? width - gap : width, height);
    }
  }
  context.fillStyle = layerEdge;
  for (const box of edges) {
    const width = (layout.right[box] as number) - (layout.left[box] as number);
    context.fillRect(layout.left[box] as number, yOf(layout.row[box] as number), width > 2 * gap ? width - gap : width, Math.round(3 * ratio));
  }
  if (scene.matched !== null) {
    // The second cue of a match, for eyes that cannot tell pale from full: a line along its foot.
    context.fillStyle = matchEdge;
    for (let box = 0; box < layout.node.length; box++) {
      const node = layout.node[box] as number;
      if (node < 0 || scene.matched[node] === 0) continue;
      const width = (layout.right[box] as number) - (layout.left[box] as number);
      const line = Math.round(2 * ratio);
      context.fillRect(layout.left[box] as number, yOf(layout.row[box] as number) + height - line, width > 2 * gap ? width - gap : width, line);
    }
  }
  paintLabels(context, scene, layout, yOf);
  context.fillStyle = scene.ink.match;
  for (const { left, row } of layoutMarkers(index, graph.nodes.total, scene.matches, view, screen))
    context.fillRect(left, yOf(row), Math.max(2, Math.round(ratio * 2)), height);
  if (scene.hovered !== null) outline(context, scene, scene.hovered, yOf, height, 1);
  if (scene.selected !== null) outline(context, scene, scene.selected, yOf, height, 2);
  return layout;
}

function kindOf(scene: Scene, node: number): DrawnKind {
  return scene.graph.frames.kind[scene.graph.nodes.frame[node] as number] as DrawnKind;
}

function fillOf(scene: Scene, node: number, row: number): string {
  const left = scene.matched === null ? row < scene.trail : scene.matched[node] === 0;
  return (left ? scene.colours.pale : scene.colours.full)[scene.colours.of[node] as number] as string;
}

function paintLabels(context: CanvasRenderingContext2D, scene: Scene, layout: Layout, yOf: (row: number) => number): void {
  const { frames, nodes } = scene.graph;
  const ratio = scene.screen.ratio;
  context.fillStyle = labelColour;
  context.textBaseline = "middle";
  for (const bold of [false, true]) {
    context.font = bold ? scene.fonts.bold : scene.fonts.plain;
    const measure = bold ? scene.fonts.measureBold : scene.fonts.measurePlain;
    for (let box = 0; box < layout.node.length; box++) {
      const node = layout.node[box] as number;
      if (node < 0) continue;
      const width = ((layout.right[box] as number) - (layout.left[box] as number)) / ratio;
      const frame = nodes.frame[node] as number;
      const kind = frames.kind[frame] as DrawnKind;
      if (width < narrowestLabel || (kind === "layer" || kind === "root") !== bold) continue;
      const label = fitLabel(
        { kind, name: frames.name[frame] as string, file: frames.file[frame] as string, line: frames.line[frame] as number, copies: nodes.copies[node] as number, prefix: scene.graph.prefixOf(node) },
        width - 1,
        measure,
      );
      if (label === "") continue;
      context.fillText(
        label,
        (layout.left[box] as number) + labelPadding * ratio,
        yOf(layout.row[box] as number) + (rowHeight / 2 + (kind === "layer" ? 0.5 : -0.5)) * ratio,
      );
    }
  }
}

// Selection and pointer are an outline as well as a colour, and at least three pixels wide, so that the thinnest frame can be seen.
function outline(
  context: CanvasRenderingContext2D,
  scene: Scene,
  node: number,
  yOf: (row: number) => number,
  height: number,
  thickness: number,
): void {
  const { screen, view } = scene;
  const { index } = scene.graph;
  const scale = (screen.width * screen.ratio) / (view.right - view.left);
  const from = ((index.offset[node] as number) - view.left) * scale;
  const to = from + (scene.graph.nodes.total[node] as number) * scale;
  const widest = screen.width * screen.ratio;
  if (to < 0 || from > widest) return;
  const line = Math.max(1, Math.round(thickness * screen.ratio));
  const left = Math.max(0, Math.round(from));
  const right = Math.max(left + 3 * line, Math.min(widest, Math.round(to)));
  const top = yOf(index.depth[node] as number);
  context.lineWidth = line;
  context.strokeStyle = labelColour;
  context.strokeRect(left + line / 2, top + line / 2, right - left - line, height - line);
  if (thickness < 2) return;
  context.strokeStyle = scene.ink.text;
  context.strokeRect(left - line / 2, top - line / 2, right - left + line, height + line);
}
