// A top table as text, for `lamella top`. Invariant: what the table leaves out is told below it with its value.
import type { FlamegraphTop, ModuleFrames } from "#schema/api/flamegraph-tables.ts";
import type { RankedBy } from "#schema/ranked-by.ts";
import { printable, shortened } from "#core/printable.ts";
import { table } from "#core/table.ts";
import { countText, plural, quantityText, shareText } from "../../quantity.ts";
import { tableHeadLines } from "../text-head.ts";

const nameLengthMax = 160; // shown of a name: a kernel's goes on for kilobytes, and JSON has all of it

// What a row is, several of them, and where the value lies that is in none.
export const rankedThings: Record<RankedBy, { readonly head: string; readonly several: string; readonly without: string }> = {
  function: { head: "function", several: "functions", without: "ends in no function: in a kernel, a module or below one" },
  kernel: { head: "kernel", several: "kernels", without: "ends in no kernel" },
  module: { head: "module", several: "modules", without: "in no module" },
  class: { head: "class", several: "classes", without: "in no module" },
  layer: { head: "layer", several: "layers", without: "in no numbered block" },
  category: { head: "category", several: "categories", without: "ends in no kernel" },
  frame: { head: "frame", several: "frames", without: "in no frame" },
};

export function topText(answer: FlamegraphTop): string {
  const { by, unit, rows, cut } = answer;
  const { head } = rankedThings[by];
  const withKind = by === "function" || by === "frame";
  const lines = rows.map((row) => [
    quantityText(row.total, unit), shareText(row.share), quantityText(row.self, unit), countText(row.count), ...(withKind ? [row.kind] : []),
    cutName(row.name), ...(by === "module" ? [cutName(row.modulePath)] : []), ...(by === "frame" ? [cutName(row.file || row.modulePath)] : []),
  ]);
  const heads = [unit === "count" ? "count" : "time", "share", "self", "calls", ...(withKind ? ["kind"] : []), head, ...(by === "module" ? ["path"] : []), ...(by === "frame" ? ["from"] : [])];
  const [more, ...others] = leftLines(answer);
  const left = [...(cut.rows > 0 ? [`… ${more}; ask for more with --limit`] : more === undefined ? [] : [more]), ...others];
  return [...tableHeadLines(answer), ...(answer.simulated ? ["Simulated data: no real device was measured."] : []), ...(rows.length > 0 ? ["", table(heads, lines, [0, 1, 2, 3])] : []), ...(left.length > 0 ? ["", ...left] : []), ""].join("\n");
}

// What a table leaves out: rows beyond the limit (first, where there are any), frames that do not rank, and what lies in no row.
export function leftLines({ by, unit, cut, unranked, without, total }: FlamegraphTop): string[] {
  const { head, several, without: withoutWhat } = rankedThings[by];
  const amount = (value: number) => `${quantityText(value, unit)} (${shareText(total > 0 ? value / total : 0)})`;
  return [
    ...(cut.rows > 0 ? [`${plural(cut.rows, `${head} more`, `${several} more`)}, ${amount(cut.self)} of their own`] : []),
    ...unranked.map((one) => `Not ranked, ${one.reason === "idle" ? "idle" : "the profiler itself"}: ${plural(one.frames, "frame", "frames")}, ${amount(one.total)}, of it ${quantityText(one.self, unit)} self`),
    ...(without > 0 ? [`${withoutWhat[0]!.toUpperCase()}${withoutWhat.slice(1)}: ${amount(without)}`] : []),
  ];
}

// The copies of one module: what they take, from the least to the most, and which.
export function copiesText(answer: ModuleFrames): string {
  const { unit, groups } = answer;
  const amount = (value: number) => quantityText(value, unit);
  const at = (index: readonly string[], path: string) => (index.length > 0 ? index.join(".") : printable(path));
  const sections = groups.flatMap(({ modelKey, moduleClass, total, share, self, count, copies, rows, cut }) => [
    "", `${printable(moduleClass === "" ? "(class unknown)" : moduleClass)}${modelKey === "" ? "" : ` of model ${modelKey.slice(0, 12)}`}: ${amount(total)} (${shareText(share)}), self ${amount(self)}, ${plural(count, "call", "calls")}`,
    ...(copies.n === 1 ? [] : [`${plural(copies.n, "copy", "copies")}: min ${amount(copies.min.value)} at ${at(copies.min.index, copies.min.path)} · median ${amount(copies.median)} · max ${amount(copies.max.value)} at ${at(copies.max.index, copies.max.path)}`]),
    table(["time", "by median", "self", "calls", "path"], rows.map((row) => [amount(row.total), copies.median > 0 ? `${(row.total / copies.median).toFixed(2)}×` : "", amount(row.self), countText(row.count), cutName(row.modulePath === "" ? "(the model)" : row.modulePath)]), [0, 1, 2, 3]),
    ...(cut.rows > 0 ? [`… ${plural(cut.rows, "copy more", "copies more")}, ${amount(cut.total)}; ask for more with --limit`] : []),
  ]);
  return [...tableHeadLines(answer), ...(groups.length === 0 ? [`${printable(answer.modulePath)}: this module has no frames in the current flamegraph`] : sections), ""].join("\n");
}

function cutName(name: string): string {
  return shortened(printable(name), nameLengthMax);
}
