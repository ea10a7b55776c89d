// The drawing of a panel. With the keyboard it is a slider over the steps; Enter opens the profile of the step.
import { useEffect, useLayoutEffect, useRef, useState, type KeyboardEvent } from "react";
import type uPlot from "uplot";
import { useTheme } from "../../app/theme.tsx";
import { readInk } from "../../parts/chart-ink.ts";
import { formatClock } from "../../parts/moment-format.ts";
import { useNow } from "../../parts/moment.tsx";
import type { PanelProps } from "./metric-panel.tsx";
import { timeChart } from "./time-chart.ts";
import style from "./metrics-page.module.css";

type MomentChartProps = Pick<PanelProps, "spec" | "data" | "range" | "at" | "select" | "open" | "zoom"> & {
  readonly shown: number; // the step whose values the legend has; -1: none
  readonly words: (index: number) => string;
  readonly tell: (index: number | null) => void;
};

export function MomentChart({ spec: { name, title, unit }, data, range: { fromS, toS }, at, shown, words, tell, select, open, zoom }: MomentChartProps) {
  const frame = useRef<HTMLDivElement>(null);
  const chart = useRef<uPlot | null>(null);
  const [width, setWidth] = useState(0);
  const theme = useTheme().shown;
  const now = useNow();
  const { grid } = data;
  // What a chart does when something happens to it, as it is by then: a chart is not made anew because a callback is another one.
  const latest = useRef({ at, tell, open, zoom });
  useLayoutEffect(() => {
    latest.current = { at, tell, open, zoom };
    chart.current?.redraw(false);
  }, [at, tell, open, zoom]);
  useEffect(() => {
    const element = frame.current;
    if (element === null) return;
    const observer = new ResizeObserver(() => setWidth(element.clientWidth));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  useEffect(() => {
    const element = frame.current;
    if (element === null || width === 0) return;
    const made = timeChart(element, data, {
      width, fromS, toS, unit, ink: readInk(element), selectedS: () => latest.current.at,
      events: { point: (index) => latest.current.tell(index), open: (index) => latest.current.open(data.grid[index]!), range: (from, to) => latest.current.zoom(from, to) },
    });
    chart.current = made;
    element.dataset.drawn = theme;
    return () => {
      made.destroy();
      chart.current = null;
    };
  }, [data, width, fromS, toS, unit, theme]);
  const keyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const from = shown < 0 ? grid.length - 1 : shown;
    const to = { ArrowLeft: from - 1, ArrowDown: from - 1, ArrowRight: from + 1, ArrowUp: from + 1, PageUp: from - 10, PageDown: from + 10, Home: 0, End: grid.length - 1 }[event.key];
    if (to !== undefined) select(grid[Math.min(grid.length - 1, Math.max(0, to))]!);
    else if (event.key === "Enter" && shown >= 0) open(grid[shown]!);
    else return;
    event.preventDefault();
  };
  return (
    <div
      ref={frame}
      className={style.chart}
      role="slider"
      tabIndex={0}
      aria-label={`${title}: moment`}
      aria-valuemin={grid[0]}
      aria-valuemax={grid.at(-1)}
      aria-valuenow={grid[Math.max(0, shown)]}
      aria-valuetext={shown < 0 ? "nothing" : `${formatClock(grid[shown]! * 1_000, now)}: ${words(shown)}`}
      onKeyDown={keyDown}
      data-testid={`chart-${name}`}
    />
  );
}
