// Draws one scatter: axes, points, trend, rectangle, the selected request. Points that waited long differ in form as well as in colour.
import type { TrendLine } from "#core/workload/trend-line.ts";
import { chartFont, type Ink } from "../../parts/chart-ink.ts";
import { margin, type ScatterLayout, ticksOf } from "./scatter-layout.ts";
import type { ChartRoom } from "./use-chart.ts";

export type Rectangle = { readonly left: number; readonly right: number; readonly top: number; readonly bottom: number };
export type ScatterScene = {
  readonly layout: ScatterLayout;
  readonly chosen: ArrayLike<number>;
  readonly others: boolean; // whether some requests are left out by a filter, and drawn pale
  readonly queueUs: Float64Array;
  readonly thresholdUs: number; // NaN: there are no queue times
  readonly trend: TrendLine | undefined;
  readonly rectangle: Rectangle | null;
  readonly selected: number | null;
  readonly acrossLabel: string;
  readonly upwardsLabel: string;
};

export function paintScatter(context: CanvasRenderingContext2D, { width, height }: ChartRoom, ink: Ink, scene: ScatterScene): void {
  const { layout, chosen, queueUs, thresholdUs } = scene;
  context.font = chartFont;
  axes(context, width, height, ink, scene);
  context.save();
  context.beginPath();
  context.rect(margin.left, margin.top - 4, width - margin.left - margin.right + 4, height - margin.top - margin.bottom + 8);
  context.clip();
  if (scene.others) {
    context.fillStyle = ink.line;
    context.beginPath();
    for (let row = 0; row < layout.x.length; row++) dot(context, layout, row);
    context.fill();
  }
  // Two passes: those that waited long lie on top.
  context.globalAlpha = chosen.length > 2_000 ? 0.55 : 0.8;
  context.fillStyle = ink.prefill;
  context.beginPath();
  for (let place = 0; place < chosen.length; place++) if (!(queueUs[chosen[place]!]! > thresholdUs)) dot(context, layout, chosen[place]!);
  context.fill();
  context.fillStyle = ink.queue;
  context.beginPath();
  for (let place = 0; place < chosen.length; place++) if (queueUs[chosen[place]!]! > thresholdUs) diamond(context, layout.x[chosen[place]!]!, layout.y[chosen[place]!]!, 3.5);
  context.fill();
  context.globalAlpha = 1;
  if (scene.trend !== undefined) trend(context, layout, scene.trend, ink);
  context.restore();
  if (scene.rectangle !== null) {
    const { left, right, top, bottom } = scene.rectangle;
    context.strokeStyle = ink.accent;
    context.lineWidth = 1.5;
    context.setLineDash([5, 3]);
    context.strokeRect(left, top, right - left, bottom - top);
    context.setLineDash([]);
  }
  if (scene.selected !== null && !Number.isNaN(layout.x[scene.selected]!)) {
    context.strokeStyle = ink.page;
    context.lineWidth = 5;
    ring(context, layout, scene.selected);
    context.strokeStyle = ink.accent;
    context.lineWidth = 2.5;
    ring(context, layout, scene.selected);
  }
}

const roundMax = 2_000; // points; more of them are squares, which are drawn several times as fast

function dot(context: CanvasRenderingContext2D, { x, y }: ScatterLayout, row: number): void {
  if (Number.isNaN(x[row]!)) return;
  if (x.length > roundMax) return context.rect(x[row]! - 1.75, y[row]! - 1.75, 3.5, 3.5);
  context.moveTo(x[row]! + 2.2, y[row]!);
  context.arc(x[row]!, y[row]!, 2.2, 0, 2 * Math.PI);
}

function diamond(context: CanvasRenderingContext2D, x: number, y: number, size: number): void {
  if (Number.isNaN(x)) return;
  context.moveTo(x, y - size);
  context.lineTo(x + size, y);
  context.lineTo(x, y + size);
  context.lineTo(x - size, y);
  context.closePath();
}

function ring(context: CanvasRenderingContext2D, { x, y }: ScatterLayout, row: number): void {
  context.beginPath();
  context.arc(x[row]!, y[row]!, 6, 0, 2 * Math.PI);
  context.stroke();
}

const trendSteps = 160;

// A straight line is a curve on log axes, so it is drawn in steps.
function trend(context: CanvasRenderingContext2D, { across, upwards }: ScatterLayout, { slope, intercept, from, to }: TrendLine, ink: Ink): void {
  context.beginPath();
  let begun = false;
  const [left, right] = [Math.max(margin.left, Number.isFinite(across(from)) ? across(from) : 0), across(to)];
  for (let step = 0; step <= trendSteps; step++) {
    const px = left + ((right - left) * step) / trendSteps;
    const y = upwards((intercept + slope * across.invert(px)) / 1_000);
    if (!Number.isFinite(y)) continue;
    if (begun) context.lineTo(px, y);
    else context.moveTo(px, y);
    begun = true;
  }
  for (const [colour, lineWidth] of [[ink.page, 4], [ink.text, 1.75]] as const) {
    context.strokeStyle = colour;
    context.lineWidth = lineWidth;
    context.stroke();
  }
}

function axes(context: CanvasRenderingContext2D, width: number, height: number, ink: Ink, { layout, acrossLabel, upwardsLabel }: ScatterScene): void {
  const bottom = height - margin.bottom;
  context.strokeStyle = ink.line;
  context.lineWidth = 1;
  context.fillStyle = ink.muted;
  context.textBaseline = "middle";
  context.textAlign = "right";
  for (const { value, label } of ticksOf(layout.upwards, Math.max(2, height / 60))) {
    const y = Math.round(layout.upwards(value)) + 0.5;
    line(context, margin.left, y, width - margin.right, y);
    context.fillText(label, margin.left - 6, y);
  }
  context.textBaseline = "top";
  context.textAlign = "center";
  for (const { value, label } of ticksOf(layout.across, Math.max(2, width / 110))) {
    const x = Math.round(layout.across(value)) + 0.5;
    line(context, x, bottom, x, bottom + 4);
    context.fillText(label, x, bottom + 6);
  }
  line(context, margin.left, bottom + 0.5, width - margin.right, bottom + 0.5);
  context.textAlign = "right";
  context.fillText(acrossLabel, width - margin.right, bottom + 21);
  context.textAlign = "left";
  context.fillText(`${upwardsLabel}, ms`, 8, 7);
}

function line(context: CanvasRenderingContext2D, x1: number, y1: number, x2: number, y2: number): void {
  context.beginPath();
  context.moveTo(x1, y1);
  context.lineTo(x2, y2);
  context.stroke();
}
