// The requests in time, one row each: waiting, prefill, decode. Without a chosen stretch of time it shows the one that the rows in sight take and follows the scrolling.
// Up and down select, left and right pan, + and − zoom, 0 follows again. For assistive technology it is a list with one active item; the table below is its twin.
import { memo, useCallback, useEffect, useId, useMemo, useRef, useState, type KeyboardEvent, type PointerEvent } from "react";
import { concurrencyOf } from "#core/workload/concurrency.ts";
import control from "../../parts/control.module.css";
import { ConcurrencyStrip } from "./concurrency-strip.tsx";
import { GanttLegend } from "./gantt-legend.tsx";
import { labelWidth, paintGantt, rowHeight } from "./gantt-paint.ts";
import { endOf, ganttRows, panWindow, parseWindow, printWindow, windowOf, zoomWindow, type GanttOrder, type TimeWindow } from "./gantt-rows.ts";
import { requestWords } from "./request-facts.ts";
import { RequestTooltip, type Hover } from "./request-tooltip.tsx";
import type { Selection } from "./selection.ts";
import { useChartRoom, useDraw, type Draw } from "./use-chart.ts";
import style from "./gantt.module.css";

const keyZoom = 0.6;
const wheelZoom = 0.0022; // zoom per CSS px of wheel, as the exponent of e
const settleMs = 250; // after the last turn of the wheel the URL holds the time

