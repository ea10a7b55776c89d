// A frame's stack as text, one frame a line, from the root of the drawing down to it; nothing of it folded or left out.
import { pathTo } from "#core/flamegraph/tree-index.ts";
import { printable } from "#core/printable.ts";
import type { DrawnGraph } from "./drawn-graph.ts";

export function stackText({ answer: { nodes, frames }, baseOf }: DrawnGraph, node: number): string {
  return pathTo(nodes.parent, baseOf(node))
    .slice(1)
    .map((at) => {
      const frame = nodes.frame[at] as number;
      const file = frames.file[frame] as string;
      const place = file === "" ? "" : ` (${file}${(frames.line[frame] as number) > 0 ? `:${frames.line[frame]}` : ""})`;
      return printable(`${frames.name[frame]}${place}`);
    })
    .join("\n");
}
