// The view as a mutable value beside React: it changes with every wheel event, and only the canvas needs to know.
import { useCallback, useEffect, useMemo, useRef } from "react";
import { betweenViews, sameView, wholeView, type View } from "./view.ts";

const glideMs = 150;

export type ViewControl = {
  readonly current: () => View;
  readonly set: (view: View) => void;
  readonly glide: (view: View) => void;
};

export function useView(redraw: () => void): ViewControl {
  const view = useRef<View>(wholeView(1));
  const frame = useRef(0);
  const set = useCallback(
    (next: View) => {
      cancelAnimationFrame(frame.current);
      if (sameView(view.current, next)) return;
      view.current = next;
      redraw();
    },
    [redraw],
  );
  const glide = useCallback(
    (next: View) => {
      cancelAnimationFrame(frame.current);
      if (sameView(view.current, next)) return;
      if (matchMedia("(prefers-reduced-motion: reduce)").matches) return set(next);
      const from = view.current;
      const start = performance.now();
      const step = (now: number) => {
        const progress = Math.min(1, Math.max(0, (now - start) / glideMs));
        view.current = progress === 1 ? next : betweenViews(from, next, progress);
        redraw();
        if (progress < 1) frame.current = requestAnimationFrame(step);
      };
      frame.current = requestAnimationFrame(step);
    },
    [redraw, set],
  );
  useEffect(() => () => cancelAnimationFrame(frame.current), []);
  return useMemo(() => ({ current: () => view.current, set, glide }), [set, glide]);
}
