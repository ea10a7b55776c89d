// What the mouse does on the drawing: drag pans, wheel scrolls (the browser's own), Shift+wheel goes sideways, Ctrl or ⌘+wheel zooms at the pointer,
// a click that did not move is a click, a right click on a frame opens its menu. The pointer's frame is reported for the tooltip.
import { useEffect, useRef, type MouseEvent, type PointerEvent, type RefObject } from "react";
import type { ViewControl } from "./use-view.ts";
import { panView, zoomView } from "./view.ts";

const clickSlack = 4; // CSS px of movement that still count as a click
const wheelZoom = 0.0022; // zoom per CSS px of wheel, as the exponent of e

export type PointerTarget = {
  readonly scroller: RefObject<HTMLElement | null>;
  readonly view: ViewControl;
  readonly width: number; // CSS px of the drawing
  readonly whole: number; // value of the root
  readonly nodeAt: (x: number, y: number) => number | undefined; // CSS px from the drawing's corner
  readonly hover: (at: { readonly node: number; readonly x: number; readonly y: number } | null) => void; // x and y in the window
  readonly click: (node: number | undefined) => void;
  readonly menu: (node: number, x: number, y: number) => void; // x and y in the window
};

export function usePointer({ scroller, view, width, whole, nodeAt, hover, click, menu }: PointerTarget) {
  const drag = useRef<{ x: number; y: number; top: number; moved: boolean } | null>(null);

  useEffect(() => {
    const element = scroller.current;
    if (element === null) return;
    const wheel = (event: WheelEvent) => {
      if (event.ctrlKey || event.metaKey) {
        event.preventDefault();
        const at = (event.clientX - element.getBoundingClientRect().left) / width;
        view.set(zoomView(view.current(), Math.exp(-event.deltaY * wheelZoom), at, whole));
      } else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
        event.preventDefault();
        view.set(panView(view.current(), (event.deltaX || event.deltaY) / width, whole));
      }
    };
    element.addEventListener("wheel", wheel, { passive: false });
    return () => element.removeEventListener("wheel", wheel);
  }, [scroller, view, width, whole]);

  const under = (event: MouseEvent): number | undefined => {
    const box = scroller.current?.getBoundingClientRect();
    return box === undefined ? undefined : nodeAt(event.clientX - box.left, event.clientY - box.top);
  };
  const onPointerDown = (event: PointerEvent) => {
    const element = scroller.current;
    if (element === null || event.button !== 0 || event.clientX - element.getBoundingClientRect().left > width) return; // beyond: the scroll bar
    drag.current = { x: event.clientX, y: event.clientY, top: element.scrollTop, moved: false };
  };
  const onPointerMove = (event: PointerEvent) => {
    const from = drag.current;
    const element = scroller.current;
    if (from === null || element === null) {
      const node = under(event);
      hover(node === undefined ? null : { node, x: event.clientX, y: event.clientY });
      return;
    }
    if (!from.moved) {
      if (Math.hypot(event.clientX - from.x, event.clientY - from.y) < clickSlack) return;
      element.setPointerCapture(event.pointerId);
      hover(null);
      from.moved = true;
    }
    view.set(panView(view.current(), (from.x - event.clientX) / width, whole));
    from.x = event.clientX;
    element.scrollTo({ top: from.top + from.y - event.clientY });
  };
  const onPointerUp = (event: PointerEvent) => {
    const from = drag.current;
    drag.current = null;
    if (from === null || from.moved) return;
    hover(null);
    click(under(event));
  };
  const onPointerCancel = () => {
    drag.current = null;
  };
  const onContextMenu = (event: MouseEvent) => {
    const node = under(event);
    if (node === undefined) return;
    event.preventDefault();
    hover(null);
    menu(node, event.clientX, event.clientY);
  };
  return { onContextMenu, onPointerDown, onPointerMove, onPointerUp, onPointerCancel, onPointerLeave: () => hover(null) };
}
