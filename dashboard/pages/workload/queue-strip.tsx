// How long requests waited in the queue, and the line above which a request has another colour: dragged, or moved with the arrow keys.
import { scaleSymlog } from "d3-scale";
import { memo, useMemo, useRef, useState, type KeyboardEvent, type PointerEvent } from "react";
import control from "../../parts/control.module.css";
import type { Selection } from "./selection.ts";
import style from "./queue-strip.module.css";

const [width, height] = [280, 34];
const bins = 56;
const keyStep = width / 100;

export const QueueStrip = memo(function QueueStrip({ selection: { requests, rows }, thresholdUs, moved, move, settle, reset }: {
  readonly selection: Selection;
  readonly thresholdUs: number;
  readonly moved: boolean; // not where the data put it
  readonly move: (us: number | null) => void; // while dragging; null: it was broken off
  readonly settle: (us: number) => void;
  readonly reset: () => void;
}) {
  const track = useRef<HTMLDivElement>(null);
  const [dragging, setDragging] = useState(false);
  const maxMs = useMemo(() => {
    let max = 0;
    for (const us of requests.queueUs) if (us > max) max = us;
    return Math.max(1, max / 1_000);
  }, [requests]);
  const scale = useMemo(() => scaleSymlog([0, maxMs], [0, width]).constant(Math.max(0.01, maxMs / 1_000)).clamp(true), [maxMs]);
  const counts = useMemo(() => {
    const found = new Uint32Array(bins);
    for (const row of rows) {
      const us = requests.queueUs[row]!;
      if (!Number.isNaN(us)) found[Math.min(bins - 1, Math.floor((scale(us / 1_000) / width) * bins))]!++;
    }
    return found;
  }, [requests, rows, scale]);
  const highest = counts.reduce((max, count) => Math.max(max, count), 1);
  const x = scale(thresholdUs / 1_000);
  const above = rows.reduce((sum, row) => sum + (requests.queueUs[row]! > thresholdUs ? 1 : 0), 0);
  const at = (px: number) => Number((scale.invert(Math.min(width, Math.max(0, px))) * 1_000).toPrecision(4));
  const under = (event: PointerEvent) => {
    const box = track.current!.getBoundingClientRect();
    return at(((event.clientX - box.left) / box.width) * width);
  };
  const keyDown = (event: KeyboardEvent) => {
    const to = { ArrowLeft: x - keyStep, ArrowDown: x - keyStep, ArrowRight: x + keyStep, ArrowUp: x + keyStep, PageDown: x - 10 * keyStep, PageUp: x + 10 * keyStep, Home: 0, End: width }[event.key];
    if (to === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    settle(at(to));
  };
  const ms = (us: number) => `${(us / 1_000).toLocaleString("en-US", { maximumSignificantDigits: 4 })} ms`;
  return (
    <div className={style.strip} data-testid="queue-strip">
      <span className={style.words}>
        <svg viewBox="0 0 10 10" aria-hidden="true">
          <circle cx="5" cy="5" r="3.5" fill="var(--canvas-prefill)" />
        </svg>
        waited up to {ms(thresholdUs)}
      </span>
      <div
        ref={track}
        className={style.track}
        role="slider"
        tabIndex={0}
        aria-label="Queue time above which a request has another colour"
        aria-valuemin={0}
        aria-valuemax={maxMs}
        aria-valuenow={Math.min(maxMs, thresholdUs / 1_000)}
        aria-valuetext={`${ms(thresholdUs)}: ${above.toLocaleString("en-US")} of these requests waited longer`}
        title="Queue time of these requests. Drag the line: requests that waited longer have another colour"
        data-testid="queue-threshold"
        onKeyDown={keyDown}
        onPointerDown={(event) => {
          if (event.button !== 0) return;
          track.current?.setPointerCapture(event.pointerId);
          setDragging(true);
          move(under(event));
        }}
        onPointerMove={(event) => {
          if (dragging) move(under(event));
        }}
        onPointerUp={(event) => {
          if (dragging) settle(under(event));
          setDragging(false);
        }}
        onPointerCancel={() => {
          setDragging(false);
          move(null);
        }}
      >
        <svg viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" aria-hidden="true">
          {Array.from(counts, (count, bin) => {
            const tall = count === 0 ? 0 : Math.max(1.5, Math.sqrt(count / highest) * (height - 4));
            const left = (bin / bins) * width;
            return <rect key={bin} x={left} y={height - tall} width={width / bins - 0.8} height={tall} fill={left >= x ? "var(--canvas-queue)" : "var(--canvas-prefill)"} />;
          })}
          <rect x={Math.min(width - 2, Math.max(0, x - 1))} y={0} width={2} height={height} fill="var(--text)" />
        </svg>
        <span className={style.handle} style={{ left: `${(x / width) * 100}%` }} />
      </div>
      <span className={style.words}>
        <svg viewBox="0 0 10 10" aria-hidden="true">
          <path d="M5 0.5 9.5 5 5 9.5 0.5 5Z" fill="var(--canvas-queue)" />
        </svg>
        longer: {above.toLocaleString("en-US")}
      </span>
      {moved && (
        <button type="button" className={`${control.button} ${control.quiet}`} title="Back to where the data puts it: above it lie unusually long waits (Tukey's upper fence)" onClick={reset}>
          Reset
        </button>
      )}
    </div>
  );
});
