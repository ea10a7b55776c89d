// The whole width in one strip: the tree in small, ticks where the search matches, and the part that is on screen as a window one can drag, or move with the keys.
import { useCallback, useEffect, useImperativeHandle, useLayoutEffect, useRef, useState, type KeyboardEvent, type PointerEvent, type Ref } from "react";
import { useTheme } from "../../app/theme.tsx";
import { readInk } from "./canvas-ink.ts";
import type { DrawnGraph } from "./drawn-graph.ts";
import { layoutBoxes, rowHeight } from "./layout.ts";
import type { NodeColours } from "./node-colours.ts";
import type { ViewControl } from "./use-view.ts";
import { panView, sameView, wholeView, zoomView, type View } from "./view.ts";
import style from "./minimap.module.css";

const height = 38; // CSS px, as in the style sheet
const tickHeight = 6;

export type MinimapWindow = { readonly show: (view: View) => void };

type MinimapProps = {
  readonly graph: DrawnGraph;
  readonly colours: NodeColours;
  readonly matches: readonly number[];
  readonly view: ViewControl;
  readonly ref: Ref<MinimapWindow>;
};

export function Minimap({ graph, colours, matches, view, ref }: MinimapProps) {
  const strip = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const window = useRef<HTMLDivElement>(null);
  const left = useRef<HTMLDivElement>(null);
  const right = useRef<HTMLDivElement>(null);
  const drag = useRef<number | null>(null);
  const [width, setWidth] = useState(0);
  const theme = useTheme().shown;
  const whole = graph.nodes.total[0] ?? 0;

  // Moved past React: it follows every wheel event.
  const show = useCallback(
    (shown: View) => {
      const element = window.current;
      if (element === null || whole <= 0) return;
      const [from, to] = [Math.max(0, shown.left / whole), Math.min(1, shown.right / whole)];
      element.style.left = `${from * 100}%`;
      element.style.width = `${(to - from) * 100}%`;
      if (left.current !== null) left.current.style.width = `${from * 100}%`;
      if (right.current !== null) right.current.style.width = `${(1 - to) * 100}%`;
      element.setAttribute("aria-valuenow", String(Math.round(((from + to) / 2) * 100)));
      element.setAttribute("aria-valuetext", to - from > 0.9999 ? "all of the width" : `${percent(from)} to ${percent(to)} of the width`);
    },
    [whole],
  );
  useImperativeHandle(ref, () => ({ show }), [show]);
  useLayoutEffect(() => show(view.current()), [show, view]);

  useLayoutEffect(() => {
    const element = strip.current;
    if (element === null) return;
    const observer = new ResizeObserver(() => setWidth(element.clientWidth));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);

  useEffect(() => {
    const element = canvas.current;
    const context = element?.getContext("2d", { alpha: false });
    if (!element || !context || width === 0) return;
    const ratio = devicePixelRatio;
    [element.width, element.height] = [Math.round(width * ratio), Math.round(height * ratio)];
    const ink = readInk(element);
    context.fillStyle = ink.page;
    context.fillRect(0, 0, element.width, element.height);
    const rows = graph.index.deepest + 1;
    const each = element.height / Math.max(rows, 10);
    const boxes = layoutBoxes(graph.index, graph.nodes.total, wholeView(whole), { width, height: rows * rowHeight, top: 0, ratio });
    for (let box = 0; box < boxes.node.length; box++) {
      const node = boxes.node[box] as number;
      context.fillStyle = node < 0 ? ink.merged : (colours.full[colours.of[node] as number] as string);
      const top = Math.floor((boxes.row[box] as number) * each);
      context.fillRect(boxes.left[box] as number, top, Math.max(1, (boxes.right[box] as number) - (boxes.left[box] as number)), Math.max(1, Math.ceil(((boxes.row[box] as number) + 1) * each) - top));
    }
    context.fillStyle = ink.match;
    let last = -1;
    let ticks = 0;
    for (const node of matches) {
      const at = Math.min(element.width - 2 * ratio, Math.floor(((graph.index.offset[node] as number) / whole) * element.width));
      if (at === last) continue;
      last = at;
      ticks++;
      context.fillRect(at, element.height - tickHeight * ratio, Math.max(2, Math.round(2 * ratio)), tickHeight * ratio);
    }
    element.dataset.ticks = String(ticks);
    element.dataset.theme = theme;
  }, [graph, colours, matches, width, whole, theme]);

  const at = (event: PointerEvent) => {
    const box = strip.current?.getBoundingClientRect();
    return box === undefined ? 0 : ((event.clientX - box.left) / box.width) * whole;
  };
  const move = (to: number) => {
    const { left, right } = view.current();
    view.set(panView(view.current(), (to - left) / (right - left), whole));
  };
  const pointerDown = (event: PointerEvent) => {
    if (event.button !== 0) return;
    const shown = view.current();
    const value = at(event);
    if (value < shown.left || value >= shown.right) move(value - (shown.right - shown.left) / 2);
    drag.current = value - view.current().left;
    strip.current?.setPointerCapture(event.pointerId);
  };
  const keyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const shown = view.current();
    const by = { ArrowLeft: -0.1, ArrowDown: -0.1, ArrowRight: 0.1, ArrowUp: 0.1, PageUp: -1, PageDown: 1 }[event.key];
    const next =
      by !== undefined
        ? panView(shown, by, whole)
        : event.key === "Home"
          ? panView(shown, -1e9, whole)
          : event.key === "End"
            ? panView(shown, 1e9, whole)
            : "+=".includes(event.key)
              ? zoomView(shown, 1.5, 0.5, whole)
              : "-_".includes(event.key)
                ? zoomView(shown, 1 / 1.5, 0.5, whole)
                : null;
    if (next === null) return;
    event.preventDefault();
    event.stopPropagation();
    if (!sameView(next, shown)) view.set(next);
  };
  return (
    <div
      ref={strip}
      className={style.strip}
      data-testid="flamegraph-minimap"
      onPointerDown={pointerDown}
      onPointerMove={(event) => {
        if (drag.current !== null) move(at(event) - drag.current);
      }}
      onPointerUp={() => {
        drag.current = null;
      }}
      onPointerCancel={() => {
        drag.current = null;
      }}
    >
      <canvas ref={canvas} aria-hidden="true" data-testid="flamegraph-minimap-canvas" />
      <div ref={left} className={style.shade} style={{ left: 0 }} />
      <div ref={right} className={style.shade} style={{ right: 0 }} />
      <div
        ref={window}
        className={style.window}
        role="slider"
        tabIndex={0}
        aria-label="Part of the width on screen"
        aria-orientation="horizontal"
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={50}
        data-testid="flamegraph-window"
        onKeyDown={keyDown}
      />
    </div>
  );
}

function percent(share: number): string {
  return `${Number((share * 100).toPrecision(3))} %`;
}
