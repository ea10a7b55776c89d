// Layers of a model that differ only by the index of their block are copies of one another: `Qwen3DecoderLayer layers.17` → `Qwen3DecoderLayer layers.*`,
// its `self_attn` at model.layers.17.self_attn → model.layers.*.self_attn. A block of another class (a dense one among experts) stays apart: its name differs.
import type { Frame } from "./stacks.ts";

// An index is what containers number by position: decimal digits, no leading zero, as in core/shape/frame-name.ts. The store's SQL has it from here.
export const indexPattern = "^(0|[1-9][0-9]{0,14})$";
const index = new RegExp(indexPattern);

// Name and path of the frame that stands for all copies; null for a frame that is no layer or lies in no numbered block.
export function layerPattern({ kind, name, modulePath }: Pick<Frame, "kind" | "name" | "modulePath">): { name: string; modulePath: string } | null {
  const steps = modulePath.split(".");
  const pattern = steps.map((step) => (index.test(step) ? "*" : step));
  if (kind !== "layer" || !pattern.some((step, at) => step !== steps[at])) return null;
  // A name ends in the attribute, with the containers in front of an index: `layers.17`.
  const start = Math.max(0, steps.findLastIndex((step) => !index.test(step)));
  const attribute = steps.slice(start).join(".");
  return { name: name.endsWith(attribute) ? name.slice(0, -attribute.length) + pattern.slice(start).join(".") : name, modulePath: pattern.join(".") };
}
