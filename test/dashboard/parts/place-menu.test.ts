// A menu is whole inside the window: below its anchor, else above it, and never past an edge.
import { expect, test } from "vitest";
import { placeMenu } from "#dashboard/parts/place-menu.ts";

const window = { width: 1000, height: 600 };
const point = (left: number, top: number) => ({ left, top, bottom: top });

test.each([
  ["at the pointer", point(100, 100), { width: 200, height: 300 }, { left: 100, top: 100 }],
  ["moved left at the right edge", point(990, 100), { width: 200, height: 300 }, { left: 792, top: 100 }],
  ["above where there is no room below", point(100, 500), { width: 200, height: 300 }, { left: 100, top: 200 }],
  ["above the button, not over it", { left: 100, top: 500, bottom: 530 }, { width: 200, height: 300 }, { left: 100, top: 200 }],
  ["as far up as needed where it fits neither below nor above", point(100, 300), { width: 200, height: 400 }, { left: 100, top: 192 }],
  ["from the top where it is higher than the window", point(100, 300), { width: 200, height: 900 }, { left: 100, top: 8 }],
  ["from the left where it is wider than the window", point(500, 300), { width: 2000, height: 100 }, { left: 8, top: 300 }],
])("%s", (_, anchor, menu, place) => {
  expect(placeMenu(anchor, menu, window)).toEqual(place);
});
