// What the canvas takes from the page: theme colours as plain values, and fonts with measured characters.
import { charWidths } from "./char-widths.ts";
import type { Fonts, Ink } from "./paint.ts";

export function readInk(element: Element): Ink {
  const style = getComputedStyle(element);
  const colour = (name: string) => style.getPropertyValue(name).trim();
  return { page: colour("--canvas-page"), text: colour("--canvas-text"), match: colour("--canvas-match"), merged: colour("--canvas-merged") };
}

const size = 11.5;

export function makeFonts(context: CanvasRenderingContext2D, ratio: number): Fonts {
  const font = (weight: number, scale: number) => `${weight} ${size * scale}px Inter, system-ui, sans-serif`;
  const measure = (weight: number) =>
    charWidths((character) => {
      context.font = font(weight, 1);
      return context.measureText(character).width;
    });
  return { plain: font(450, ratio), bold: font(650, ratio), measurePlain: measure(450), measureBold: measure(650) };
}

// Resolves when the fonts of the labels are there: labels measured before would be cut wrongly.
export async function loadCanvasFonts(): Promise<void> {
  await Promise.all([450, 650].map((weight) => document.fonts.load(`${weight} ${size}px Inter`)));
}
