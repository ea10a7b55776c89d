// One row of the store's tables: frames with one key. Numbers are decimal strings, as in core/flamegraph/rows.ts.
import { type FrameKindName, frameKindOfNumber } from "#schema/frame-kinds.ts";

export type RankedRow = {
  readonly key: string;
  readonly frame: string; // decimal id of one of its frames, whose name and path stand below; "" where the dictionary has no row for it
  readonly label: string; // what its frames have in common and none has as a column: a block's path, a kernel category
  readonly total: string;
  readonly self: string;
  readonly count: string; // behind `total`
  readonly samples: string;
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

// The kind is in the low 4 bits of an id.
export function frameKindOf(frame: string): FrameKindName {
  return frameKindOfNumber(Number(BigInt(frame) & 15n)) ?? "native";
}

// As the wire has ids: hex.
export function frameIdOf(frame: string): string {
  return BigInt(frame).toString(16);
}

export function frameNameOf({ frame, name }: Pick<RankedRow, "frame" | "name">): string {
  return name === "" ? `(frame ${frameIdOf(frame)} is not stored)` : name;
}

export function byValue(a: string, b: string): number {
  const [left, right] = [BigInt(a), BigInt(b)];
  return left > right ? -1 : left < right ? 1 : 0;
}

export function byText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
