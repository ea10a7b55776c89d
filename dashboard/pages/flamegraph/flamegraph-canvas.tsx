// The drawing: keeps the canvas, the view and the selection in step. The selection and the focus belong to the page.
// For assistive technology this is a tree with one active item; the canvas itself says nothing.
import { lazy, Suspense, useCallback, useEffect, useLayoutEffect, useRef, useState, type KeyboardEvent } from "react";
import { useTheme } from "../../app/theme.tsx";
import { describeBoxes } from "./box-list.ts";
import { loadCanvasFonts, makeFonts, readInk } from "./canvas-ink.ts";
import type { DrawnGraph } from "./drawn-graph.ts";
import { FrameItem } from "./frame-item.tsx";
import { nodeAt } from "./hit-test.ts";
import { rowHeight, type Screen } from "./layout.ts";
import { Minimap, type MinimapWindow } from "./minimap.tsx";
import type { NodeColours } from "./node-colours.ts";
import { paint, type Fonts, type Ink } from "./paint.ts";
import { useCanvasSize } from "./use-canvas-size.ts";
import { usePointer } from "./use-pointer.ts";
import { useView } from "./use-view.ts";
import { zoomView, type View } from "./view.ts";
import style from "./flamegraph-canvas.module.css";

const FrameTooltip = lazy(async () => ({ default: (await import("./frame-tooltip.tsx")).FrameTooltip }));
const keyZoom = 1.5;
const settleMs = 80;

export type FlamegraphCanvasProps = {
  readonly graph: DrawnGraph;
  readonly colours: NodeColours;
  readonly focus: number;
  readonly selected: number | null;
  readonly matched: Uint8Array | null; // null: no search
  readonly matches: readonly number[];
  readonly onFocus: (node: number) => void;
  readonly onSelect: (node: number | null) => void;
  readonly onKey: (event: KeyboardEvent) => void;
  readonly onMenu: (node: number, x: number, y: number) => void; // in the window
};

