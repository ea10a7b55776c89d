// A timeline as one line of bars, for `lamella timeline`.
import type { FlamegraphTimeline } from "#schema/api/flamegraph-tables.ts";
import { printable } from "#core/printable.ts";
import { plural, quantityText, shareText } from "../../quantity.ts";
import { tableHeadLines } from "../text-head.ts";

const bars = [..."▁▂▃▄▅▆▇█"];

// `width`: bars at most; where there are more steps, neighbours are joined, as many to each bar.
export function timelineText(answer: FlamegraphTimeline, width: number): string {
  const { by, points, stepS, unit, search, matched, total } = answer;
  const lines = tableHeadLines(answer);
  if (search !== null) lines.push(`Search ${printable(search)}: ${quantityText(matched, unit)}, ${shareText(total > 0 ? matched / total : 0)} of the total`);
  if (points.t.length === 0) return `${lines.join("\n")}\n`;
  const unitOfT = stepS ?? 1;
  const [first, last] = [points.t[0]! / unitOfT, points.t.at(-1)! / unitOfT];
  const perBar = Math.ceil((last - first + 1) / width);
  const sums = new Array<number | undefined>(Math.ceil((last - first + 1) / perBar)).fill(undefined);
  points.t.forEach((t, i) => {
    const bar = Math.floor((t / unitOfT - first) / perBar);
    sums[bar] = (sums[bar] ?? 0) + points.value[i]!;
  });
  const most = sums.reduce<number>((max, sum) => Math.max(max, sum ?? 0), 0);
  const peak = sums.findIndex((sum) => sum === most);
  const at = (bar: number) => placeText((first + bar * perBar) * unitOfT, by);
  const barIs = by === "step" ? plural(perBar, "step", "steps") : `${perBar * unitOfT} s`;
  const drawn = sums.map((sum) => (sum === undefined ? " " : bars[most > 0 ? Math.min(bars.length - 1, Math.floor((sum / most) * bars.length)) : 0])).join("");
  const [from, to] = [at(0), at(sums.length - 1)];
  return [
    ...lines, "", drawn, sums.length < from.length + to.length + 2 ? (from === to ? from : `${from} … ${to}`) : from.padEnd(sums.length - to.length) + to,
    `a bar is ${barIs}, blank where there are no samples; the highest ${quantityText(most, unit)} at ${at(peak)}`, "",
  ].join("\n");
}

function placeText(t: number, by: FlamegraphTimeline["by"]): string {
  return by === "step" ? `step ${t}` : `${new Date(t * 1000).toISOString().slice(0, 19).replace("T", " ")} UTC`;
}
