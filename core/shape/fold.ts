// Folding: consecutive siblings of equal structure, numbered one after the other, are one run (64 decoder layers = one node ×64).
// Exact: equal means the same row after hash-consing, never the same class name, so a layer that differs splits the run (×3, one, ×60). Only indices fold:
// `k_proj` and `v_proj` may be equal too, but their names are their meaning. Invariant: unfolding the runs gives the children back, in order.
import type { ModuleRow } from "#schema/api/models.ts";
import { isIndex } from "../module-path.ts";

export interface Run {
  first: string; // name of the first child
  last: string; // name of the last; equal to `first` when count is 1
  count: number;
  module: number; // row they all are
  at: number; // position of the first among the children
}

// `children` must come from a table in which equal structure is one row (canonicalShape, ModuleTable).
export function foldChildren(children: readonly ModuleRow["children"][number][]): Run[] {
  const runs: Run[] = [];
  for (const [at, { name, module }] of children.entries()) {
    const run = runs.at(-1);
    if (run !== undefined && run.module === module && isIndex(name) && isIndex(run.last) && Number(name) === Number(run.last) + 1) {
      run.last = name;
      run.count++;
    } else {
      runs.push({ first: name, last: name, count: 1, module, at });
    }
  }
  return runs;
}

export function unfoldRuns(runs: readonly Run[]): ModuleRow["children"] {
  return runs.flatMap(({ first, count, module }) => {
    if (count === 1) return [{ name: first, module }];
    return Array.from({ length: count }, (_, i) => ({ name: String(Number(first) + i), module }));
  });
}
