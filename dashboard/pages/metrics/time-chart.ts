// One panel's lines over time, drawn by uPlot in the page's own colours. It tells where the pointer is, which moment is clicked and which stretch is dragged over; the
// crosshair is shared by all panels.
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { chartFont, type Ink } from "../../parts/chart-ink.ts";
import { axisText, clockText } from "./metric-text.ts";
import type { PanelData } from "./panel-lines.ts";
import type { PanelUnit } from "./panels.ts";

export const lineInks = ["prefill", "decode", "queue", "accent", "first"] as const; // by trace
export const dashes = [[], [6, 4], [2, 3], [10, 3, 2, 3]] as const; // by engine

export const chartHeight = 156;

export type ChartEvents = {
  readonly point: (index: number | null) => void; // step under the crosshair, of whatever panel
  readonly open: (index: number) => void;
  readonly range: (fromS: number, toS: number) => void;
};

export type ChartOptions = { readonly width: number; readonly fromS: number; readonly toS: number; readonly unit: PanelUnit; readonly ink: Ink; readonly selectedS: () => number | null; readonly events: ChartEvents };

export function timeChart(element: HTMLElement, { grid, lines }: PanelData, { width, fromS, toS, unit, ink, selectedS, events }: ChartOptions): uPlot {
  const axis = { stroke: ink.muted, font: chartFont, grid: { stroke: ink.line, width: 1 }, ticks: { stroke: ink.line, width: 1, size: 4 } };
  const top = lines.reduce((max, { values }) => values.reduce<number>((most, value) => Math.max(most, value ?? 0), max), 0);
  let dragged = false;
  const chart = new uPlot(
    {
      width, height: chartHeight, padding: [8, 20, 0, 0], legend: { show: false },
      cursor: { sync: { key: "engine-metrics", setSeries: false }, y: false, points: { size: 6, width: 0 }, drag: { x: true, y: false, setScale: false } },
      scales: { x: { time: true, range: [fromS, toS] }, y: { range: [0, unit === "ratio" ? Math.max(1, top) : top === 0 ? 1 : top * 1.08] } },
      axes: [{ ...axis, space: 64, size: 26, gap: 4, values: (_, splits, __, ___, step) => splits.map((atS) => clockText(atS, step)) }, { ...axis, size: 62, gap: 4, space: 34, values: (_, splits) => splits.map((value) => axisText(value, unit)) }],
      series: [{}, ...lines.map(({ trace, engine }) => ({ stroke: ink[lineInks[trace % lineInks.length]!], width: 1.5, dash: [...dashes[engine % dashes.length]!], points: { show: lonelyPoints, size: 5 }, spanGaps: false }))],
      hooks: {
        setCursor: [(one) => events.point(one.cursor.idx ?? null)],
        setSelect: [
          (one) => {
            if (one.select.width < 4) return;
            dragged = true;
            events.range(Math.floor(one.posToVal(one.select.left, "x")), Math.ceil(one.posToVal(one.select.left + one.select.width, "x")));
            one.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
          },
        ],
        draw: [
          (one) => {
            const at = selectedS();
            if (at === null) return;
            const x = Math.round(one.valToPos(at, "x", true));
            one.ctx.fillStyle = ink.accent;
            one.ctx.fillRect(x - 1, one.bbox.top, 2, one.bbox.height);
          },
        ],
      },
    },
    [grid as number[], ...lines.map(({ values }) => values as (number | null)[])],
    element,
  );
  chart.over.addEventListener("mousedown", () => (dragged = false));
  chart.over.addEventListener("click", () => {
    const index = chart.cursor.idx;
    if (!dragged && index !== null && index !== undefined) events.open(index);
  });
  return chart;
}

// A step without neighbours has no line to be seen by.
function lonelyPoints(chart: uPlot, series: number): boolean {
  const values = chart.data[series]!;
  return values.some((value, at) => value != null && values[at - 1] == null && values[at + 1] == null);
}
