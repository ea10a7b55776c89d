// The folded tree of merged requests: what every node took in each request, the ratio of the largest to the smallest, and how it grows with the input.
import { foldModules, type FoldedModule } from "./fold-modules.ts";
import { growthOf, type MergedRequests, ratioOf } from "./merge-requests.ts";
import { ownRows, rangeLabel } from "./module-statistics.ts";

export type RequestRow = FoldedModule & {
  label: string; // as of moduleStatistics
  values: (number | null)[]; // by request, of all copies; null = that request did not call it
  calls: number[];
  longest: (number | null)[];
  ratio: number | null;
  growth: number | null;
};

export function requestRows(merged: MergedRequests): RequestRow[] {
  const { requests, modules, texts } = merged;
  const sums = (rows: readonly number[], column: readonly (readonly (number | null)[])[]) => requests.map((_, request) => sumOf(rows.map((row) => column[row]![request]!)));
  return foldModules(merged).map((node) => {
    const [values, longest] = [sums(node.rows, modules.value), sums(node.rows, modules.longest)];
    return {
      ...node, label: rangeLabel(ownRows(node).map((row) => texts[modules.name[row]!]!)), values, calls: sums(node.rows, modules.calls).map((calls) => calls ?? 0), longest, ratio: ratioOf(values),
      growth: growthOf(requests.map(({ inputTokens }) => inputTokens), longest),
    };
  });
}

function sumOf(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0);
}
