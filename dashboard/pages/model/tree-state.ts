// What is open in a module tree, and which folded copies stand by themselves: all of it is in the URL.
// Rows are named by the path of their first copy; `toggled` holds those that are not as they are at first.
import { unfoldRuns, type Run } from "#core/shape/fold.ts";
import { joinPath } from "#core/shape/locate.ts";

export const unfoldedBoxesMax = 50; // more copies than this are a list, never so many rows or boxes at once

export type TreeState = {
  readonly toggled: ReadonlySet<string>;
  readonly unfolded: ReadonlySet<string>; // paths of copies that are rows of their own; "model.layers.*": all copies below model.layers
  readonly all: boolean; // at first every section is open
};

export const treeAtFirst: TreeState = { toggled: new Set(), unfolded: new Set(), all: false };

// The root and its sections are open; so is every module with a single row below it, down to the first branching point.
export function isOpen({ toggled, all }: TreeState, path: string, level: number, rows: number): boolean {
  return (all || level <= 2 || rows === 1) !== toggled.has(path);
}

export function withOpen(state: TreeState, path: string, level: number, rows: number, open: boolean): TreeState {
  return isOpen(state, path, level, rows) === open ? state : toggle(state, [path]);
}

export function toggle(state: TreeState, paths: readonly string[]): TreeState {
  const toggled = new Set(state.toggled);
  for (const path of paths) if (!toggled.delete(path)) toggled.add(path);
  return { ...state, toggled };
}

export function unfold(state: TreeState, path: string): TreeState {
  return { ...state, unfolded: new Set([...state.unfolded, path]) };
}

// Folds back whatever stands by itself among the children of `parent`.
export function foldBelow(state: TreeState, parent: string): TreeState {
  return { ...state, unfolded: new Set([...state.unfolded].filter((path) => parentPath(path) !== parent)) };
}

export function parentPath(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf(".")));
}

// The runs of the children of `parent`, cut where a copy stands by itself: ×64 with layers.17 unfolded is ×17, one, ×46.
export function cutRuns(runs: readonly Run[], parent: string, { unfolded }: TreeState): readonly Run[] {
  if (unfolded.size === 0 || runs.every(({ count }) => count === 1)) return runs;
  const all = unfolded.has(joinPath(parent, "*"));
  return runs.flatMap((run) => {
    if (run.count === 1) return [run];
    const copies = unfoldRuns([run]).map(({ name, module }, i): Run => ({ first: name, last: name, count: 1, module, at: run.at + i }));
    const cut: Run[] = [];
    let open = false; // whether the last run of `cut` may take one more copy
    for (const copy of copies) {
      const alone = all || unfolded.has(joinPath(parent, copy.first));
      const last = cut.at(-1);
      if (!alone && open && last !== undefined) cut[cut.length - 1] = { ...last, last: copy.first, count: last.count + 1 };
      else cut.push(copy);
      open = !alone;
    }
    return cut;
  });
}
