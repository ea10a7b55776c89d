// Everything a tooltip, the details bar and a spoken label say about one frame, computed in one place so that they never disagree.
import { nameTotals, type NameTotals } from "#core/flamegraph/name-totals.ts";
import { pathTo } from "#core/flamegraph/tree-index.ts";
import { printable } from "#core/printable.ts";
import type { Flamegraph } from "#schema/api/flamegraph.ts";
import { frameKinds, profileTypes } from "#schema/frame-kinds.ts";
import { formatExact, formatShare, formatValue, type Formatted } from "../../parts/number-format.ts";
import type { DrawnGraph } from "./drawn-graph.ts";
import { shortName, timesText } from "./label.ts";

// What a share of the root is a share of: with one frame's stacks alone, that is not everything.
export function shownWords({ total, whole }: Pick<Flamegraph, "total" | "whole">): string {
  return total < whole ? "what is shown" : "everything";
}

export type FrameFacts = {
  readonly name: string;
  readonly shortName: string; // with ×N where it is N copies of a layer, (N) where it is a chain of N frames
  readonly kind: string;
  readonly kindLabel: string;
  readonly place: string; // file:line or mapping, "" when unknown
  readonly total: Formatted;
  readonly self: Formatted;
  readonly ofRoot: string;
  readonly ofParent: string;
  readonly count: string;
  readonly inModule: boolean; // the frame is a layer or has one above it
  readonly modulePath: string; // of that layer, the nearest; "" for the model itself
  readonly moduleClass: string;
  readonly modelKey: string;
};

export function frameFacts(graph: DrawnGraph, node: number): FrameFacts {
  const { nodes, frames, unit } = graph;
  const frame = nodes.frame[node] as number;
  const kind = frames.kind[frame] as string;
  const total = nodes.total[node] as number;
  const parent = nodes.parent[node] as number;
  // Where the leaf comes first, what is above a frame is no module around it.
  const layer = (graph.rootFirst ? pathTo(nodes.parent, node) : [node]).findLast((at) => frames.kind[nodes.frame[at] as number] === "layer");
  const layerFrame = layer === undefined ? undefined : (nodes.frame[layer] as number);
  const file = printable(frames.file[frame] as string);
  const line = frames.line[frame] as number;
  const share = (whole: number) => (whole > 0 ? total / whole : 0);
  return {
    name:
      kind === "root"
        ? shortName({ kind: "root", name: frames.name[frame] as string })
        : kind === "other"
          ? "(other)"
          : printable(frames.name[frame] as string),
    shortName: `${graph.prefixOf(node)}${shortName({ kind: kind as "root", name: frames.name[frame] as string })}${timesText(nodes.copies[node])}`,
    kind,
    kindLabel:
      kind === "root" ? "Everything" : kind === "other" ? "Cut: frames too small for this answer" : frameKinds[kind as keyof typeof frameKinds].label,
    place: file === "" ? printable(frames.mapping[frame] as string) : line > 0 ? `${file}:${line}` : file,
    total: formatValue(total, unit),
    self: formatValue(nodes.self[node] as number, unit),
    ofRoot: formatShare(share(nodes.total[0] as number)),
    ofParent: formatShare(parent < 0 ? 1 : share(nodes.total[parent] as number)),
    count: formatExact(nodes.count[node] as number),
    inModule: layerFrame !== undefined,
    modulePath: layerFrame === undefined ? "" : (frames.modulePath[layerFrame] as string),
    moduleClass: layerFrame === undefined ? "" : (frames.moduleClass[layerFrame] as string),
    modelKey: layerFrame === undefined ? "" : (frames.modelKey[layerFrame] as string),
  };
}

// Counted in the answer, once for each, the first time something is pointed at.
const counted = new WeakMap<Flamegraph, NameTotals>();

// Of all frames of the name; null: there is one, or it is none.
export function everywhere({ answer, nodes: drawn, unit, total }: DrawnGraph, node: number): { readonly nodes: number; readonly total: Formatted; readonly ofRoot: string } | null {
  const frame = drawn.frame[node] as number;
  if (frame < 2) return null;
  const totals = counted.get(answer) ?? nameTotals(answer);
  counted.set(answer, totals);
  const name = totals.nameOf[frame] as number;
  const nodes = totals.nodes[name] as number;
  const sum = totals.total[name] as number;
  return nodes < 2 ? null : { nodes, total: formatValue(sum, unit), ofRoot: formatShare(total > 0 ? sum / total : 0) };
}

// "Qwen3Attention self_attn, 12.4 % of GPU time, 1.2 s, Model Layer"
export function spokenFrame(graph: DrawnGraph, node: number): string {
  const facts = frameFacts(graph, node);
  if (graph.figuresOf !== null) return [facts.shortName, ...graph.figuresOf(node).map(({ label, text }) => `${label} ${text}`), facts.kindLabel].join(", ");
  return `${facts.shortName}, ${facts.ofRoot} of ${profileTypes[graph.profileType].label}, ${facts.total.text}, ${facts.kindLabel}`;
}
