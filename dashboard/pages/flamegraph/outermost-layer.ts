// The model in a drawing: the outermost layer frame of most value, whose callees alone are "the graph from the model on". Null where no stack has a layer.
import type { Flamegraph } from "#schema/api/flamegraph.ts";

export function outermostLayer({ nodes, frames }: Pick<Flamegraph, "nodes" | "frames">): string | null {
  const inside = new Uint8Array(nodes.parent.length); // 1: a layer or below one
  const totals = new Map<number, number>();
  for (let node = 1; node < nodes.parent.length; node++) {
    const frame = nodes.frame[node] as number;
    const below = inside[nodes.parent[node] as number] === 1;
    if (!below && frames.kind[frame] === "layer") totals.set(frame, (totals.get(frame) ?? 0) + (nodes.total[node] as number));
    inside[node] = below || frames.kind[frame] === "layer" ? 1 : 0;
  }
  const [heaviest] = [...totals].sort(([, a], [, b]) => b - a);
  return heaviest === undefined ? null : (frames.id[heaviest[0]] as string);
}
