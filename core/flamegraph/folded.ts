// Folded stacks, one line per node that has a value of its own: `frame;frame;frame value`, readable by every flamegraph tool.
// Invariant: the values of all lines add up to the root's total, "(other)" included. The format has no escape, so a semicolon inside a name becomes a colon
// and a control character a space.
import type { Flamegraph } from "#schema/api/flamegraph.ts";

// The root is not written: every line starts at its first frame. Value that ends at the root itself is the line "(no frames)".
export function foldedText({ nodes, frames }: Pick<Flamegraph, "nodes" | "frames">): string {
  const names = frames.name.map((name) => name.replaceAll(";", ":").replaceAll(/\p{Cc}/gu, " ").trim());
  const lines: string[] = [];
  const path: number[] = []; // nodes from the root to the current one
  for (let node = 0; node < nodes.parent.length; node++) {
    while (path.length > 0 && path.at(-1) !== nodes.parent[node]) path.pop();
    path.push(node);
    const self = nodes.self[node] as number;
    if (self === 0) continue;
    const stack = path.slice(1).map((one) => names[nodes.frame[one] as number]).join(";");
    lines.push(`${stack === "" ? "(no frames)" : stack} ${self}\n`);
  }
  return lines.join("");
}
