// The camera, moved without drawing anew: the world's transform is set at once, and the boxes are asked for again only where they run out.
import { useCallback, useLayoutEffect, useMemo, useRef, useState, type RefObject } from "react";
import type { BoxLayout } from "./box-layout.ts";
import { bringIntoView, fit, pan, rectOf, within, zoomAt, type Camera, type Rect, type Size } from "./camera.ts";

export const details = ["full", "name", "tint"] as const; // how much a box says
export type Detail = (typeof details)[number];
const nameBelow = 0.35;
const tintBelow = 0.15;

export type Shown = { readonly rect: Rect; readonly detail: Detail };
export type CameraControl = {
  readonly shown: Shown;
  readonly current: () => Camera;
  readonly size: () => Size;
  readonly set: (camera: Camera) => void; // by the page; the others are by hand, and told to `moved`
  readonly zoom: (factor: number, at?: { readonly x: number; readonly y: number }) => void; // at: px of the view, else its middle
  readonly pan: (dx: number, dy: number) => void;
  readonly fit: (at: number) => void; // to a box
  readonly show: (at: number) => void; // a box, moved as little as possible
};

export function useCamera(
  view: RefObject<HTMLElement | null>,
  world: RefObject<HTMLElement | null>,
  layout: BoxLayout,
  moved: (camera: Camera, size: Size) => void,
): CameraControl {
  const camera = useRef<Camera>({ x: 0, y: 0, zoom: 1 });
  const [shown, setShown] = useState<Shown>({ rect: { x: 0, y: 0, width: 0, height: 0 }, detail: "full" });
  const drawn = useRef(shown);
  const latest = useRef({ layout, moved });
  useLayoutEffect(() => {
    latest.current = { layout, moved };
  });

  const known = useRef<Size | null>(null);
  const size = useCallback((): Size => (known.current = { width: view.current?.clientWidth || 1, height: view.current?.clientHeight || 1 }), [view]);
  const set = useCallback(
    (next: Camera) => {
      const bounds = known.current ?? size(); // asking the page each time would have it laid out twice for each thing that is opened: 9 ms of 50
      camera.current = within(next, rectOf(latest.current.layout, 0), bounds);
      const { x, y, zoom } = camera.current;
      placeWorld(world.current, camera.current);
      const [width, height] = [bounds.width / zoom, bounds.height / zoom];
      const detail = zoom < tintBelow ? "tint" : zoom < nameBelow ? "name" : "full";
      const { rect, detail: before } = drawn.current;
      if (x < rect.x || y < rect.y || x + width > rect.x + rect.width || y + height > rect.y + rect.height || detail !== before || rect.width > 4 * width) {
        drawn.current = { rect: { x: x - width / 2, y: y - height / 2, width: 2 * width, height: 2 * height }, detail };
        setShown(drawn.current);
      }
    },
    [size, world],
  );
  useLayoutEffect(() => {
    const element = view.current;
    if (element === null) return;
    const observer = new ResizeObserver(() => {
      size();
      set(camera.current);
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [view, set, size]);

  return useMemo(() => {
    const byHand = (next: Camera) => {
      set(next);
      latest.current.moved(camera.current, size());
    };
    return {
      shown,
      current: () => camera.current,
      size,
      set,
      zoom: (factor, at) => byHand(zoomAt(camera.current, factor, at ?? { x: size().width / 2, y: size().height / 2 })),
      pan: (dx, dy) => byHand(pan(camera.current, dx, dy)),
      fit: (at) => byHand(fit(rectOf(latest.current.layout, at), size())),
      show: (at) => set(bringIntoView(camera.current, rectOf(latest.current.layout, at), size())),
    };
  }, [shown, size, set]);
}

function placeWorld(world: HTMLElement | null, { x, y, zoom }: Camera): void {
  if (world !== null) world.style.transform = `scale(${zoom}) translate(${-x}px, ${-y}px)`;
}
