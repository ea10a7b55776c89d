// Layers of a model that differ only by the index of their block are copies of one another: `Qwen3DecoderLayer layers.17` → `Qwen3DecoderLayer layers.*`,
// its `self_attn` at model.layers.17.self_attn → model.layers.*.self_attn. A block of another class (a dense one among experts) stays apart: its name differs.
import { attributeName, pathPattern } from "../module-path.ts";
import type { Frame } from "./stacks.ts";

// Name and path of the frame that stands for all copies; null for a frame that is no layer or lies in no numbered block.
export function layerPattern({ kind, name, modulePath }: Pick<Frame, "kind" | "name" | "modulePath">): { name: string; modulePath: string } | null {
  const pattern = pathPattern(modulePath);
  if (kind !== "layer" || pattern === modulePath) return null;
  const attribute = attributeName(modulePath); // which the name ends in
  return { name: name.endsWith(attribute) ? name.slice(0, -attribute.length) + pathPattern(attribute) : name, modulePath: pattern };
}
