// One scatter. Dragging draws a rectangle that filters the page, a click selects the request under the pointer. By keyboard the arrows go from point to point, b sets one
// corner of a rectangle and then the other. For assistive technology it is a list with one active item.
import { memo, useCallback, useId, useMemo, useRef, useState, type KeyboardEvent, type PointerEvent } from "react";
import { trendLine } from "#core/workload/trend-line.ts";
import { printBrush, type Brush } from "./chosen-requests.ts";
import { requestWords } from "./request-facts.ts";
import { RequestTooltip, type Hover } from "./request-tooltip.tsx";
import { scatterAxes, type ScatterName } from "./scatter-axes.ts";
import { margin, nearestPoint, nextPoint, scatterLayout } from "./scatter-layout.ts";
import { paintScatter, type Rectangle } from "./scatter-paint.ts";
import { TrendText } from "./trend-text.tsx";
import { useChartRoom, useDraw, type Draw } from "./use-chart.ts";
import type { Selection } from "./selection.ts";
import style from "./scatter.module.css";

const clickSlack = 4; // CSS px of movement that still count as a click

export const Scatter = memo(function Scatter({ name, log, thresholdUs, selection, brush }: { readonly name: ScatterName; readonly log: boolean; readonly thresholdUs: number; readonly selection: Selection; readonly brush: Brush | null }) {
  const { requests, rows, selected, change } = selection;
  const axes = scatterAxes[name];
  const frame = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const id = useId();
  const [hover, setHover] = useState<Hover | null>(null);
  const [drawn, setDrawn] = useState<Rectangle | null>(null); // while it is being drawn
  const [corner, setCorner] = useState<number | null>(null); // the request at which a rectangle begins, by keyboard
  const drag = useRef<{ readonly x: number; readonly y: number; moved: boolean } | null>(null);
  const size = useChartRoom(frame);
  const layout = useMemo(() => scatterLayout(requests, name, log, size.width, size.height), [requests, name, log, size]);
  const trend = useMemo(() => {
    const pick = (column: Float64Array) => Float64Array.from(rows, (row) => column[row]!);
    return trendLine(pick(requests[axes.across]), pick(requests[axes.upwards]));
  }, [requests, rows, axes]);
  const rectangle = useMemo<Rectangle | null>(() => {
    if (drawn !== null) return drawn;
    if (brush === null || brush.scatter !== name) return null;
    const clamp = (value: number, low: number, high: number) => (Number.isFinite(value) ? Math.min(high, Math.max(low, value)) : low);
    const [left, right] = brush.across.map((tokens) => clamp(layout.across(tokens), margin.left, size.width - margin.right)) as [number, number];
    const [bottom, top] = brush.upwardsMs.map((ms) => (ms <= 0 && log ? size.height - margin.bottom : clamp(layout.upwards(ms), margin.top, size.height - margin.bottom))) as [number, number];
    return { left, right, top, bottom };
  }, [drawn, brush, name, layout, size, log]);
  const draw = useCallback<Draw>(
    (context, room, ink) => {
      paintScatter(context, room, ink, {
        layout, chosen: rows, others: rows.length < requests.n, queueUs: requests.queueUs, thresholdUs, trend, rectangle, selected: corner ?? selected, acrossLabel: axes.acrossLabel, upwardsLabel: axes.upwardsLabel,
      });
    },
    [layout, rows, requests, thresholdUs, trend, rectangle, selected, corner, axes],
  );
  useDraw(frame, canvas, size, draw);

  const brushTo = ({ left, right, top, bottom }: Rectangle) => {
    const tokens = (px: number) => Math.max(0, layout.across.invert(px));
    const ms = (px: number) => Math.max(0, layout.upwards.invert(px));
    change({ brush: printBrush({ scatter: name, across: [tokens(left), tokens(right)], upwardsMs: [ms(bottom), ms(top)] }) });
  };
  const place = (event: PointerEvent) => {
    const box = frame.current!.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  };
  const inside = ({ x, y }: { readonly x: number; readonly y: number }) => ({ x: Math.min(size.width - margin.right, Math.max(margin.left, x)), y: Math.min(size.height - margin.bottom, Math.max(margin.top, y)) });
  const onPointerDown = (event: PointerEvent) => {
    if (event.button === 0) drag.current = { ...place(event), moved: false };
  };
  const onPointerMove = (event: PointerEvent) => {
    const at = place(event);
    const from = drag.current;
    if (from === null) {
      const row = nearestPoint(layout, rows, at.x, at.y);
      setHover(row === undefined ? null : { row, x: event.clientX, y: event.clientY });
      return;
    }
    if (!from.moved && Math.hypot(at.x - from.x, at.y - from.y) < clickSlack) return;
    if (!from.moved) frame.current?.setPointerCapture(event.pointerId);
    from.moved = true;
    setHover(null);
    const [a, b] = [inside(from), inside(at)];
    setDrawn({ left: Math.min(a.x, b.x), right: Math.max(a.x, b.x), top: Math.min(a.y, b.y), bottom: Math.max(a.y, b.y) });
  };
  const onPointerUp = (event: PointerEvent) => {
    const from = drag.current;
    drag.current = null;
    if (from?.moved === true && drawn !== null) brushTo(drawn);
    else if (from !== null) {
      const at = place(event);
      const row = nearestPoint(layout, rows, at.x, at.y);
      change({ request: row === undefined || row === selected ? undefined : String(row) }, true);
    }
    setDrawn(null);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const at = selected;
    if (event.key.startsWith("Arrow")) {
      const next = nextPoint(layout, rows, at, event.key as "ArrowLeft");
      if (next !== undefined) change({ request: String(next) }, true);
    } else if (event.key === "b" && at !== null && !Number.isNaN(layout.x[at]!)) {
      if (corner === null) setCorner(at);
      else {
        setCorner(null);
        const pair = (column: Float64Array) => [Math.min(column[corner]!, column[at]!), Math.max(column[corner]!, column[at]!)] as const;
        change({ brush: printBrush({ scatter: name, across: pair(requests[axes.across]), upwardsMs: pair(requests[axes.upwards]).map((us) => us / 1_000) as unknown as [number, number] }) });
      }
    } else if (event.key === "Escape" && (corner !== null || brush !== null || at !== null)) {
      if (corner !== null) setCorner(null);
      else if (brush !== null) change({ brush: undefined });
      else change({ request: undefined }, true);
    } else return;
    event.preventDefault();
  };
  return (
    <section className={style.scatter} aria-label={axes.title}>
      <header className={style.head}>
        <h3>{axes.title}</h3>
        <TrendText trend={trend} across={axes.acrossLabel} without={layout.without} log={log} />
      </header>
      <div
        ref={frame}
        className={style.frame}
        role="listbox"
        tabIndex={0}
        aria-label={`${axes.title}, ${rows.length.toLocaleString("en-US")} requests`}
        aria-activedescendant={selected === null ? undefined : `${id}-active`}
        data-testid={`scatter-${name}`}
        onPointerDown={onPointerDown}
        onPointerMove={onPointerMove}
        onPointerUp={onPointerUp}
        onPointerCancel={() => {
          drag.current = null;
          setDrawn(null);
        }}
        onPointerLeave={() => setHover(null)}
        onKeyDown={onKeyDown}
      >
        <canvas ref={canvas} className={style.canvas} aria-hidden="true" />
        <div id={`${id}-active`} role="option" aria-selected={selected !== null} className="visually-hidden">
          {selected === null ? "No request selected: the arrow keys go from point to point" : `${corner === null ? "" : "A rectangle begins at "}${requestWords(requests, corner ?? selected)}`}
        </div>
      </div>
      {hover !== null && <RequestTooltip requests={requests} hover={hover} />}
    </section>
  );
});
