// What the mouse does on the graph: drag pans, wheel scrolls, Shift+wheel goes sideways, Ctrl or ⌘+wheel zooms at the pointer; a press that did not move is a
// click on what lies under it, or on the ground.
import { useEffect, useRef, type PointerEvent, type RefObject } from "react";
import type { CameraControl } from "./use-camera.ts";

const clickSlack = 4; // CSS px of movement that still count as a click
const wheelZoom = 0.0022; // zoom per CSS px of wheel, as the exponent of e

export function useGraphPointer(view: RefObject<HTMLElement | null>, camera: CameraControl, click: (element: Element) => void) {
  const drag = useRef<{ x: number; y: number; moved: boolean } | null>(null);
  useEffect(() => {
    const element = view.current;
    if (element === null) return;
    const wheel = (event: WheelEvent) => {
      event.preventDefault();
      const box = element.getBoundingClientRect();
      if (event.ctrlKey || event.metaKey) camera.zoom(Math.exp(-event.deltaY * wheelZoom), { x: event.clientX - box.left, y: event.clientY - box.top });
      else if (event.shiftKey && event.deltaX === 0) camera.pan(event.deltaY, 0);
      else camera.pan(event.deltaX, event.deltaY);
    };
    element.addEventListener("wheel", wheel, { passive: false });
    return () => element.removeEventListener("wheel", wheel);
  }, [view, camera]);
  return {
    onPointerDown: (event: PointerEvent) => {
      if (event.button === 0) drag.current = { x: event.clientX, y: event.clientY, moved: false };
    },
    onPointerMove: (event: PointerEvent) => {
      const from = drag.current;
      if (from === null) return;
      if (!from.moved) {
        if (Math.hypot(event.clientX - from.x, event.clientY - from.y) < clickSlack) return;
        view.current?.setPointerCapture(event.pointerId);
        from.moved = true;
      }
      camera.pan(from.x - event.clientX, from.y - event.clientY);
      from.x = event.clientX;
      from.y = event.clientY;
    },
    onPointerUp: (event: PointerEvent) => {
      const from = drag.current;
      drag.current = null;
      if (from !== null && !from.moved) click(event.target as Element);
    },
    onPointerCancel: () => {
      drag.current = null;
    },
  };
}
