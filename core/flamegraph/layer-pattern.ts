// Layers of a model that differ only by the index of their block are copies of one another: `Qwen3DecoderLayer layers.17` → `Qwen3DecoderLayer layers.*`,
// its `self_attn` at model.layers.17.self_attn → model.layers.*.self_attn. A block of another class (a dense one among experts) stays apart: its name differs.
// A step `Class[n]` of an inferred path is an index when a sibling of the class, with modules of its own, has one above 0: of an only child, or of three Linear
// beside one another, the number says nothing. So what is a copy is known from all layers together.
import { attributeName, isIndex } from "../module-path.ts";
import type { Frame } from "./stacks.ts";

type Layer = Pick<Frame, "kind" | "name" | "modulePath" | "modelKey">;

// Of one of the layers: the frame that stands for all copies; null for a frame that is no layer or lies in no block.
export function layerPatterns(layers: readonly Layer[]): (layer: Layer) => { name: string; modulePath: string } | null {
  const blocks = new Set(layers.filter(({ kind }) => kind === "layer").flatMap(({ modelKey, modulePath }) => stems(modulePath).slice(0, -1).flatMap((stem) => (stem !== null && stem.index !== "0" ? [`${modelKey} ${stem.text}`] : []))));
  return ({ kind, name, modulePath, modelKey }) => {
    const steps = modulePath.split(".");
    const starred = stems(modulePath).map((stem, at) => (isIndex(steps[at]!) ? "*" : stem !== null && blocks.has(`${modelKey} ${stem.text}`) ? steps[at]!.replace(/\[[0-9]+\]$/, "[*]") : steps[at]!));
    const pattern = starred.join(".");
    if (kind !== "layer" || pattern === modulePath) return null;
    const attribute = attributeName(modulePath); // which the name ends in
    const attributePattern = starred.slice(-attribute.split(".").length).join(".");
    return { name: name.endsWith(attribute) ? name.slice(0, -attribute.length) + attributePattern : name, modulePath: pattern };
  };
}

// Of each step `Class[n]` the path up to its bracket and the number; null for other steps.
function stems(path: string): ({ readonly text: string; readonly index: string } | null)[] {
  const steps = path.split(".");
  return steps.map((_step, at) => {
    const [, text, index] = /^(.*)\[([0-9]+)\]$/s.exec(steps.slice(0, at + 1).join(".")) ?? [];
    return text === undefined || index === undefined ? null : { text, index };
  });
}
