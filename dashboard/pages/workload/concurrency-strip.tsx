// Requests at once over the whole run, above the Gantt: says where in the run its rows are, and dragging over it chooses a stretch of time.
import { scaleLinear } from "d3-scale";
import { useCallback, useMemo, useRef, useState, type PointerEvent } from "react";
import type { Concurrency } from "#core/workload/concurrency.ts";
import { labelWidth } from "./gantt-paint.ts";
import type { TimeWindow } from "./gantt-rows.ts";
import { chartFont } from "../../parts/chart-ink.ts";
import { useChartRoom, useDraw, type Draw } from "./use-chart.ts";
import style from "./gantt.module.css";

const axisHeight = 18;
const dragMin = 4; // CSS px: less is a click, which centres the window there

export function ConcurrencyStrip({ concurrency, wholeUs, shown, choose }: { readonly concurrency: Concurrency; readonly wholeUs: number; readonly shown: TimeWindow; readonly choose: (window: TimeWindow) => void }) {
  const frame = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const drag = useRef<number | null>(null);
  const [drawn, setDrawn] = useState<readonly [number, number] | null>(null); // shares of the run, while dragging
  const highest = useMemo(() => peaks(concurrency, wholeUs, 2_000), [concurrency, wholeUs]);
  const draw = useCallback<Draw>(
    (context, { width, height }, ink) => {
      const px = (us: number) => labelWidth + (us / wholeUs) * (width - labelWidth);
      const bottom = height - axisHeight;
      const y = (running: number) => bottom - (running / Math.max(1, concurrency.peak)) * (bottom - 6);
      context.fillStyle = ink.hover;
      const [from, to] = drawn === null ? [px(shown.fromUs), px(shown.toUs)] : drawn.map((share) => px(share * wholeUs)) as [number, number];
      context.fillRect(from, 0, Math.max(2, to - from), bottom);
      context.fillStyle = ink.accent;
      for (const x of [from, to]) context.fillRect(Math.min(width - 1, x), 0, 1, bottom);
      context.strokeStyle = ink.muted;
      context.lineWidth = 1.25;
      context.beginPath();
      for (let at = 0; at < highest.length; at++) context.lineTo(px((at / (highest.length - 1)) * wholeUs), y(highest[at]!));
      context.stroke();
      context.fillStyle = ink.line;
      context.fillRect(labelWidth, bottom, width - labelWidth, 1);
      context.font = chartFont;
      context.fillStyle = ink.muted;
      context.textBaseline = "top";
      context.textAlign = "right";
      context.fillText(String(concurrency.peak), labelWidth - 8, 2);
      context.fillText("0", labelWidth - 8, bottom - 9);
      for (const second of scaleLinear([0, wholeUs / 1e6], [0, 1]).ticks(Math.max(2, width / 160))) {
        context.textAlign = second === 0 ? "left" : px(second * 1e6) > width - 24 ? "right" : "center";
        context.fillText(`${second.toLocaleString("en-US")} s`, px(second * 1e6), bottom + 4);
      }
    },
    [concurrency, wholeUs, shown, highest, drawn],
  );
  useDraw(frame, canvas, useChartRoom(frame), draw);
  const share = (event: PointerEvent) => {
    const box = frame.current!.getBoundingClientRect();
    return Math.min(1, Math.max(0, (event.clientX - box.left - labelWidth) / (box.width - labelWidth)));
  };
  return (
    <div
      ref={frame}
      className={style.strip}
      aria-hidden="true"
      title={`Requests at once: ${concurrency.peak} at most, ${concurrency.mean.toFixed(1)} on average. Drag to choose a stretch of time.`}
      data-testid="concurrency"
      onPointerDown={(event) => {
        if (event.button !== 0) return;
        frame.current?.setPointerCapture(event.pointerId);
        drag.current = share(event);
      }}
      onPointerMove={(event) => {
        const from = drag.current;
        if (from !== null) setDrawn([Math.min(from, share(event)), Math.max(from, share(event))]);
      }}
      onPointerUp={(event) => {
        const from = drag.current;
        drag.current = null;
        setDrawn(null);
        if (from === null) return;
        const [a, b] = [Math.min(from, share(event)) * wholeUs, Math.max(from, share(event)) * wholeUs];
        const half = (shown.toUs - shown.fromUs) / 2;
        const wide = ((b - a) / wholeUs) * (frame.current!.clientWidth - labelWidth) >= dragMin;
        choose(wide ? { fromUs: a, toUs: b } : { fromUs: Math.max(0, a - half), toUs: Math.max(0, a - half) + 2 * half });
      }}
      onPointerCancel={() => {
        drag.current = null;
        setDrawn(null);
      }}
    >
      <canvas ref={canvas} className={style.stripCanvas} />
    </div>
  );
}

// The most at once in each of so many equal parts of the run: no peak is lost, however narrow the drawing.
function peaks({ atUs, running }: Concurrency, wholeUs: number, parts: number): Uint32Array {
  const highest = new Uint32Array(parts);
  for (let step = 0; step < atUs.length; step++) {
    const from = Math.min(parts - 1, Math.floor((atUs[step]! / wholeUs) * parts));
    const to = step + 1 < atUs.length ? Math.min(parts - 1, Math.floor((atUs[step + 1]! / wholeUs) * parts)) : from;
    for (let part = from; part <= to; part++) if (running[step]! > highest[part]!) highest[part] = running[step]!;
  }
  return highest;
}
