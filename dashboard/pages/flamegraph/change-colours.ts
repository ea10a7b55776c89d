// Fills of a difference: blue is less than before, red is more, grey is the same; never green and red. The sign stands in the label as well.
// Steps by how many times it is: within 3 %, 10 %, a third, twice, and more than twice or only on one side.
import type { ComparedFigures, ComparedGraph } from "#core/flamegraph/compare/compared-graph.ts";
import type { NodeColours } from "./node-colours.ts";

export const changeColours = ["#4f9cf0", "#84b6f2", "#aacbf3", "#c9dbee", "#dadce1", "#f0d2cb", "#f2b5a8", "#f09885", "#ea7a66"] as const;
export const unchanged = 4; // the grey one
const steps = [1.03, 1.1, 4 / 3, 2] as const;

export function changeStep({ a, b, relative }: ComparedFigures): number {
  if (a === null || b === null) return a === b ? unchanged : b === null ? 0 : 8;
  if (relative === null) return b > 0 ? 8 : unchanged;
  const times = 1 + relative;
  const far = steps.filter((step) => times > step || times < 1 / step).length;
  return times > 1 ? unchanged + far : unchanged - far;
}

export function coloursByChange({ figures }: ComparedGraph): NodeColours {
  const pale = changeColours.map((colour) => mixed(colour, "#dfe1e6"));
  return { of: Uint16Array.from(figures, changeStep), full: changeColours, pale };
}

// A third of the colour over the grey.
function mixed(colour: string, grey: string): string {
  const part = (text: string, at: number) => Number.parseInt(text.slice(at, at + 2), 16);
  return `#${[1, 3, 5].map((at) => Math.round(part(colour, at) * 0.35 + part(grey, at) * 0.65).toString(16).padStart(2, "0")).join("")}`;
}
