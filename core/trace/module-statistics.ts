// The folded module tree of a record with its times: what every copy of a folded node took together, and which copies are not like the others.
import type { ExecutionRecord } from "#schema/api/execution-record.ts";
import { median, outliers } from "./call-statistics.ts";
import { foldModules, type FoldedModule } from "./fold-modules.ts";

export type ModuleStatistics = FoldedModule & {
  label: string; // "Qwen3DecoderLayer layers.0…27", "Qwen2DecoderLayer[0…23]"
  calls: number; // of all copies, as below
  kernels: number;
  value: number; // in the profile type's unit
  cpuTotal: number; // ns on the host
  min: number; // ns of one call, GPU time where the profile has it, else on the host; of all calls of all copies
  median: number; // of the copies' medians
  max: number;
  unlike: { row: number; label: string; ratio: number }[]; // outliers among the copies: "layers.17" or "[17]", time by the median of all; the furthest first
};

// `nodes`: all of the record, or those of a branch.
export function moduleStatistics(record: ExecutionRecord, nodes: readonly FoldedModule[] = foldModules(record)): ModuleStatistics[] {
  const { modules, texts, profileType } = record;
  const each = profileType === "cuda" ? modules.gpu : modules.cpu;
  const sum = (rows: readonly number[], column: readonly number[]): number => rows.reduce((total, row) => total + column[row]!, 0);
  return nodes.map((node) => {
    const { rows } = node;
    const timed = rows.filter((row) => each.slowest[row]! > 0);
    const label = (row: number): string => texts[modules.name[row]!]!;
    return {
      ...node, label: rangeLabel(ownRows(node).map(label)),
      calls: sum(rows, modules.calls), kernels: sum(rows, modules.kernels), value: sum(rows, modules.value), cpuTotal: sum(rows, modules.cpu.total),
      min: timed.reduce((least, row) => Math.min(least, each.min[row]!), timed.length === 0 ? 0 : Number.POSITIVE_INFINITY),
      median: median(timed.map((row) => each.median[row]!).sort((a, b) => a - b)), max: timed.reduce((most, row) => Math.max(most, each.max[row]!), 0), unlike: unlikeCopies(record, rows),
    };
  });
}

// One row per copy of the node itself: in each of its copies it stands below the same copy of what holds it.
export function ownRows({ rows, ownCopies }: FoldedModule): number[] {
  return rows.filter((_, i) => i % (rows.length / ownCopies) === 0);
}

function unlikeCopies({ modules, texts }: ExecutionRecord, rows: readonly number[]): ModuleStatistics["unlike"] {
  const values = rows.map((row) => modules.value[row]!);
  const middle = median([...values].sort((a, b) => a - b));
  if (middle === 0) return [];
  const label = copyLabel(rows.map((row) => texts[modules.path[row]!]!));
  const found = outliers(values).map((i) => ({ row: rows[i]!, label: label(i), ratio: values[i]! / middle }));
  return found.sort((a, b) => distance(b.ratio) - distance(a.ratio));
}

// Half as long is as far from the others as twice as long.
function distance(ratio: number): number {
  return ratio === 0 ? Number.POSITIVE_INFINITY : Math.abs(Math.log(ratio));
}

// "layers.0.mlp", "layers.27.mlp" → "layers.0…27.mlp": numbers in which the texts differ become ranges.
export function rangeLabel(texts: readonly string[]): string {
  const split = texts.map((text) => text.split(/(\d+)/)); // every other part is a number
  const first = split[0]!;
  if (split.some((parts) => parts.length !== first.length || parts.some((part, i) => i % 2 === 0 && part !== first[i]))) return `${texts[0]!} … ${texts.at(-1)!}`;
  return first.map((part, i) => (split.every((parts) => parts[i] === part) ? part : rangeText(split.map((parts) => Number(parts[i]))))).join("");
}

function rangeText(numbers: readonly number[]): string {
  const [least, most] = [numbers.reduce((a, b) => Math.min(a, b)), numbers.reduce((a, b) => Math.max(a, b))];
  return `${least}…${most}`;
}

// Names copies by what differs in their paths: "layers.17", of Class[n] paths "[17]".
export function copyLabel(paths: readonly string[]): (copy: number) => string {
  const [first, last] = [paths[0]!, paths.at(-1)!].map((path) => path.split(".")) as [string[], string[]];
  const [from, to] = [first.findIndex((step, i) => step !== last[i]), first.findLastIndex((step, i) => step !== last[i])];
  return (copy) => {
    const steps = paths[copy]!.split(".").slice(/^\d+$/.test(first[from] ?? "") ? from - 1 : from, to + 1);
    return steps.length === 1 ? steps[0]!.replace(/^.*(?=\[\d+\]$)/, "") : steps.join(".");
  };
}
