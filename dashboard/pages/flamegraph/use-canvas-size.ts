// The room the drawing has, in CSS px, and how many device pixels one of them is. Follows resizing, zooming and a move to another screen.
import { useLayoutEffect, useState, type RefObject } from "react";

export type CanvasSize = { readonly width: number; readonly height: number; readonly ratio: number };

export function useCanvasSize(scroller: RefObject<HTMLElement | null>): CanvasSize {
  const [size, setSize] = useState<CanvasSize>({ width: 0, height: 0, ratio: 1 });
  useLayoutEffect(() => {
    const element = scroller.current;
    if (element === null) return;
    const measure = () =>
      setSize((old) => {
        const next = { width: element.clientWidth, height: element.clientHeight, ratio: devicePixelRatio };
        return next.width === old.width && next.height === old.height && next.ratio === old.ratio ? old : next;
      });
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    addEventListener("resize", measure);
    measure();
    return () => {
      observer.disconnect();
      removeEventListener("resize", measure);
    };
  }, [scroller]);
  return size;
}
