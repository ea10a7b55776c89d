// A flamegraph answer drawn as text, one line a frame, indented by depth:
//
//   layer:Qwen2Model model 70
//     python:forward 60
//     (self 10 is what is left)
//
// A line is `kind:name total`; the root is made from the sum. Siblings must be written heaviest first, as the API sends them.
import { indexTree, type TreeIndex } from "#core/flamegraph/tree-index.ts";
import type { Flamegraph } from "#schema/api/flamegraph.ts";

export function answerOf(text: string): Flamegraph {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const base = Math.min(...lines.map((line) => line.search(/\S/)));
  const nodes: Flamegraph["nodes"] = { parent: [-1], frame: [0], total: [0], self: [0], count: [1], copies: [1] };
  const frames: Flamegraph["frames"] = {
    id: ["", ""],
    kind: ["root", "other"],
    name: ["", "(other)"],
    file: ["", ""],
    line: [0, 0],
    mapping: ["", ""],
    modulePath: ["", ""],
    moduleClass: ["", ""],
    modelKey: ["", ""],
  };
  const rows = new Map<string, number>();
  const above: number[] = [0];
  for (const line of lines) {
    const depth = (line.search(/\S/) - base) / 2 + 1;
    const [, kind, name, total] = /^\s*(\w+):(.*) (\d+)$/.exec(line) as unknown as [string, Flamegraph["frames"]["kind"][number], string, string];
    const key = `${kind}:${name}`;
    if (kind === "other") rows.set(key, 1);
    if (!rows.has(key)) {
      rows.set(key, frames.kind.length);
      frames.id.push((frames.id.length + 14).toString(16));
      frames.kind.push(kind);
      frames.name.push(name);
      for (const column of [frames.file, frames.mapping, frames.modulePath, frames.moduleClass, frames.modelKey]) column.push("");
      frames.line.push(0);
    }
    const node = nodes.parent.length;
    const parent = above[depth - 1] as number;
    above[depth] = node;
    nodes.parent.push(parent);
    nodes.frame.push(rows.get(key) as number);
    nodes.total.push(Number(total));
    nodes.self.push(Number(total));
    nodes.count.push(1);
    nodes.copies.push(1);
    if (parent === 0) (nodes.total[0] as number) += Number(total);
    else (nodes.self[parent] as number) -= Number(total);
  }
  const whole = nodes.total[0] as number;
  return {
    range: { from: "2026-11-29T00:00:00Z", to: "2026-11-29T01:00:00Z" },
    ingestedThrough: null,
    profileType: "cuda",
    unit: "ns",
    execution: null,
    executionReason: null,
    samples: lines.length,
    total: whole,
    whole,
    withoutLayer: 0,
    truncated: { nodes: 0, total: 0 },
    simulated: false,
    nodes,
    frames,
  };
}

export function nodeNamed(answer: Flamegraph, name: string): number {
  return answer.nodes.frame.findIndex((frame) => answer.frames.name[frame] === name);
}

export function nameOf(answer: Flamegraph, node: number): string {
  return answer.frames.name[answer.nodes.frame[node] as number] as string;
}

// A random tree in the answer's order: each node gives parts of its total to children, heaviest first.
export function grow(shares: readonly number[], whole: number): { readonly parent: number[]; readonly total: number[]; readonly index: TreeIndex } {
  const parent: number[] = [];
  const total: number[] = [];
  let next = 0;
  const draw = () => shares[next++ % shares.length] as number;
  const plant = (above: number, value: number, depth: number): void => {
    const node = parent.length;
    parent.push(above);
    total.push(value);
    if (depth > 12 || parent.length > 300) return;
    const children: number[] = [];
    for (let left = Math.floor(value * draw()); left > 0 && children.length < 6;) {
      const part = Math.max(1, Math.floor(left * draw()));
      children.push(part);
      left -= part;
    }
    for (const child of children.sort((a, b) => b - a)) plant(node, child, depth + 1);
  };
  plant(-1, whole, 0);
  return { parent, total, index: indexTree({ parent, total }) };
}
