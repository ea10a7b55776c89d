// The camera: what is under the pointer stays there, what is fitted is in view or readable, the URL brings it back.
import { expect, test } from "vitest";
import { bringIntoView, cameraText, fit, pan, readCamera, within, zoomAt, zoomRange, type Camera } from "#dashboard/pages/model/graph/camera.ts";

const view = { width: 1000, height: 600 };
const screen = (camera: Camera, x: number, y: number) => [(x - camera.x) * camera.zoom, (y - camera.y) * camera.zoom];

test("zooming keeps the point under the pointer", () => {
  const camera = { x: 30, y: -20, zoom: 0.8 };
  const zoomed = zoomAt(camera, 1.7, { x: 400, y: 250 });
  const [x, y] = [camera.x + 400 / camera.zoom, camera.y + 250 / camera.zoom];
  expect(screen(zoomed, x, y).map(Math.round)).toEqual([400, 250]);
  expect(zoomAt(camera, 1e9, { x: 0, y: 0 }).zoom).toBe(zoomRange.max);
  expect(zoomAt(camera, 1e-9, { x: 0, y: 0 }).zoom).toBe(zoomRange.min);
});

test("panning moves by pixels of the screen", () => expect(pan({ x: 0, y: 0, zoom: 2 }, 100, -50)).toEqual({ x: 50, y: -25, zoom: 2 }));

test("a small graph is shown whole and not enlarged; a long one from its beginning, still readable", () => {
  const small = fit({ x: 0, y: 0, width: 400, height: 200 }, view);
  expect([small.zoom, ...screen(small, 200, 0)]).toEqual([1, 500, 20]);
  const wide = fit({ x: 0, y: 0, width: 1600, height: 400 }, view);
  expect(wide.zoom).toBeCloseTo(0.6);
  const long = fit({ x: 0, y: 0, width: 500, height: 50_000 }, view);
  expect([long.zoom, screen(long, 0, 0)[1]]).toEqual([zoomRange.readable, 20]);
});

test("some of the graph always stays in view", () => {
  const world = { x: 0, y: 0, width: 500, height: 500 };
  for (const lost of [{ x: 9e9, y: 0, zoom: 1 }, { x: -9e9, y: 9e9, zoom: 0.5 }]) {
    const { x, y, zoom } = within(lost, world, view);
    expect(x < 500 && x + view.width / zoom > 0 && y < 500 && y + view.height / zoom > 0).toBe(true);
  }
});

test("a box is brought into view by as little as it takes", () => {
  const camera = { x: 0, y: 0, zoom: 1 };
  expect(bringIntoView(camera, { x: 100, y: 100, width: 200, height: 60 }, view)).toEqual(camera);
  expect(bringIntoView(camera, { x: 100, y: 700, width: 200, height: 60 }, view)).toEqual({ x: 0, y: 180, zoom: 1 });
  expect(bringIntoView(camera, { x: -300, y: 100, width: 200, height: 60 }, view)).toEqual({ x: -320, y: 0, zoom: 1 });
});

test("the text of the URL is of the middle of the view, so that it means the same in another window", () => {
  const text = cameraText({ x: 100, y: 50, zoom: 0.5 }, view);
  expect(text).toBe("1100,650,50");
  expect(readCamera(text, { width: 500, height: 300 })).toEqual({ x: 600, y: 350, zoom: 0.5 });
});