export function FlamegraphCanvas({ graph, colours, focus, selected, matched, matches, onFocus, onSelect, onKey, onMenu }: FlamegraphCanvasProps) {
  const { index } = graph;
  const minimap = useRef<MinimapWindow>(null);
  const scroller = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const size = useCanvasSize(scroller);
  const [fonts, setFonts] = useState<Fonts | null>(null);
  const [pointed, setPointed] = useState<{ readonly graph: DrawnGraph; readonly node: number; readonly x: number; readonly y: number } | null>(null);
  const hover = pointed?.graph === graph ? pointed : null; // in another drawing the number is another frame's, or none's
  const theme = useTheme().shown;
  const draw = useRef<() => void>(() => undefined);
  const queued = useRef(0);
  const redraw = useCallback(() => {
    if (queued.current !== 0) return;
    queued.current = requestAnimationFrame(() => {
      queued.current = 0;
      draw.current();
    });
  }, []);
  const view = useView(redraw);
  const whole = graph.nodes.total[0] ?? 0;
  const screen = useCallback((): Screen => ({ ...size, top: scroller.current?.scrollTop ?? 0 }), [size]);
  const rangeOf = useCallback(
    (node: number): View => {
      const left = index.offset[node] ?? 0;
      return { left, right: left + Math.max(graph.nodes.total[node] ?? 0, Number.MIN_VALUE) };
    },
    [index, graph],
  );

  useEffect(() => {
    const context = canvas.current?.getContext("2d", { alpha: false });
    let gone = false;
    if (context)
      void loadCanvasFonts().finally(() => {
        if (!gone) setFonts(makeFonts(context, size.ratio));
      });
    return () => {
      gone = true;
    };
  }, [size.ratio]);

  const settle = useRef<ReturnType<typeof setTimeout>>(undefined);
  useLayoutEffect(() => {
    let ink: Ink | null = null; // read once: styles are slow to ask for
    draw.current = () => {
      const element = canvas.current;
      const context = element?.getContext("2d", { alpha: false });
      if (!element || !context || fonts === null || size.width === 0 || scroller.current === null) return;
      const [width, height] = [Math.round(size.width * size.ratio), Math.round(size.height * size.ratio)];
      if (element.width !== width || element.height !== height) [element.width, element.height] = [width, height];
      const layout = paint(context, {
        graph,
        colours,
        view: view.current(),
        screen: screen(),
        trail: index.depth[focus] ?? 0,
        matched,
        matches,
        selected,
        hovered: hover?.node ?? null,
        ink: (ink ??= readInk(scroller.current)),
        fonts,
      });
      minimap.current?.show(view.current());
      if (element.dataset.theme !== theme) element.dataset.theme = theme;
      if (element.dataset.nodes !== String(index.size)) element.dataset.nodes = String(index.size);
      element.dataset.drawn = String(layout.node.length);
      clearTimeout(settle.current);
      settle.current = setTimeout(() => {
        element.dataset.boxes = describeBoxes(graph, layout, screen());
      }, settleMs);
    };
    redraw();
  }, [graph, index, colours, size, screen, fonts, focus, matched, matches, selected, hover, theme, view, redraw]);
  useEffect(() => () => clearTimeout(settle.current), []);

  // The focused frame takes the whole width; new data comes without a glide.
  const drawnGraph = useRef<DrawnGraph | null>(null);
  useLayoutEffect(() => {
    if (drawnGraph.current === graph) view.glide(rangeOf(focus));
    else view.set(rangeOf(focus));
    drawnGraph.current = graph;
  }, [graph, focus, view, rangeOf]);

  // The selected frame is brought into sight, downwards and sideways.
  useEffect(() => {
    const element = scroller.current;
    if (element === null || selected === null || size.height === 0) return;
    const y = (index.depth[selected] as number) * rowHeight;
    if (y < element.scrollTop) element.scrollTop = Math.max(0, y - rowHeight);
    else if (y + 2 * rowHeight > element.scrollTop + element.clientHeight) element.scrollTop = y + 2 * rowHeight - element.clientHeight;
    const { left, right } = view.current();
    const range = rangeOf(selected);
    if (range.right <= left || range.left >= right) view.glide(rangeOf(graph.nodes.parent[selected] as number));
  }, [selected, index, graph, view, size.height, rangeOf]);

  const active = selected ?? focus;
  const pointer = usePointer({
    scroller,
    view,
    width: size.width,
    whole,
    hover: (at) => setPointed(at && { graph, ...at }),
    nodeAt: (x, y) => nodeAt(index, graph.nodes.total, view.current(), screen(), x, y),
    click: (node) => {
      const target = node === undefined || node === focus ? 0 : node;
      onSelect(node ?? null);
      onFocus(target);
      if (target === focus) view.glide(rangeOf(focus)); // undoes a free zoom
    },
    menu: (node, x, y) => {
      onSelect(node);
      onMenu(node, x, y);
    },
  });
  // At the foot of the active frame, as far as it is on screen.
  const openMenu = () => {
    const box = scroller.current?.getBoundingClientRect();
    if (box === undefined) return;
    const { left, right } = view.current();
    const x = (((index.offset[active] as number) - left) / (right - left)) * size.width;
    const y = ((index.depth[active] as number) + 1) * rowHeight - (scroller.current?.scrollTop ?? 0);
    onMenu(active, box.left + Math.min(size.width, Math.max(0, x)), box.top + Math.min(size.height, Math.max(0, y)));
  };
  const keyDown = (event: KeyboardEvent) => {
    if ("+=-_".includes(event.key) && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      view.glide(zoomView(view.current(), event.key === "+" || event.key === "=" ? keyZoom : 1 / keyZoom, 0.5, whole));
      return;
    }
    if (event.key === "ContextMenu" || (event.key === "F10" && event.shiftKey)) {
      event.preventDefault();
      openMenu();
      return;
    }
    onKey(event);
    if (event.key === "0" || event.key === "Escape") view.glide(rangeOf(focus));
  };

  return (
    <>
      <Minimap ref={minimap} graph={graph} colours={colours} matches={matches} view={view} />
      <div className={style.frame}>
        <div
          ref={scroller}
          className={style.scroller}
          role="tree"
          tabIndex={0}
          aria-label="Flamegraph"
          aria-activedescendant={`frame-${active}`}
          data-testid="flamegraph-tree"
          onScroll={redraw}
          onKeyDown={keyDown}
          {...pointer}
        >
          <canvas
            ref={canvas}
            className={style.canvas}
            aria-hidden="true"
            style={{ height: size.height }}
            data-testid="flamegraph-canvas"
            data-row-height={rowHeight}
          />
          <div className={style.spacer} style={{ height: Math.max(0, (index.deepest + 2) * rowHeight - size.height) }} />
          <FrameItem graph={graph} node={active} selected={selected !== null} />
        </div>
        {hover !== null && (
          <Suspense>
            <FrameTooltip graph={graph} node={hover.node} x={hover.x} y={hover.y} />
          </Suspense>
        )}
      </div>
    </>
  );
}