export const Gantt = memo(function Gantt({ selection, order: asked, time }: { readonly selection: Selection; readonly order: GanttOrder; readonly time: string | undefined }) {
  const { requests, some, rows: chosen, selected, change } = selection;
  const scroller = useRef<HTMLDivElement>(null);
  const frame = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const id = useId();
  const [hover, setHover] = useState<Hover | null>(null);
  const [top, setTop] = useState(0);
  const started = useMemo(() => chosen.some((row) => !Number.isNaN(requests.startUs[row]!)), [requests, chosen]);
  const order = started ? asked : "latency";
  const absolute = order === "start";
  // Under a chosen stretch of time only the requests that ran in it: rows of nothing would stand for the others.
  const window = useMemo(() => (absolute ? parseWindow(time) : null), [absolute, time]);
  const rows = useMemo(() => {
    const all = ganttRows(requests, chosen, order);
    return window === null ? all : all.filter((row) => requests.startUs[row]! <= window.toUs && requests.startUs[row]! + endOf(requests, row) >= window.fromUs);
  }, [requests, chosen, order, window]);
  const concurrency = useMemo(() => concurrencyOf(some), [some]);
  const wholeUs = useMemo(() => {
    let end = 1;
    for (let row = 0; row < requests.n; row++) if (!Number.isNaN(requests.startUs[row]!)) end = Math.max(end, requests.startUs[row]! + endOf(requests, row));
    return end;
  }, [requests]);
  const spikesOf = useMemo(() => {
    const of = new Map<number, number[]>();
    requests.gaps.spikes.request.forEach((row, spike) => {
      const found = of.get(row);
      if (found === undefined) of.set(row, [requests.gaps.spikes.atUs[spike]!]);
      else found.push(requests.gaps.spikes.atUs[spike]!);
    });
    return (row: number) => of.get(row) ?? [];
  }, [requests]);

  const [turned, setTurned] = useState<TimeWindow | null>(null); // by the wheel, until it settles
  const pinned = absolute ? (turned ?? window) : null;
  const room = useChartRoom(frame);
  const height = room.height;
  const inSight = Math.ceil(height / rowHeight) + 1;
  const shown = useMemo(() => pinned ?? windowOf(requests, rows, Math.floor(top / rowHeight), Math.floor(top / rowHeight) + inSight, absolute), [pinned, requests, rows, top, inSight, absolute]);
  const draw = useCallback<Draw>((context, room, ink) => paintGantt(context, room, ink, { requests, rows, top, window: shown, absolute, selected, spikesOf }), [requests, rows, top, shown, absolute, selected, spikesOf]);
  useDraw(frame, canvas, room, draw);

  const placeOf = useMemo(() => (selected === null ? -1 : rows.indexOf(selected)), [rows, selected]);
  useEffect(() => {
    const element = scroller.current;
    if (element === null || placeOf < 0) return;
    const y = placeOf * rowHeight;
    if (y < element.scrollTop || y + rowHeight > element.scrollTop + element.clientHeight) element.scrollTop = Math.max(0, y - element.clientHeight / 2);
  }, [placeOf]);
  const settle = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(settle.current), []);
  const setWindow = useCallback((next: TimeWindow) => change({ time: printWindow(next) }, true), [change]);
  const choose = (next: TimeWindow) => {
    setWindow(next);
    scroller.current?.scrollTo({ top: 0 });
  };
  useEffect(() => {
    const element = scroller.current;
    if (element === null || !absolute) return;
    const wheel = (event: WheelEvent) => {
      const box = element.getBoundingClientRect();
      const share = Math.max(0, (event.clientX - box.left - labelWidth) / (box.width - labelWidth));
      const zooms = event.ctrlKey || event.metaKey;
      if (!zooms && !event.shiftKey && Math.abs(event.deltaX) <= Math.abs(event.deltaY)) return;
      event.preventDefault();
      const next = zooms ? zoomWindow(shown, Math.exp(event.deltaY * wheelZoom), share, wholeUs) : panWindow(shown, (event.deltaX || event.deltaY) / box.width, wholeUs);
      setTurned(next);
      clearTimeout(settle.current);
      settle.current = setTimeout(() => {
        setWindow(next);
        setTurned(null);
      }, settleMs);
    };
    element.addEventListener("wheel", wheel, { passive: false });
    return () => element.removeEventListener("wheel", wheel);
  }, [absolute, shown, wholeUs, setWindow]);

  const keyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const page = Math.max(1, inSight - 3);
    const moves: Record<string, number> = { ArrowDown: placeOf + 1, ArrowUp: placeOf < 0 ? rows.length - 1 : placeOf - 1, PageDown: placeOf + page, PageUp: placeOf - page, Home: 0, End: rows.length - 1 };
    const to = moves[event.key];
    if (to !== undefined && rows.length === 0) return;
    if (to !== undefined) change({ request: String(rows[Math.min(rows.length - 1, Math.max(0, to))]) }, true);
    else if (absolute && (event.key === "ArrowLeft" || event.key === "ArrowRight")) setWindow(panWindow(shown, event.key === "ArrowLeft" ? -0.2 : 0.2, wholeUs));
    else if (absolute && "+=-_".includes(event.key)) setWindow(zoomWindow(shown, "+=".includes(event.key) ? keyZoom : 1 / keyZoom, 0.5, wholeUs));
    else if (event.key === "0") change({ time: undefined }, true);
    else if (event.key === "Escape" && selected !== null) change({ request: undefined }, true);
    else return;
    event.preventDefault();
  };
  const under = (event: PointerEvent) => {
    const y = event.clientY - frame.current!.getBoundingClientRect().top;
    return y < 0 || y > height ? undefined : rows[Math.floor((top + y) / rowHeight)];
  };
  const without = useMemo(() => chosen.filter((row) => Number.isNaN(requests.startUs[row]!)).length, [requests, chosen]);
  return (
    <section className={style.section} aria-label="Requests in time">
      <header className={style.head}>
        <h2>Requests in time</h2>
        <GanttLegend requests={some} />
        <span className={style.room} />
        {pinned !== null && (
          <button type="button" className={control.button} title="Follow the rows in sight (0)" onClick={() => change({ time: undefined }, true)} data-testid="gantt-follow">
            {seconds(pinned.fromUs)} – {seconds(pinned.toUs)} s · follow the rows
          </button>
        )}
        <div role="group" aria-label="Order of the rows" className={style.choice}>
          {(["start", "latency"] as const).map((one) => (
            <button key={one} type="button" className={control.button} aria-pressed={order === one} disabled={!started && one === "start"} onClick={() => change({ order: one === "start" ? undefined : one }, true)} data-testid={`gantt-${one}`}>
              {one === "start" ? "By start" : "By latency"}
            </button>
          ))}
        </div>
      </header>
      {!started && <p className={style.note}>The file has no start times of requests: each row begins when its request was sent, and how many ran at once is not known.</p>}
      {started && without > 0 && <p className={style.note}>{without.toLocaleString("en-US")} of these requests have no start time; they come last and have no bar.</p>}
      {window !== null && (
        <p className={style.note}>
          {rows.length === 0 ? "No request ran in this time." : `${rows.length.toLocaleString("en-US")} of ${chosen.length.toLocaleString("en-US")} requests ran in this time.`}
        </p>
      )}
      {!absolute && started && <p className={style.note}>The slowest first, each from the moment it was sent.</p>}
      {concurrency !== undefined && absolute && <ConcurrencyStrip concurrency={concurrency} wholeUs={wholeUs} shown={shown} choose={choose} />}
      <div className={style.frame}>
        <div
          ref={scroller}
          className={style.scroller}
          role="listbox"
          tabIndex={0}
          aria-label={`Requests in time, ${rows.length.toLocaleString("en-US")}`}
          aria-activedescendant={placeOf < 0 ? undefined : `${id}-active`}
          data-testid="gantt"
          data-from={shown.fromUs}
          data-to={shown.toUs}
          onScroll={(event) => setTop(event.currentTarget.scrollTop)}
          onKeyDown={keyDown}
          onPointerMove={(event) => {
            const row = under(event);
            setHover(row === undefined ? null : { row, x: event.clientX, y: event.clientY });
          }}
          onPointerLeave={() => setHover(null)}
          onClick={(event) => {
            const row = under(event as unknown as PointerEvent);
            if (row !== undefined) change({ request: row === selected ? undefined : String(row) }, true);
          }}
        >
          <div ref={frame} className={style.drawing}>
            <canvas ref={canvas} className={style.canvas} aria-hidden="true" data-testid="gantt-canvas" />
          </div>
          <div className={style.spacer} style={{ height: Math.max(0, rows.length * rowHeight - height) }} />
          <div id={`${id}-active`} role="option" aria-selected={placeOf >= 0} className="visually-hidden">
            {placeOf < 0 ? "No request selected" : requestWords(requests, selected!)}
          </div>
        </div>
      </div>
      <p className={style.axis} aria-hidden="true">
        <span>{absolute ? `${seconds(shown.fromUs)} s` : "sent"}</span>
        <span>{absolute ? `${seconds(shown.toUs)} s after the first request` : `+ ${seconds(shown.toUs)} s`}</span>
      </p>
      {hover !== null && <RequestTooltip requests={requests} hover={hover} />}
    </section>
  );
});

function seconds(us: number): string {
  return (us / 1e6).toLocaleString("en-US", { maximumFractionDigits: 3 });
}
