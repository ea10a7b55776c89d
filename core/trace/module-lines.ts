// The folded module tree of a record as lines for people, with times of all copies and of one call. What takes less than `underShare` of the whole is
// counted on the line of what holds it.
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
  const onGpu = profileType === "cuda";
  const top = nodes[0]?.depth ?? 0;
  const shown: { node: ModuleStatistics; small: number }[] = []; // small: modules in it that are not shown
  const open: (typeof shown)[number][] = []; // by depth: the node shown last
  let hidden = Number.POSITIVE_INFINITY; // depth of the small node whose children are being passed
  for (const node of nodes) {
    const depth = node.depth - top;
    if (depth > hidden || (depth > 0 && node.value < underShare * totals.value)) {
      hidden = Math.min(hidden, depth);
      open[hidden - 1]!.small += node.rows.length;
      continue;
    }
    hidden = Number.POSITIVE_INFINITY;
    open[depth] = { node, small: 0 };
    shown.push(open[depth]);
  }
  const cells = shown.map(({ node, small }) => {
    const times = node.calls === 0 ? ["", "", ""] : [node.min, node.median, node.max].map(durationText);
    const name = printable(`${node.label}${node.ownCopies > 1 ? ` ×${countText(node.ownCopies)}` : ""}${unlikeText(node)}`);
    const rest = small === 0 ? "" : `  (+ ${plural(small, "module", "modules")} under ${100 * underShare} %)`;
    return [
      quantityText(node.value, unit), shareText(totals.value === 0 ? 0 : node.value / totals.value), countText(node.calls), ...times, ...(onGpu ? [durationText(node.cpuTotal)] : []), `${"  ".repeat(node.depth - top)}${name}${rest}`,
    ];
  });
  const head = [label, "share", "calls", "min", "median", "max", ...(onGpu ? ["CPU time"] : []), "module"];
  return table(head, cells, head.map((_, i) => i).slice(0, -1)).split("\n");
}

function unlikeText(node: ModuleStatistics): string {
  const words = unlikeWords(node);
  return words === "" ? "" : `  ← ${words}`;
}

// The copies that are not like the others, with how many times the median they took: "layers.17 1.93×, layers.3 0.41×"; "" = all are alike.
export function unlikeWords({ unlike: all }: ModuleStatistics): string {
  const unlike = all.filter(({ ratio }) => Math.abs(ratio - 1) > unlikeBy);
  if (unlike.length === 0) return "";
  const more = unlike.length > unlikeShown ? ` and ${countText(unlike.length - unlikeShown)} more` : "";
  return `${unlike.slice(0, unlikeShown).map(({ label, ratio }) => `${label} ${ratio.toFixed(ratio < 10 ? 2 : 0)}×`).join(", ")}${more}`;
}
