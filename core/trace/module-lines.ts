// The folded module tree of a record as lines for people, with times of all copies and of one call. What is below `underShare` of the whole is one line that
// says how many modules it stands for. Iterative: depth costs no stack.
import type { ExecutionRecord } from "#schema/api/execution-record.ts";
import { profileTypes } from "#schema/frame-kinds.ts";
import { printable } from "../printable.ts";
import { countText, durationText, plural, quantityText, shareText } from "../quantity.ts";
import { table } from "../table.ts";
import type { ModuleStatistics } from "./module-statistics.ts";

const unlikeShown = 3;
export const unlikeBy = 0.1; // of the median: outliers nearer than this are noise to a reader

export function moduleLines({ profileType, totals }: ExecutionRecord, nodes: readonly ModuleStatistics[], underShare: number): string[] {
  const { unit, label } = profileTypes[profileType];
  const cells: string[][] = [];
  const rest: { modules: number; value: number }[] = []; // by depth: what was too small below the node last shown there
  const row = (depth: number, value: number, more: readonly string[], text: string) =>
    cells.push([quantityText(value, unit), shareText(totals.value === 0 ? 0 : value / totals.value), ...more, `${"  ".repeat(depth)}${text}`]);
  const flush = (depth: number) => {
    for (let at = rest.length - 1; at > depth; at--) {
      const small = rest[at];
      if (small !== undefined) row(at, small.value, ["", "", "", "", ...onGpu("")], `(… ${plural(small.modules, "module", "modules")} under ${shareText(underShare)})`);
    }
    rest.length = Math.min(rest.length, depth + 1);
  };
  const onGpu = (cpu: string): string[] => (profileType === "cuda" ? [cpu] : []);
  const top = nodes[0]?.depth ?? 0;
  let hidden = Number.POSITIVE_INFINITY; // depth of the small node whose children are being passed
  for (const node of nodes) {
    const depth = node.depth - top;
    if (depth > hidden) {
      rest[hidden]!.modules += node.rows.length;
      continue;
    }
    hidden = Number.POSITIVE_INFINITY;
    flush(depth);
    if (depth > 0 && node.value < underShare * totals.value) {
      hidden = depth;
      rest[depth] ??= { modules: 0, value: 0 };
      rest[depth].modules += node.rows.length;
      rest[depth].value += node.value;
      continue;
    }
    const times = node.calls === 0 ? ["", "", ""] : [node.min, node.median, node.max].map(durationText);
    row(depth, node.value, [countText(node.calls), ...times, ...onGpu(durationText(node.cpuTotal))], printable(`${node.label}${node.ownCopies > 1 ? ` ×${countText(node.ownCopies)}` : ""}${unlikeText(node)}`));
  }
  flush(-1);
  const head = [label, "share", "calls", "min", "median", "max", ...onGpu("CPU time"), "module"];
  return table(head, cells, head.map((_, i) => i).slice(0, -1)).split("\n");
}

// "  ← layers.17 1.93×, layers.3 0.41×"
function unlikeText({ unlike: all }: ModuleStatistics): string {
  const unlike = all.filter(({ ratio }) => Math.abs(ratio - 1) > unlikeBy);
  if (unlike.length === 0) return "";
  const more = unlike.length > unlikeShown ? ` and ${countText(unlike.length - unlikeShown)} more` : "";
  return `  ← ${unlike.slice(0, unlikeShown).map(({ label, ratio }) => `${label} ${ratio.toFixed(ratio < 10 ? 2 : 0)}×`).join(", ")}${more}`;
}
