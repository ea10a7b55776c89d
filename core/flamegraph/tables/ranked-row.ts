// One row of the store's tables: frames with one key. Numbers are decimal strings, as in core/flamegraph/rows.ts.
import { descending } from "../tree.ts";

export type RankedRow = {
  readonly key: string;
  readonly frame: string; // decimal id of one of its frames, whose name and path stand below; "" where the dictionary has no row for it
  readonly label: string; // what its frames have in common and none has as a column: a block's path, a kernel category
  readonly total: string;
  readonly self: string;
  readonly count: string; // behind `total`
  readonly samples: string;
  readonly without_layer: string; // of the total, in stacks without any layer frame
  readonly frames: number; // distinct
  readonly all_rows: number; // before the cut, those below included; the same in every row
  readonly name: string;
  readonly file: string;
  readonly mapping: string;
  readonly module_path: string;
  readonly module_class: string;
  readonly model_key: string;
};

// Keys that are no rows of a table. whole: the selection; its self is what gives no row its self. none: frames without a key; never a row.
// The others: frames that do not rank (unranked-frames.ts).
export const rankedKeys = { whole: 0, none: 1, idle: 16, profiler: 32 } as const;

// Heaviest first.
export function byValue(a: string, b: string): number {
  return descending(BigInt(a), BigInt(b));
}
