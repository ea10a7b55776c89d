// How much of a tree was launched by replaying a CUDA or HIP graph, as far as its frames say: the launch of a graph stands above every kernel of it.
import type { DrawnTree } from "./shown-tree.ts";

const graphLaunch = /^(cu(da)?|hip)GraphLaunch/;

export function replayedTotal({ nodes, frames }: DrawnTree): number {
  const launches = frames.name.map((name, frame) => frames.kind[frame] === "gpu_api" && graphLaunch.test(name));
  if (!launches.includes(true)) return 0;
  const inside = new Uint8Array(nodes.parent.length);
  let total = 0;
  for (let node = 1; node < nodes.parent.length; node++) {
    if (inside[nodes.parent[node] as number] === 1) inside[node] = 1;
    else if (launches[nodes.frame[node] as number]) {
      inside[node] = 1;
      total += nodes.total[node] as number;
    }
  }
  return total;
}
