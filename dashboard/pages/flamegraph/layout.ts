// Tree + view → boxes on a grid of device pixels. Walks the depth-first nodes once, iteratively, and skips every subtree that is out of view or
// thinner than half a CSS pixel, so the work follows what is visible, not the size of the profile. Skipped neighbours become one "merged" box.
// Invariant: boxes of one row never overlap, and the edges of neighbours meet on the same device pixel.
import type { TreeIndex } from "#core/flamegraph/tree-index.ts";
import type { View } from "./view.ts";

export const rowHeight = 20; // CSS px
export const thinnest = 0.5; // CSS px: a frame below this is not descended into

export type Screen = { readonly width: number; readonly height: number; readonly top: number; readonly ratio: number }; // CSS px; ratio = device px per CSS px

// One entry per box in all four arrays. `left` and `right` are device px from the canvas's left edge, clamped to it. `node` is -1 for a merged box.
export type Layout = { readonly node: number[]; readonly left: number[]; readonly right: number[]; readonly row: number[] };

export function layoutBoxes(index: TreeIndex, total: readonly number[], view: View, screen: Screen): Layout {
  const layout: Layout = { node: [], left: [], right: [], row: [] };
  const scale = (screen.width * screen.ratio) / (view.right - view.left);
  const widest = Math.round(screen.width * screen.ratio);
  const firstRow = Math.floor(screen.top / rowHeight);
  const lastRow = Math.ceil((screen.top + screen.height) / rowHeight) - 1;
  const least = thinnest * screen.ratio;
  const merged = new MergedRuns(layout);
  let node = 0;
  while (node < index.size) {
    const row = index.depth[node] as number;
    const from = ((index.offset[node] as number) - view.left) * scale;
    const to = from + (total[node] as number) * scale;
    if (to <= 0 || from >= widest || row > lastRow) {
      node = index.end[node] as number;
      continue;
    }
    const left = Math.max(0, Math.round(from));
    const right = Math.min(widest, Math.round(to));
    if (to - from < least || right <= left) {
      if (row >= firstRow) merged.add(row, Math.max(0, from), Math.min(widest, to));
      node = index.end[node] as number;
      continue;
    }
    if (row >= firstRow) {
      layout.node.push(node);
      layout.left.push(left);
      layout.right.push(right);
      layout.row.push(row);
    }
    node++;
  }
  merged.flush();
  return layout;
}

// Thin neighbours of one row, joined while they touch. A run shows when it covers at least one device pixel.
class MergedRuns {
  readonly layout: Layout;
  row = -1;
  from = 0;
  to = 0;

  constructor(layout: Layout) {
    this.layout = layout;
  }

  add(row: number, from: number, to: number): void {
    if (row === this.row && from - this.to < 0.01) {
      this.to = to;
      return;
    }
    this.flush();
    this.row = row;
    this.from = from;
    this.to = to;
  }

  flush(): void {
    const left = Math.round(this.from);
    const right = Math.round(this.to);
    if (this.row >= 0 && right > left) {
      this.layout.node.push(-1);
      this.layout.left.push(left);
      this.layout.right.push(right);
      this.layout.row.push(this.row);
    }
    this.row = -1;
  }
}

// Matches too thin for a box of two device pixels: where to put a marker. One marker per row and pixel.
export function layoutMarkers(
  index: TreeIndex,
  total: readonly number[],
  matches: readonly number[],
  view: View,
  screen: Screen,
): { readonly left: number; readonly row: number }[] {
  const scale = (screen.width * screen.ratio) / (view.right - view.left);
  const widest = Math.round(screen.width * screen.ratio);
  const markers: { left: number; row: number }[] = [];
  const taken = new Set<number>();
  for (const node of matches) {
    const row = index.depth[node] as number;
    const top = row * rowHeight - screen.top;
    if (top <= -rowHeight || top >= screen.height) continue;
    const from = ((index.offset[node] as number) - view.left) * scale;
    const to = from + (total[node] as number) * scale;
    if (to - from >= 2 || to < 0 || from > widest) continue;
    const left = Math.min(widest - 2, Math.max(0, Math.round(from)));
    const place = row * (widest + 1) + left;
    if (taken.has(place)) continue;
    taken.add(place);
    markers.push({ left, row });
  }
  return markers;
}
