// Fill colours by frame kind: one set for both themes, dark text on each. The kinds stay apart under protan, deutan and tritan vision (tested).
// Inside a kind the lightness varies by ±3 % with the name, so that neighbours separate; digits are left out, so layers.17 looks like layers.18.
import type { FrameKindName } from "#schema/frame-kinds.ts";

export type DrawnKind = FrameKindName | "root" | "other";

export const frameColours: Readonly<Record<DrawnKind, string>> = {
  layer: "#d7c3ff",
  python: "#7ba6c8",
  native: "#b0e4c3",
  op: "#c2ad93",
  os_kernel: "#989c9e",
  gpu_api: "#e5de44",
  gpu_kernel: "#ebb16e",
  nvtx: "#b49600",
  sass: "#d47266",
  stall: "#d47266",
  instruction: "#d47266",
  root: "#d9dbe1",
  other: "#c3c6cc",
};
export const labelColour = "#111827";
export const layerEdge = "#6b46d6"; // the second cue of a Model Layer: a 3-px top edge, and a bold label
export const matchEdge = "#3b0764"; // the second cue of a search match: a 2-px line along its foot
export const shades = 7;

// [kind][shade] → fill; `pale`: at 35 % of the saturation, for frames that a search leaves out.
export function shadeTable(pale: boolean): Readonly<Record<DrawnKind, readonly string[]>> {
  const entries = Object.entries(frameColours).map(([kind, colour]) => {
    const base = pale ? desaturate(parse(colour), 0.35) : parse(colour);
    const row = Array.from({ length: shades }, (_, shade) => print(lighten(base, kind === "root" ? 0 : ((shade / (shades - 1)) * 2 - 1) * 0.03)));
    return [kind, row];
  });
  return Object.fromEntries(entries) as Record<DrawnKind, readonly string[]>;
}

export function shadeOf(name: string): number {
  let value = 0x811c9dc5;
  for (let at = 0; at < name.length; at++) {
    const code = name.charCodeAt(at);
    if (code >= 48 && code <= 57) continue;
    value = Math.imul(value ^ code, 0x01000193);
  }
  return (value >>> 8) % shades;
}

type Rgb = readonly [number, number, number];

function parse(colour: string): Rgb {
  const value = Number.parseInt(colour.slice(1), 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
}

function print(colour: Rgb): string {
  return `#${colour
    .map((part) =>
      Math.round(Math.min(255, Math.max(0, part)))
        .toString(16)
        .padStart(2, "0"),
    )
    .join("")}`;
}

function lighten(colour: Rgb, by: number): Rgb {
  const towards = by > 0 ? 255 : 0;
  return colour.map((part) => part + (towards - part) * Math.abs(by)) as unknown as Rgb;
}

// Towards the grey of the same luminance.
function desaturate(colour: Rgb, keep: number): Rgb {
  const grey = 0.2126 * colour[0] + 0.7152 * colour[1] + 0.0722 * colour[2];
  return colour.map((part) => grey + (part - grey) * keep) as unknown as Rgb;
}
