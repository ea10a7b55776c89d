// Modules as a flamegraph's layer frames: in which modules a frame lies, and the copies of a module with what tells the slow one.
import type { FrameModules, ModuleFrames } from "#schema/api/flamegraph-tables.ts";
import type { FrameKindName, ProfileTypeName } from "#schema/frame-kinds.ts";
import { frameNameOf, hexFrameId } from "../frame-id.ts";
import { type Measure, measureOf } from "../measure.ts";
import { compareText } from "../stacks.ts";
import type { PathPattern } from "./path-pattern.ts";
import { type RankedRow, byValue, rankedKeys } from "./ranked-row.ts";
import { weighed } from "./top.ts";

export type FrameModuleRow = Pick<RankedRow, "frame" | "name" | "module_path" | "module_class" | "model_key" | "total" | "count" | "all_rows"> & {
  readonly whole: string; // of the selection, the same in every row, like the next three
  readonly whole_count: string;
  readonly whole_samples: string;
  readonly without_layer: string;
};

// Frames of rows that are no modules: stacks without the frame that is asked for, and stacks with it in no module.
export const moduleRows = { elsewhere: 1, none: 0 } as const;

export function modulesOfFrame(
  rows: readonly FrameModuleRow[], limit: number, frame: { readonly id: string; readonly kind: FrameKindName; readonly name: string }, profileType: ProfileTypeName,
): Pick<FrameModules, "unit" | "samples" | "total" | "withoutLayer" | "frame" | "modules" | "cut" | "without"> {
  const whole = rows[0]?.whole ?? "0";
  const measure = measureOf(whole, profileType);
  const apart = (row: keyof typeof moduleRows) => rows.find((one) => one.frame === String(moduleRows[row]));
  const [elsewhere, none] = [apart("elsewhere"), apart("none")];
  const total = BigInt(whole) - BigInt(elsewhere?.total ?? 0);
  const listed = rows.filter((row) => row !== elsewhere && row !== none).sort((a, b) => byValue(a.total, b.total) || compareText(a.module_path, b.module_path) || compareText(a.frame, b.frame)).slice(0, limit);
  const told = [listed, none ?? [], elsewhere ?? []].flat();
  return {
    unit: measure.unit, samples: Number(rows[0]?.whole_samples ?? 0), total: measure.total, withoutLayer: measure.of(rows[0]?.without_layer ?? "0"),
    frame: { ...frame, ...weighed({ total: String(total), count: String(BigInt(rows[0]?.whole_count ?? 0) - BigInt(elsewhere?.count ?? 0)) }, measure) },
    modules: listed.map((row) => ({ ...moduleOf(row), total: measure.of(row.total), count: Number(row.count), share: total > 0n ? Number(row.total) / Number(total) : 0 })),
    cut: { modules: (rows[0]?.all_rows ?? 0) - told.length, total: measure.of(BigInt(whole) - told.reduce((sum, row) => sum + BigInt(row.total), 0n)) },
    without: measure.of(none?.total ?? "0"),
  };
}

function moduleOf(row: Pick<RankedRow, "frame" | "name" | "module_path" | "module_class" | "model_key">): { name: string; modulePath: string; moduleClass: string; modelKey: string; frame: string } {
  return { name: frameNameOf(row), modulePath: row.module_path, moduleClass: row.module_class, modelKey: row.model_key, frame: hexFrameId(row.frame) };
}

// `together`: the same frames as `copies`, those of one class of one model as one row. Both with the row of the whole selection.
export function copiesOfModule(
  copies: readonly RankedRow[], together: readonly RankedRow[], asked: { readonly pattern: PathPattern; readonly limit: number }, profileType: ProfileTypeName,
): Pick<ModuleFrames, "unit" | "samples" | "total" | "withoutLayer" | "groups"> {
  const isWhole = (row: RankedRow) => row.key === String(rankedKeys.whole);
  const whole = copies.find(isWhole);
  const measure = measureOf(whole?.total ?? "0", profileType);
  const groups = together.filter((row) => !isWhole(row)).sort((a, b) => byValue(a.total, b.total) || compareText(a.module_class, b.module_class) || compareText(a.model_key, b.model_key));
  return {
    unit: measure.unit, samples: Number(whole?.samples ?? 0), total: measure.total, withoutLayer: measure.of(whole?.without_layer ?? "0"),
    groups: groups.map((group) => {
      const rows = copies.filter((row) => !isWhole(row) && row.module_class === group.module_class && row.model_key === group.model_key);
      return { modelKey: group.model_key, moduleClass: group.module_class, ...weighed(group, measure), self: measure.of(group.self), ...spread(rows, asked, measure) };
    }),
  };
}

function spread(rows: RankedRow[], { pattern, limit }: { readonly pattern: PathPattern; readonly limit: number }, measure: Measure): Pick<ModuleFrames["groups"][number], "copies" | "rows" | "cut"> {
  rows.sort((a, b) => byValue(a.total, b.total) || compareText(a.module_path, b.module_path));
  const copyOf = (row: RankedRow) => ({ value: measure.of(row.total), path: row.module_path, index: pattern.indices(row.module_path) });
  // Of an even number the mean of the middle two.
  const middle = (BigInt(rows[rows.length >> 1]!.total) + BigInt(rows[(rows.length - 1) >> 1]!.total) + 1n) / 2n;
  return {
    copies: { n: rows.length, min: copyOf(rows.at(-1)!), median: measure.of(middle), max: copyOf(rows[0]!) },
    rows: rows.slice(0, limit).map((row) => ({ ...moduleOf(row), index: pattern.indices(row.module_path), ...weighed(row, measure), self: measure.of(row.self) })),
    cut: { rows: Math.max(0, rows.length - limit), total: measure.of(rows.slice(limit).reduce((sum, row) => sum + BigInt(row.total), 0n)) },
  };
}
