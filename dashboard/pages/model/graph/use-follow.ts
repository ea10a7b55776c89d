// Where the camera goes by itself: to the place of the URL or a fitted view at first; with the module that is opened or closed, which stays where it is on the
// screen; to what is selected, moved as little as possible; to a fitted view when the view is reset.
import { useLayoutEffect, useRef } from "react";
import type { BoxLayout } from "./box-layout.ts";
import { fit, readCamera, rectOf } from "./camera.ts";
import type { CameraControl } from "./use-camera.ts";

export type Placed = { readonly layout: BoxLayout; readonly rows: ReadonlyMap<string, number> }; // rows: node by path
export type Follow = { readonly opening: (path: string | undefined) => void; readonly resetting: () => void };

export function useFollow(camera: CameraControl, { layout, rows }: Placed, selected: string | undefined, asked: string | undefined): Follow {
  const before = useRef<Placed | null>(null);
  const anchor = useRef<string | null>(null); // the row that was opened or closed
  const fitNext = useRef(false); // the view was reset: what comes of it is fitted
  const shown = useRef(selected);
  const at = selected === undefined ? undefined : rows.get(selected);

  useLayoutEffect(() => {
    const old = before.current;
    before.current = { layout, rows };
    const fitAll = () => camera.set(fit(rectOf(layout, 0), camera.size()));
    const kept = anchor.current;
    anchor.current = null;
    if (old === null) {
      if (asked !== undefined && asked !== "") return camera.set(readCamera(asked, camera.size()));
      fitAll();
      if (at !== undefined) camera.show(at);
      return;
    }
    if (fitNext.current) {
      fitNext.current = false;
      return fitAll();
    }
    const [from, to] = kept === null ? [] : [old.rows.get(kept), rows.get(kept)];
    const { x, y, zoom } = camera.current();
    camera.set(from === undefined || to === undefined ? camera.current() : { x: x + layout.x[to]! - old.layout.x[from]!, y: y + layout.y[to]! - old.layout.y[from]!, zoom });
    // The camera follows the layout alone; what is selected moves it below.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [layout, rows]);
  useLayoutEffect(() => {
    if (selected === shown.current) return;
    shown.current = selected;
    if (at !== undefined) camera.show(at);
  }, [selected, at, camera]);

  return {
    opening: (path) => {
      anchor.current = path ?? null;
      fitNext.current = false;
    },
    // What there is now at once, and what the reset makes of it as soon as it is there.
    resetting: () => {
      camera.set(fit(rectOf(layout, 0), camera.size()));
      fitNext.current = true;
    },
  };
}
