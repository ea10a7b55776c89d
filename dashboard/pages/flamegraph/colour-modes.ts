// What else a fill can say than the kind of a frame: the role of the module it runs in, the index of its block, or how much ends in it.
// One set for both themes, dark text on each; roles stay apart under protan, deutan and tritan vision (tested), the other two are scales of lightness.
import { isIndex } from "#core/module-path.ts";
import { moduleRoles, roleOfClass, type ModuleRole } from "#core/shape/role.ts";
import type { DrawnGraph } from "./drawn-graph.ts";
import type { NodeColours } from "./node-colours.ts";

export type ColourMode = "role" | "layer" | "self";

export const roleFills: Readonly<Record<ModuleRole, string>> = {
  Embedding: "#6b94b8",
  Attention: "#dda06b",
  Norm: "#fae35a",
  "Linear / MLP": "#abf5bd",
  Activation: "#bac1fc",
  Other: "#b0b2b4",
};
export const outsideFill = "#eceef2"; // in no module, in no block
export const layerScale = scale("#dce9fb", "#5c95e6");
export const selfScale = scale("#f5efe4", "#e8874a");

const steps = 32;

export function coloursByMode(graph: DrawnGraph, mode: ColourMode): NodeColours {
  const { nodes, frames } = graph;
  const size = nodes.parent.length;
  const of = new Uint16Array(size);
  if (mode === "self") {
    // By the root of the share: what ends in most frames is little of the most.
    const most = nodes.self.reduce((a, b) => Math.max(a, b), 0);
    for (let node = 0; node < size; node++) of[node] = most > 0 ? Math.round(Math.sqrt((nodes.self[node] as number) / most) * (steps - 1)) : 0;
    return withPale(of, selfScale);
  }
  // 0 = outside; a layer hands its own on to what it calls. Where the leaf comes first only the layers themselves are known.
  const palette = mode === "role" ? [outsideFill, ...moduleRoles.map((role) => roleFills[role])] : [outsideFill, ...layerScale];
  const last = mode === "layer" ? Math.max(1, ...frames.modulePath.map((path, frame) => (frames.kind[frame] === "layer" ? blockOf(path) : 0))) : 1;
  const ofFrame = frames.kind.map((kind, frame) => {
    if (kind !== "layer") return -1;
    if (mode === "role") return 1 + moduleRoles.indexOf(roleOfClass(frames.moduleClass[frame] as string));
    const block = blockOf(frames.modulePath[frame] as string);
    return block < 0 ? 0 : 1 + Math.round((block / last) * (steps - 1));
  });
  for (let node = 0; node < size; node++) {
    const own = ofFrame[nodes.frame[node] as number] as number;
    const above = nodes.parent[node] as number;
    of[node] = own >= 0 ? own : graph.rootFirst && above >= 0 ? (of[above] as number) : 0;
  }
  return withPale(of, palette);
}

// The first index in a path: layers.17.self_attn → 17, Net[0].Block[3] → 3; -1 without one.
function blockOf(path: string): number {
  const steps = path.split(".");
  const index = steps.find(isIndex) ?? steps.map((step) => /\[(\d+)\]$/.exec(step)?.[1]).findLast((one) => one !== undefined && one !== "0");
  return index === undefined ? -1 : Number(index);
}

function withPale(of: Uint16Array, full: readonly string[]): NodeColours {
  return { of, full, pale: full.map((colour) => mixed(colour, "#e4e6ea", 0.65)) };
}

function scale(from: string, to: string): readonly string[] {
  return Array.from({ length: 32 }, (_, step) => mixed(from, to, step / 31));
}

export function mixed(a: string, b: string, share: number): string {
  const part = (text: string, at: number) => Number.parseInt(text.slice(at, at + 2), 16);
  return `#${[1, 3, 5].map((at) => Math.round(part(a, at) * (1 - share) + part(b, at) * share).toString(16).padStart(2, "0")).join("")}`;
}
