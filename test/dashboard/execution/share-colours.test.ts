// The colours of the profiler, read from the tokens: shares fall in lightness from green to red for every eye, and less and more stay apart.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { root } from "#local/worker.ts";
import { shareStep, shareSteps } from "#dashboard/pages/execution/share-step.ts";
import { contrast, deltaE2000, seenBy, visions } from "../colour-vision.ts";

const css = readFileSync(join(root, "dashboard/app/tokens.css"), "utf8");
const pages = { light: "#ffffff", dark: "#0e1116" } as const;

// "--name: light-dark(oklch(L C H), oklch(L C H))" → hex of the theme.
function token(name: string, theme: keyof typeof pages): string {
  const found = new RegExp(`--${name}: light-dark\\(oklch\\(([\\d.]+) ([\\d.]+) ([\\d.]+)\\), oklch\\(([\\d.]+) ([\\d.]+) ([\\d.]+)\\)\\)`).exec(css)!.slice(1).map(Number);
  return hexOf(...((theme === "light" ? found.slice(0, 3) : found.slice(3)) as [number, number, number]));
}

// As CSS Color 4 has it; what lies outside sRGB is clipped.
function hexOf(lightness: number, chroma: number, hue: number): string {
  const [a, b] = [chroma * Math.cos((hue * Math.PI) / 180), chroma * Math.sin((hue * Math.PI) / 180)];
  const [l, m, s] = [lightness + 0.3963377774 * a + 0.2158037573 * b, lightness - 0.1055613458 * a - 0.0638541728 * b, lightness - 0.0894841775 * a - 1.291485548 * b].map((part) => part ** 3) as [number, number, number];
  const linear = [4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s, -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s, -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s];
  return `#${linear.map((part) => Math.round(255 * Math.min(1, Math.max(0, part <= 0.0031308 ? 12.92 * part : 1.055 * part ** (1 / 2.4) - 0.055))).toString(16).padStart(2, "0")).join("")}`;
}

describe.each(Object.keys(pages) as (keyof typeof pages)[])("the %s theme", (theme) => {
  const shares = Array.from({ length: shareSteps }, (_, i) => token(`share-${i + 1}`, theme));

  test.each(visions)("shares fall in lightness, step by step, for %s vision", (vision) => {
    const lightness = shares.map((colour) => seenBy(vision, colour)[0]);
    expect(lightness.slice(1).every((one, i) => one < lightness[i]! - 2)).toBe(true);
    expect(deltaE2000(seenBy(vision, shares[0]!), seenBy(vision, shares.at(-1)!))).toBeGreaterThan(25);
  });

  test.each(visions)("less and more differ for %s vision, and read as text", (vision) => {
    const [less, more] = [token("less", theme), token("more", theme)];
    expect(deltaE2000(seenBy(vision, less), seenBy(vision, more))).toBeGreaterThanOrEqual(10);
    for (const colour of [less, more]) expect(contrast(colour, pages[theme])).toBeGreaterThanOrEqual(4.5);
  });

  test("the map of layers goes from near the page to far from it", () => {
    expect(contrast(token("heat-low", theme), pages[theme])).toBeLessThan(1.5);
    expect(contrast(token("heat-high", theme), pages[theme])).toBeGreaterThan(5);
  });
});

test("a share has the colour of its sixth", () => {
  expect([0, 0.01, 1 / 6, 0.17, 0.5, 0.84, 1, 1.2].map(shareStep)).toEqual([1, 1, 1, 2, 3, 6, 6, 6]);
});
