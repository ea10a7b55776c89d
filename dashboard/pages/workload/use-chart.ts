// A canvas that is drawn anew when what it shows, its room or the theme changes: at most once a frame, in CSS px.
import { useCallback, useEffect, useLayoutEffect, useRef, useState, type RefObject } from "react";
import { useTheme } from "../../app/theme.tsx";
import { readInk, type Ink } from "../../parts/chart-ink.ts";

export type ChartRoom = { readonly width: number; readonly height: number; readonly ratio: number }; // 0 until it is measured
export type Draw = (context: CanvasRenderingContext2D, room: ChartRoom, ink: Ink) => void;

export function useChartRoom(frame: RefObject<HTMLElement | null>): ChartRoom {
  const [room, setRoom] = useState<ChartRoom>({ width: 0, height: 0, ratio: 1 });
  useLayoutEffect(() => {
    const element = frame.current;
    if (element === null) return;
    const measure = () =>
      setRoom((old) => {
        const next = { width: element.clientWidth, height: element.clientHeight, ratio: devicePixelRatio };
        return next.width === old.width && next.height === old.height && next.ratio === old.ratio ? old : next;
      });
    const observer = new ResizeObserver(measure); // tells the first size too
    observer.observe(element);
    addEventListener("resize", measure);
    return () => {
      observer.disconnect();
      removeEventListener("resize", measure);
    };
  }, [frame]);
  return room;
}

export function useDraw(frame: RefObject<HTMLElement | null>, canvas: RefObject<HTMLCanvasElement | null>, room: ChartRoom, draw: Draw): void {
  const { shown: theme } = useTheme();
  const latest = useRef<() => void>(() => undefined);
  const queued = useRef(0);
  const redraw = useCallback(() => {
    if (queued.current !== 0) return;
    queued.current = requestAnimationFrame(() => {
      queued.current = 0;
      latest.current();
    });
  }, []);
  useEffect(
    () => () => {
      cancelAnimationFrame(queued.current);
      queued.current = 0;
    },
    [],
  );
  useEffect(() => {
    if (!document.fonts.check("11px Inter")) void document.fonts.load("11px Inter").finally(redraw);
  }, [redraw]);
  useLayoutEffect(() => {
    latest.current = () => {
      const element = canvas.current;
      const context = element?.getContext("2d", { alpha: false });
      if (!element || !context || frame.current === null || room.width === 0 || room.height === 0) return;
      const [width, height] = [Math.round(room.width * room.ratio), Math.round(room.height * room.ratio)];
      if (element.width !== width || element.height !== height) [element.width, element.height] = [width, height];
      context.setTransform(room.ratio, 0, 0, room.ratio, 0, 0);
      const ink = readInk(frame.current);
      context.fillStyle = ink.page;
      context.fillRect(0, 0, room.width, room.height);
      draw(context, room, ink);
      element.dataset.drawn = theme;
    };
    redraw();
  }, [canvas, frame, draw, room, theme, redraw]);
}
