// The fill of every drawn frame, as a number into a palette: by its kind, or by what else the reader asks for.
import type { Flamegraph } from "#schema/api/flamegraph.ts";
import { frameColours, shadeOf, shades, shadeTable, type DrawnKind } from "./frame-colours.ts";

export type NodeColours = {
  readonly of: Uint16Array; // by node, rows of the two palettes
  readonly full: readonly string[];
  readonly pale: readonly string[]; // of what a search leaves out, and of what is above the focus
};

const kinds = Object.keys(frameColours) as DrawnKind[];
const [full, pale] = [false, true].map((one) => kinds.flatMap((kind) => shadeTable(one)[kind])) as [string[], string[]];

export function coloursByKind({ nodes, frames }: Pick<Flamegraph, "nodes" | "frames">): NodeColours {
  const ofFrame = frames.kind.map((kind, frame) => kinds.indexOf(kind) * shades + shadeOf(frames.name[frame] as string));
  const of = new Uint16Array(nodes.frame.length);
  for (let node = 0; node < of.length; node++) of[node] = ofFrame[nodes.frame[node] as number] as number;
  return { of, full, pale };
}
