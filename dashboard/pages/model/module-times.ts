// The samples' time of each row of a module tree, from the top table by module: of one module, or over the copies it stands for with the one that is unlike them.
// A module whose forward is never called, as a ModuleList, has no frames: its time is the sum of what it holds, and says so.
import { median, outliers } from "#core/trace/call-statistics.ts";
import { unlikeBy } from "#core/trace/module-lines.ts";
import type { TopRow } from "#schema/api/flamegraph-tables.ts";
import { rowPath, type ShapeFacts } from "./module-nodes.ts";
import type { TreeState } from "./tree-state.ts";

export type CopyTime = { readonly path: string; readonly value: number };

export type ModuleTime = {
  readonly total: number; // over all copies, in the unit of the answer
  readonly copies: readonly CopyTime[]; // those with samples, in the order of the model
  readonly median: number;
  readonly least: CopyTime;
  readonly most: CopyTime;
  readonly unlike: readonly (CopyTime & { readonly times: number })[]; // outliers, and how many times the median they took; the furthest first
  readonly summed: boolean; // of the modules it holds
};

export type ModuleTimes = {
  readonly byPath: ReadonlyMap<string, ModuleTime>; // by the path of a row, whether it is shown or not
  readonly elsewhere: number; // modules with samples that the shape does not have
};

// `rows`: of this model.
export function moduleTimes(facts: ShapeFacts, state: TreeState, rows: readonly Pick<TopRow, "modulePath" | "total">[]): ModuleTimes {
  const totals = new Map<string, number>();
  for (const { modulePath, total } of rows) totals.set(modulePath, (totals.get(modulePath) ?? 0) + total);
  const summed = sumsOfContainers(totals);
  const found = new Map<string, { copies: CopyTime[]; summed: boolean }>();
  let elsewhere = 0;
  for (const [path, value] of [...totals, ...summed]) {
    const row = rowPath(facts, state, path);
    if (row === undefined) {
      if (totals.has(path)) elsewhere++;
      continue;
    }
    let one = found.get(row);
    if (one === undefined) found.set(row, (one = { copies: [], summed: summed.has(path) }));
    one.copies.push({ path, value });
  }
  return { byPath: new Map([...found].map(([path, { copies, summed }]) => [path, timeOf(copies, summed)])), elsewhere };
}

// By path without a time of its own: the times of the topmost modules below it.
function sumsOfContainers(totals: ReadonlyMap<string, number>): Map<string, number> {
  const sums = new Map<string, number>();
  for (const [path, total] of totals) {
    for (let end = path.lastIndexOf("."); end > 0; end = path.lastIndexOf(".", end - 1)) {
      const above = path.slice(0, end);
      if (totals.has(above)) break;
      sums.set(above, (sums.get(above) ?? 0) + total);
    }
  }
  return sums;
}

function timeOf(copies: CopyTime[], summed: boolean): ModuleTime {
  copies.sort((a, b) => comparePaths(a.path, b.path));
  const values = copies.map(({ value }) => value);
  const middle = median([...values].sort((a, b) => a - b));
  const unlike = (copies.length < 3 ? [] : outliers(values))
    .map((at) => ({ ...copies[at]!, times: copies[at]!.value / middle }))
    .filter(({ times }) => Math.abs(times - 1) >= unlikeBy)
    .sort((a, b) => Math.abs(Math.log(b.times)) - Math.abs(Math.log(a.times)));
  const [least, most] = [copies.reduce((a, b) => (b.value < a.value ? b : a)), copies.reduce((a, b) => (b.value > a.value ? b : a))];
  return { total: values.reduce((sum, value) => sum + value, 0), copies, median: middle, least, most, unlike, summed };
}

// As the model orders them: indices as numbers.
function comparePaths(a: string, b: string): number {
  const [left, right] = [a.split("."), b.split(".")];
  for (let i = 0; i < Math.min(left.length, right.length); i++) if (left[i] !== right[i]) return Number(left[i]) - Number(right[i]) || (left[i]! < right[i]! ? -1 : 1);
  return left.length - right.length;
}
