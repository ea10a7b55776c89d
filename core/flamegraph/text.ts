// A flamegraph as indented text, for `lamella flamegraph --text`.
// Invariant: nothing is left out in silence. Small children become one line that says how many frames and how much value it stands for; a search
// prints only the paths to a match, ending at the matched frame, and says so; equal siblings (24 layers) stay 24 lines.
import type { Flamegraph } from "#schema/api/flamegraph.ts";
import { printable } from "#core/printable.ts";
import { countText, plural, quantityText, shareText } from "../quantity.ts";
import { type Search, type SearchHits, searchTree } from "./search.ts";
import { headLines, searchLine } from "./text-head.ts";
import { type TreeIndex, childrenOf, indexTree } from "./tree-index.ts";

export type TextOptions = {
  readonly search?: Search;
  // Children below this share of the root (0…1) are shown together; 0 shows every node. A search shows every path to a match, however small.
  readonly underShare?: number;
};

export function flamegraphText(graph: Flamegraph, { search, underShare = 0 }: TextOptions = {}): string {
  const index = indexTree(graph.nodes);
  const hits = search && search.terms.length > 0 ? searchTree(graph, index, search) : undefined;
  const lines = headLines(graph);
  if (hits && search) lines.push(searchLine(graph, hits, search));
  if (graph.total > 0 && hits?.nodes !== 0) lines.push("", ...treeLines(graph, index, hits, underShare));
  return `${lines.join("\n")}\n`;
}

function treeLines(graph: Flamegraph, index: TreeIndex, hits: SearchHits | undefined, underShare: number): string[] {
  const { nodes, frames } = graph;
  const rows: { value: number; count: number; kind: string; text: string }[] = [];
  const row = (depth: number, value: number, count: number, kind: string, name: string) => rows.push({ value, count, kind, text: "  ".repeat(depth) + name });
  const total = (node: number) => nodes.total[node] as number;
  const kindOf = (node: number) => frames.kind[nodes.frame[node] as number] as string;
  const small = (node: number) => !hits && total(node) < underShare * graph.total;

  const open: (() => void)[] = [() => print(0, 0)];
  const print = (node: number, depth: number) => {
    const kind = kindOf(node);
    const copies = nodes.copies[node] as number;
    const name = kind === "root" ? "all" : printable(frames.name[nodes.frame[node] as number] as string) + (copies > 1 ? ` ×${copies}` : "");
    row(depth, total(node), nodes.count[node] as number, kind === "root" || kind === "other" ? "" : kind, name);
    if (hits?.matched[node]) return;
    const children = childrenOf(index, node).filter((child) => !hits || hits.leads[child]);
    const rest = children.filter(small);
    if (rest.length > 0) open.push(() => printRest(rest, depth + 1));
    for (const child of children.filter((one) => !small(one)).reverse()) open.push(() => print(child, depth + 1));
  };
  const printRest = (rest: readonly number[], depth: number) => {
    const sum = (column: readonly number[]) => rest.reduce((all, node) => all + (column[node] as number), 0);
    const below = rest.flatMap((node) => Array.from({ length: (index.end[node] as number) - node }, (_, at) => node + at));
    const count = below.filter((node) => kindOf(node) !== "other").length;
    const what = `${plural(count, "frame", "frames")}${count < below.length ? " and (other)" : ""}`;
    row(depth, sum(nodes.total), sum(nodes.count), "", `(… ${what} under ${shareTextOf(underShare)})`);
  };
  for (let next = open.pop(); next; next = open.pop()) next();

  const cells = rows.map(({ value, count, kind }) => [quantityText(value, graph.unit), shareText(value / graph.total), countText(count), kind] as const);
  const heads = [graph.unit === "count" ? "count" : "time", "share", "calls", "kind"] as const;
  const width = (column: number) => Math.max(heads[column]!.length, ...cells.map((cell) => cell[column]!.length));
  const [valueWidth, shareWidth, countWidth, kindWidth] = [width(0), width(1), width(2), width(3)] as [number, number, number, number];
  const line = ([value, share, count, kind]: readonly [string, string, string, string], text: string) =>
    `${value.padStart(valueWidth)}  ${share.padStart(shareWidth)}  ${count.padStart(countWidth)}  ${kind.padEnd(kindWidth)}  ${text}`;
  return [line(heads, "frame"), ...rows.map(({ text }, at) => line(cells[at]!, text))];
}

function shareTextOf(share: number): string {
  return `${Number((share * 100).toPrecision(3))} %`;
}
