// The camera of the module graph: which world point is in the corner of the view, and how large the world is drawn. Screen = (world − corner) × zoom.
import type { BoxLayout } from "./box-layout.ts";

export type Camera = { readonly x: number; readonly y: number; readonly zoom: number }; // x, y: world px in the corner of the view
export type Rect = { readonly x: number; readonly y: number; readonly width: number; readonly height: number };
export type Size = { readonly width: number; readonly height: number };

export const zoomRange = { min: 0.08, max: 2.5, readable: 0.45 } as const; // readable: the least that fit chooses; what does not fit then scrolls
const margin = 20; // screen px around what is fitted

export function fit(rect: Rect, view: Size): Camera {
  const whole = Math.min((view.width - 2 * margin) / rect.width, (view.height - 2 * margin) / rect.height, 1);
  const zoom = Math.max(zoomRange.readable, whole);
  // Centred where it fits; else its beginning is shown.
  const along = (start: number, length: number, shown: number) => (length * zoom + 2 * margin <= shown ? start - (shown / zoom - length) / 2 : start - margin / zoom);
  return { x: along(rect.x, rect.width, view.width), y: rect.height * zoom + 2 * margin <= view.height ? rect.y - margin / zoom : along(rect.y, rect.height, view.height), zoom };
}

export function zoomAt(camera: Camera, factor: number, at: { readonly x: number; readonly y: number }): Camera {
  const zoom = Math.min(zoomRange.max, Math.max(zoomRange.min, camera.zoom * factor));
  return { x: camera.x + at.x / camera.zoom - at.x / zoom, y: camera.y + at.y / camera.zoom - at.y / zoom, zoom };
}

export function pan(camera: Camera, dx: number, dy: number): Camera {
  return { ...camera, x: camera.x + dx / camera.zoom, y: camera.y + dy / camera.zoom };
}

// Some of the world always stays in view: a person who lets go of it outside never finds back.
export function within(camera: Camera, world: Rect, view: Size): Camera {
  const kept = 60 / camera.zoom;
  const clamp = (value: number, low: number, high: number) => Math.min(high, Math.max(low, value));
  return {
    ...camera,
    x: clamp(camera.x, world.x - view.width / camera.zoom + kept, world.x + world.width - kept),
    y: clamp(camera.y, world.y - view.height / camera.zoom + kept, world.y + world.height - kept),
  };
}

// The same zoom with `rect` in view, moved as little as possible.
export function bringIntoView(camera: Camera, rect: Rect, view: Size): Camera {
  const along = (corner: number, start: number, length: number, shown: number) => {
    const [low, high] = [start - margin / camera.zoom, start + length + margin / camera.zoom - shown / camera.zoom];
    if (low < high) return corner > start && corner < start + length ? corner : low; // larger than the view
    return Math.min(low, Math.max(high, corner));
  };
  return { ...camera, x: along(camera.x, rect.x, rect.width, view.width), y: along(camera.y, rect.y, rect.height, view.height) };
}

export function rectOf({ x, y, width, height }: BoxLayout, at: number): Rect {
  return { x: x[at]!, y: y[at]!, width: width[at]!, height: height[at]! };
}

// The boxes that meet the rectangle, in pre-order; the slices below those that do not are never looked at.
export function boxesIn(layout: BoxLayout, rect: Rect): number[] {
  const found: number[] = [];
  const { x, y, width, height, end } = layout;
  for (let at = 0; at < x.length; ) {
    const meets = x[at]! < rect.x + rect.width && x[at]! + width[at]! > rect.x && y[at]! < rect.y + rect.height && y[at]! + height[at]! > rect.y;
    if (meets) found.push(at++);
    else at = end[at]!;
  }
  return found;
}

// In the URL: world px of the middle of the view, and the zoom in percent: "512,300,80".
export function cameraText(camera: Camera, view: Size): string {
  return [camera.x + view.width / 2 / camera.zoom, camera.y + view.height / 2 / camera.zoom, camera.zoom * 100].map(Math.round).join(",");
}

export function readCamera(text: string, view: Size): Camera {
  const [x = 0, y = 0, percent = 100] = text.split(",").map(Number);
  const zoom = Math.min(zoomRange.max, Math.max(zoomRange.min, percent / 100));
  return { x: x - view.width / 2 / zoom, y: y - view.height / 2 / zoom, zoom };
}
