// Draws the rows of the Gantt that are in sight: what each request did when, gaps between tokens that stand out, failures.
import { requestSegments } from "#core/workload/request-segments.ts";
import type { Requests } from "#core/workload/requests.ts";
import { endOf, type TimeWindow } from "./gantt-rows.ts";
import { chartFont, type Ink } from "../../parts/chart-ink.ts";
import type { ChartRoom } from "./use-chart.ts";

export const rowHeight = 14;
export const labelWidth = 56; // CSS px: the requests' numbers

export type GanttScene = {
  readonly requests: Requests;
  readonly rows: ArrayLike<number>;
  readonly top: number; // CSS px scrolled
  readonly window: TimeWindow;
  readonly absolute: boolean;
  readonly selected: number | null;
  readonly spikesOf: (row: number) => readonly number[]; // µs since the request was sent
};

export function paintGantt(context: CanvasRenderingContext2D, room: ChartRoom, ink: Ink, scene: GanttScene): void {
  const { requests, rows, top, window: time, absolute, selected } = scene;
  const width = room.width - labelWidth;
  const px = (us: number) => labelWidth + ((us - time.fromUs) / (time.toUs - time.fromUs)) * width;
  context.font = chartFont;
  context.textBaseline = "middle";
  context.textAlign = "right";
  const first = Math.floor(top / rowHeight);
  for (let place = first; place < rows.length; place++) {
    const y = place * rowHeight - top;
    if (y >= room.height) break;
    const row = rows[place]!;
    if (row === selected) {
      context.fillStyle = ink.hover;
      context.fillRect(0, y, room.width, rowHeight);
      context.fillStyle = ink.accent;
      context.fillRect(0, y, 3, rowHeight);
    }
    context.fillStyle = row === selected ? ink.text : ink.muted;
    context.fillText(String(row), labelWidth - 8, y + rowHeight / 2 + 0.5);
    const start = absolute ? requests.startUs[row]! : 0;
    if (!Number.isNaN(start)) bar(context, ink, scene, row, start, y, px, room.width);
  }
  context.fillStyle = ink.line;
  context.fillRect(labelWidth - 1, 0, 1, room.height);
}

function bar(context: CanvasRenderingContext2D, ink: Ink, { requests, spikesOf }: GanttScene, row: number, start: number, y: number, px: (us: number) => number, right: number): void {
  const at = (us: number) => Math.max(labelWidth, px(start + us));
  for (const { kind, fromUs, toUs } of requestSegments(requests, row)) {
    const [x1, x2] = [at(fromUs), at(toUs)];
    if (x2 <= labelWidth || x1 > right) continue;
    context.fillStyle = ink[kind];
    // Decode is the lower two thirds, so that the first token is seen without its colour; a part of no width is still a hair.
    const inset = kind === "decode" ? 4 : 2;
    context.fillRect(x1, y + inset, Math.max(1, x2 - x1), rowHeight - inset - 2);
  }
  context.fillStyle = ink.text;
  for (const us of spikesOf(row)) if (px(start + us) >= labelWidth) context.fillRect(px(start + us) - 1, y + 1, 1.5, rowHeight - 2);
  if (requests.failed[row] === 1) {
    const x = px(start + endOf(requests, row));
    if (x < labelWidth) return;
    context.strokeStyle = ink.danger;
    context.lineWidth = 2;
    context.beginPath();
    for (const sign of [1, -1]) {
      context.moveTo(x + 1, y + rowHeight / 2 - 4 * sign);
      context.lineTo(x + 9, y + rowHeight / 2 + 4 * sign);
    }
    context.stroke();
  }
}
